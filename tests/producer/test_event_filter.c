/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event filters without a producer: which filter a reader uses while others are set, and the verdicts for stacks after their events. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "producer/filtering/event_filter.h"
#include "schema/schema.h"
#include "tests/filter/bound.h"

#define PUTS    20000
#define READERS 3

enum id { WANTED = 10, OTHER = 11, STACK = 12 };

/* Makes a filter whose table of verdicts ends with the complement of its beginning. */
static struct tw_event_filter *make(uint8_t mark)
{
	struct tw_event_filter *filter = calloc(1, sizeof(*filter));

	assert_non_null(filter);
	filter->verdicts[0] = mark;
	filter->verdicts[TW_EVENT_FILTER_IDS - 1] = (uint8_t)~mark;
	return filter;
}

static void test_hazard(void **state)
{
	struct tw_event_filters filters = { .retired = NULL };
	struct tw_event_filter_hazard a = { 0 }, b = { 0 };
	struct tw_event_filter *first = make(1), *second = make(2);

	(void)state;
	tw_event_filters__add(&filters, &a);
	tw_event_filters__add(&filters, &b);
	assert_null(tw_event_filter_hazard__acquire(&a));
	tw_event_filters__replace(&filters, first);
	assert_ptr_equal(tw_event_filter_hazard__acquire(&a), first);
	tw_event_filters__replace(&filters, second);
	assert_ptr_equal(filters.retired, first); /* a uses it */
	assert_int_equal(first->verdicts[0], 1);
	assert_ptr_equal(tw_event_filter_hazard__acquire(&b), second);
	assert_ptr_equal(tw_event_filter_hazard__acquire(&a), second);
	tw_event_filters__replace(&filters, NULL);
	assert_ptr_equal(filters.retired, second); /* and the first was freed */
	assert_null(second->next);
	assert_null(tw_event_filter_hazard__acquire(&a));
	tw_event_filters__fini(&filters);
}

struct reader {
	pthread_t thread;
	struct tw_event_filter_hazard hazard;
	const atomic_bool *stop;
	pthread_barrier_t *start;
	uint64_t torn;
};

static void *look(void *arg)
{
	struct reader *reader = arg;

	pthread_barrier_wait(reader->start);
	while (!atomic_load(reader->stop)) {
		const struct tw_event_filter *filter = tw_event_filter_hazard__acquire(&reader->hazard);

		reader->torn += filter && (filter->verdicts[0] ^ filter->verdicts[TW_EVENT_FILTER_IDS - 1]) != 0xff;
	}
	return NULL;
}

/* Filters are replaced while readers use them. AddressSanitizer finds a filter that was freed too early. */
static void test_replaced(void **state)
{
	struct reader readers[READERS] = { 0 };
	struct tw_event_filters filters = { .retired = NULL };
	pthread_barrier_t start;
	atomic_bool stop = false;
	size_t most = 0;

	(void)state;
	pthread_barrier_init(&start, NULL, READERS + 1);
	for (int i = 0; i < READERS; i++) {
		readers[i].stop = &stop;
		readers[i].start = &start;
		tw_event_filters__add(&filters, &readers[i].hazard);
	}
	for (int i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&readers[i].thread, NULL, look, &readers[i]), 0);
	pthread_barrier_wait(&start);
	for (int i = 0; i < PUTS; i++) {
		size_t n = 0;

		tw_event_filters__replace(&filters, make((uint8_t)i));
		for (const struct tw_event_filter *filter = filters.retired; filter; filter = filter->next)
			n++;
		most = n > most ? n : most;
	}
	atomic_store(&stop, true);
	for (int i = 0; i < READERS; i++) {
		pthread_join(readers[i].thread, NULL);
		assert_int_equal(readers[i].torn, 0);
	}
	assert_true(most <= READERS + 1);
	tw_event_filters__fini(&filters);
	pthread_barrier_destroy(&start);
}

static bool lets(const struct tw_event_filter *filter, struct tw_event_filter_cpu *cpu, uint16_t id, uint8_t flags)
{
	uint8_t record[16] = { 0 };
	const struct tw_ring_event event = { .record = record, .len = sizeof(record) };

	memcpy(record, &id, sizeof(id));
	record[2] = flags;
	return tw_event_filter__passes(filter, cpu, &event);
}

static void test_stacks(void **state)
{
	enum { HARDIRQ = 0x08, SOFTIRQ = 0x10, NMI = 0x40, IRQS_OFF = 0x01, NEED_RESCHED = 0x04, BH_OFF = 0x80 };
	struct tw_event_filter *filter = make(0);
	struct tw_event_filter_cpu cpu = { 0 }, other = { 0 };

	(void)state;
	filter->verdicts[WANTED] = TW_VERDICT_PASS | TW_VERDICT_NOTED;
	filter->verdicts[OTHER] = TW_VERDICT_REJECT | TW_VERDICT_NOTED;
	filter->verdicts[STACK] = TW_VERDICT_STACK;
	assert_false(lets(filter, &cpu, STACK, 0));
	assert_true(lets(filter, &cpu, WANTED, NEED_RESCHED));
	assert_true(lets(filter, &cpu, STACK, IRQS_OFF)); /* the kernel's stack, followed by the user's */
	assert_true(lets(filter, &cpu, STACK, BH_OFF));
	assert_false(lets(filter, &other, STACK, 0));
	/* interrupts between an event and its stack have events with their own stacks */
	assert_false(lets(filter, &cpu, OTHER, SOFTIRQ));
	assert_true(lets(filter, &cpu, WANTED, HARDIRQ | SOFTIRQ));
	assert_true(lets(filter, &cpu, STACK, HARDIRQ | SOFTIRQ));
	assert_false(lets(filter, &cpu, STACK, SOFTIRQ));
	assert_false(lets(filter, &cpu, OTHER, NMI));
	assert_false(lets(filter, &cpu, STACK, NMI));
	assert_false(lets(filter, &cpu, OTHER, HARDIRQ));
	assert_false(lets(filter, &cpu, STACK, HARDIRQ));
	assert_true(lets(filter, &cpu, STACK, 0));
	assert_false(lets(filter, &cpu, OTHER, 0));
	assert_false(lets(filter, &cpu, STACK, 0));
	tw_event_filter__free(filter);
}

/* A search that exceeds its limit is no match, and its reader counts it. */
static void test_given_up(void **state)
{
	static const char host[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";
	struct tw_event_filter *filter = make(0);
	struct tw_event_filter_cpu cpu = { 0 }, other = { 0 };
	struct tw_bind_options options = { 0 };

	(void)state;
	filter->schema = tw_schema__new();
	assert_non_null(filter->schema);
	options.schema = filter->schema;
	assert_int_equal(bound__make_ready("host matches \"(a+)+$\"", &options, &filter->bound, NULL), 0);
	filter->verdicts[WANTED] = TW_VERDICT_EVALUATE;
	filter->host = host;
	filter->host_len = sizeof(host) - 1;
	assert_false(lets(filter, &cpu, WANTED, 0));
	assert_int_equal(cpu.given_up, 1);
	filter->host_len--;
	assert_true(lets(filter, &cpu, WANTED, 0));
	assert_int_equal(cpu.given_up, 1);
	assert_int_equal(other.given_up, 0);
	tw_event_filter__free(filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hazard),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
