/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each address that is printed as a symbol has a SYMBOL, as in kallsyms, before the first event that needs it. No other address has one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "run.h"
#include "schema/field.h"
#include "schema/schema.h"

/* Fields that are printed by %ps or %pS; each event has at most one. */
static const struct {
	const char *system, *event, *field;
} printed[] = {
	{ "kmem", "kmalloc", "call_site" },
	{ "kmem", "kmem_cache_alloc", "call_site" },
	{ "kmem", "kfree", "call_site" },
	{ "kmem", "kmem_cache_free", "call_site" },
	{ "timer", "timer_start", "function" },
	{ "timer", "timer_expire_entry", "function" },
	{ "timer", "hrtimer_start", "function" },
	{ "timer", "hrtimer_expire_entry", "function" },
	{ "workqueue", "workqueue_queue_work", "function" },
	{ "workqueue", "workqueue_execute_start", "function" },
	{ "workqueue", "workqueue_execute_end", "function" },
	{ "ftrace", "print", "ip" },
};

#define EVENTS                                                                                                    \
	"kmem:kmalloc,kmem:kmem_cache_alloc,kmem:kfree,kmem:kmem_cache_free,timer:timer_start,"                   \
	"timer:timer_expire_entry,timer:hrtimer_start,timer:hrtimer_expire_entry,workqueue:workqueue_queue_work," \
	"workqueue:workqueue_execute_start,workqueue:workqueue_execute_end,sched:sched_waking"

/* The names of kallsyms, read without the product's code. */
struct oracle {
	struct line {
		uint64_t address;
		char name[128];
	} * lines;
	size_t n;
};

static int by_address(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void read_oracle(struct oracle *oracle)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char text[1024];

	*oracle = (struct oracle){ 0 };
	assert_non_null(file);
	while (fgets(text, sizeof(text), file)) {
		struct line *line;

		if (!(oracle->n & (oracle->n - 1))) {
			oracle->lines = reallocarray(oracle->lines, oracle->n ? oracle->n * 2 : 1, sizeof(*line));
			assert_non_null(oracle->lines);
		}
		line = &oracle->lines[oracle->n++];
		assert_int_equal(sscanf(text, "%lx %*c %127s", &line->address, line->name), 2);
	}
	fclose(file);
	qsort(oracle->lines, oracle->n, sizeof(*oracle->lines), by_address);
}

/* Return: whether @name is one of the names at the nearest address that is not above @address */
static bool is_called(const struct oracle *oracle, uint64_t address, const char *name)
{
	size_t low = 0, high = oracle->n;

	while (low < high) {
		if (oracle->lines[(low + high) / 2].address <= address)
			low = (low + high) / 2 + 1;
		else
			high = (low + high) / 2;
	}
	for (size_t i = low; i-- > 0 && oracle->lines[i].address == oracle->lines[low - 1].address;)
		if (!strcmp(oracle->lines[i].name, name))
			return true;
	return false;
}

/* Return: the address of an event that is printed as a symbol; 0 if it has none */
static uint64_t address_of(const struct tw_schema *schema, const struct got_event *ev)
{
	const struct tw_record record = { .data = ev->record, .len = ev->len, .from_wire = true };
	const struct tw_format *format = tw_schema__by_id(schema, ev->id);
	struct tw_value value;

	assert_non_null(format);
	for (size_t i = 0; i < sizeof(printed) / sizeof(printed[0]); i++) {
		if (strcmp(format->name, printed[i].event) != 0 || strcmp(format->system, printed[i].system) != 0)
			continue;
		assert_int_equal(tw_field__read(tw_format__find(format, printed[i].field), &record, &value), 0);
		return value.u;
	}
	return 0;
}

/* Return: the SYMBOL that a reader of the merged stream has for an address at @time; NULL if none */
static const struct got_symbol *symbol_of(const struct receiver *got, uint64_t address, uint64_t time)
{
	for (size_t i = 0; i < got->n_symbols; i++)
		if (address - got->symbols[i].address < got->symbols[i].size && got->symbols[i].base <= time)
			return &got->symbols[i];
	return NULL;
}

/* Checks that each event has its SYMBOL, that at least @least events have one, and that each SYMBOL is needed. */
static void expect_symbols(const struct receiver *got, const struct oracle *oracle, size_t least)
{
	bool *needed = calloc(got->n_symbols, sizeof(*needed));
	struct tw_schema *schema = receiver__schema(got);
	size_t n = 0;

	assert_non_null(needed);
	for (size_t i = 0; i < got->n_events; i++) {
		const uint64_t address = address_of(schema, &got->events[i]);
		const struct got_symbol *symbol;

		if (!address)
			continue;
		symbol = symbol_of(got, address, got->events[i].time);
		if (!symbol)
			fail_msg("event %zu: no SYMBOL for %lx before it", i, address);
		if (!is_called(oracle, address, symbol->name))
			fail_msg("%lx is not in %s", address, symbol->name);
		for (size_t k = 0; k < got->n_symbols; k++) /* an address may have two names */
			needed[k] |= got->symbols[k].address == symbol->address;
		n++;
	}
	assert_true(n >= least);
	for (size_t i = 0; i < got->n_symbols; i++)
		if (!needed[i])
			fail_msg("no event needs the SYMBOL %s", got->symbols[i].name);
	tw_schema__free(schema);
	free(needed);
}

static void run_with(unsigned int threads, const struct oracle *oracle)
{
	struct run run;

	run__init(&run, EVENTS, NULL);
	run.options.threads = threads;
	run__start(&run);
	for (int i = 0; i < 40; i++)
		spawn_true();
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_true(run.counters.balanced);
	assert_int_equal(run.got.n_symbols, run.counters.symbols);
	assert_false(run.counters.symbols_hidden);
	expect_symbols(&run.got, oracle, 100);
	for (size_t i = 0; i < run.got.n_symbols; i++)
		for (size_t k = 0; k < i; k++)
			assert_true(run.got.symbols[i].address != run.got.symbols[k].address ||
				    strcmp(run.got.symbols[i].name, run.got.symbols[k].name) != 0);
	run__fini(&run);
}

static void test_before_their_events(void **state)
{
	run_with(1, *state);
	run_with(2, *state);
}

/* Checks the callers of a stack, as many as it declares. Return: number of callers with a symbol */
static size_t expect_callers(const struct receiver *got, const struct oracle *oracle, const struct tw_format *stack,
			     const struct got_event *ev)
{
	const struct tw_field *size = tw_format__find(stack, "size"), *caller = tw_format__find(stack, "caller");
	uint32_t n = 0;

	assert_non_null(size);
	assert_non_null(caller);
	assert_true(ev->len >= size->offset + sizeof(n));
	memcpy(&n, ev->record + size->offset, sizeof(n));
	assert_true(n > 0 && caller->offset + n * sizeof(uint64_t) <= ev->len);
	for (uint32_t i = 0; i < n; i++) {
		const struct got_symbol *symbol;
		uint64_t address;

		memcpy(&address, ev->record + caller->offset + i * sizeof(address), sizeof(address));
		symbol = symbol_of(got, address, ev->time);
		if (!symbol)
			fail_msg("no SYMBOL for %lx, caller %u of %u", address, i, n);
		if (!is_called(oracle, address, symbol->name))
			fail_msg("%lx is not in %s", address, symbol->name);
	}
	return n;
}

/* All callers of a stack: the format declares eight, and the kernel writes as many as there are. */
static void test_stacks(void **state)
{
	const struct tw_format *stack;
	struct tw_schema *schema;
	size_t stacks = 0, deep = 0;
	struct run run;

	run__init(&run, "sched:sched_switch", NULL);
	run.options.tracing.stacks = true;
	run__start(&run);
	for (int i = 0; i < 40; i++)
		spawn_true();
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_true(run.counters.balanced);
	schema = receiver__schema(&run.got);
	stack = tw_schema__by_name(schema, "ftrace", "kernel_stack");
	assert_non_null(stack);
	for (size_t i = 0; i < run.got.n_events; i++) {
		if (run.got.events[i].id != stack->id)
			continue;
		deep += expect_callers(&run.got, *state, stack, &run.got.events[i]) > 8;
		stacks++;
	}
	assert_true(stacks >= 40);
	assert_true(deep > 0);
	tw_schema__free(schema);
	run__fini(&run);
}

/* All symbols are repeated for late receivers. */
static void test_again(void **state)
{
	struct run run;
	size_t first = 0, again = 0;

	(void)state;
	run__init(&run, EVENTS, NULL);
	run.options.repeat_ms = 100;
	run__start(&run);
	for (int i = 0; i < 40; i++) {
		spawn_true();
		usleep(10000);
	}
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	for (size_t i = 0; i < run.got.n_symbols; i++) {
		const struct got_symbol *symbol = &run.got.symbols[i];
		size_t k = 0;

		while (run.got.symbols[k].address != symbol->address ||
		       strcmp(run.got.symbols[k].name, symbol->name) != 0)
			k++;
		assert_int_equal(run.got.symbols[k].size, symbol->size);
		first += k == i;
		again += k != i;
	}
	assert_int_equal(first, run.counters.symbols);
	assert_true(again > first / 2); /* most symbols are sent again */
	run__fini(&run);
}

/*
 * A mark has the address of the kernel's function that wrote it. kallsyms is read when the first mark occurs, and the SYMBOL precedes the
 * mark at the receiver.
 */
static void test_marker(void **state)
{
	struct run run;
	char path[256];

	run__init(&run, "sched:sched_switch", NULL);
	run__start(&run);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(write_file(run__file(&run, "trace_marker", path), 0, "a mark"), 0);
		usleep(30000);
	}
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_int_equal(run.got.n_symbols, 1);
	expect_symbols(&run.got, *state, 10);
	run__fini(&run);
}

/* Events without addresses need no symbols, and kallsyms is not read for them. */
static void test_none(void **state)
{
	struct run run;

	(void)state;
	run__init(&run, "sched:sched_switch,sched:sched_waking", NULL);
	run__start(&run);
	for (int i = 0; i < 20; i++)
		spawn_true();
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_int_equal(run.got.n_symbols, 0);
	assert_int_equal(run.counters.nameless, 0);
	run__fini(&run);
}

static int set_up(void **state)
{
	static struct oracle oracle;

	read_oracle(&oracle);
	*state = &oracle;
	return 0;
}

static int tear_down(void **state)
{
	free(((struct oracle *)*state)->lines);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_before_their_events),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_marker),
		cmocka_unit_test(test_none),
	};
	const int skip = need_tracing();

	return skip ? skip : cmocka_run_group_tests(tests, set_up, tear_down);
}
