/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A filter over a capture is bound as formats arrive, uses names by their times, and limits the work that strangers can cause. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "pcap-tools/capture/capture_filter.h"
#include "tests/stream/streams.h"

#define STREAM 1

static struct tw_filter *filter;
static struct tw_capture_filter *capture_filter;

static int setup(void **state)
{
	filter = NULL;
	capture_filter = NULL;
	return learning__setup(state);
}

static int teardown(void **state)
{
	tw_capture_filter__free(capture_filter);
	tw_filter__free(filter);
	return learning__teardown(state);
}

static void sift(const char *expression)
{
	struct tw_error err = { "" };

	tw_capture_filter__free(capture_filter);
	tw_filter__free(filter);
	if (tw_filter__parse(expression, &filter, &err) ||
	    tw_capture_filter__new(filter, streams, &capture_filter, &err))
		fail_msg("%s: %s", expression, err.text);
}

/* An event of explained__format(): its field i is @i. */
struct made_event {
	uint64_t stream, schema, time;
	uint16_t id, cpu;
	uint32_t pid, i;
	uint8_t flags; /* flags of the frame */
};

static bool wants(const struct made_event *e)
{
	uint8_t record[24] = { 0 };
	const struct tw_frame_info info = { .schema_id = e->schema, .cpu = e->cpu, .flags = e->flags };
	const struct tw_event_view view = {
		.time = e->time, .id = e->id, .pid = e->pid, .record = record, .len = sizeof(record)
	};

	if (e->flags & TW_FLAG_BODY_BE)
		tw_store_be32(record + 8, e->i);
	else
		memcpy(record + 8, &e->i, sizeof(e->i));
	return tw_capture_filter__wants(capture_filter, tw_streams__get(streams, e->stream), &info, &view);
}

static struct tw_capture_filter_stats counts(void)
{
	struct tw_capture_filter_stats stats;

	tw_capture_filter__stats(capture_filter, &stats);
	return stats;
}

static unsigned int undecided_about(const char *sentence)
{
	struct tw_undecided_predicates undecided;

	tw_capture_filter__undecided_predicates(capture_filter, &undecided);
	if (undecided.n)
		assert_string_equal(undecided.text[0].text, sentence);
	return undecided.n;
}

static void test_fields(void **state)
{
	struct made_event e = { .stream = STREAM, .schema = SCHEMA, .id = 9, .i = 5 };

	(void)state;
	learn_event(STREAM, SCHEMA, 9, "nine");
	learn_event(STREAM, SCHEMA, 10, "ten");
	sift("nine.i == 5 or event == \"ten\"");
	assert_true(wants(&e));
	e.i = 6;
	assert_false(wants(&e));
	e.id = 10;
	assert_true(wants(&e));
	e.id = 11; /* its format is unknown */
	assert_false(wants(&e));
	assert_int_equal(counts().rejected, 2);
	assert_int_equal(counts().unknown, 1);
	assert_int_equal(counts().undecided, 0);
}

/* Each frame has its own byte order, and each stream its own schemas. */
static void test_orders_and_streams(void **state)
{
	struct made_event e = { .stream = STREAM, .schema = SCHEMA, .id = 9, .i = 5 };

	(void)state;
	learn_event(STREAM, SCHEMA, 9, "nine");
	learn_event(2, SCHEMA, 9, "other");
	sift("nine.i == 5");
	for (int round = 0; round < 2; round++) {
		e.flags = round ? TW_FLAG_BODY_BE : 0;
		e.stream = STREAM;
		assert_true(wants(&e));
		e.stream = 2;
		assert_false(wants(&e));
	}
	e.stream = 3;
	assert_false(wants(&e));
	assert_int_equal(counts().unknown, 1);
}

/* Formats that arrive later are used from then on, and so is another size of long. */
static void test_formats_come(void **state)
{
	struct made_event e = { .stream = STREAM, .schema = SCHEMA, .id = 9, .i = 5 };

	(void)state;
	sift("i == 5");
	assert_false(wants(&e));
	learn_event(STREAM, SCHEMA, 10, "ten");
	assert_false(wants(&e));
	learn_event(STREAM, SCHEMA, 9, "nine");
	assert_true(wants(&e));
	assert_int_equal(counts().rejected, 2);
	assert_int_equal(counts().unknown, 2);
	sift("words == 7");
	assert_false(wants(&e));
	begin(STREAM, SCHEMA);
	tw_host__emit(&frame.f, &(struct tw_attr_view){ TW_HOST_LONG_SIZE, (const uint8_t *)"\0\0\0\0\0\0\0\4", 8 }, 1);
	learn();
	assert_false(wants(&e));
}

static void test_names(void **state)
{
	struct made_event e = { .stream = STREAM, .schema = SCHEMA, .id = 9, .pid = 7, .time = 100 };

	(void)state;
	learn_event(STREAM, SCHEMA, 9, "nine");
	learn_comm(STREAM, 7, 0, "old");
	learn_comm(STREAM, 7, 50, "new");
	sift("comm == \"new\"");
	assert_true(wants(&e));
	e.time = 49;
	assert_false(wants(&e));
	e.pid = 8; /* its name is unknown, so comm != "new" is not true either */
	sift("comm != \"new\"");
	assert_false(wants(&e));
	sift("not comm == \"new\"");
	assert_true(wants(&e));
	e.pid = 0;
	sift("comm == \"<idle>\"");
	assert_true(wants(&e));
	sift("host == \"box\"");
	assert_false(wants(&e));
	begin(STREAM, SCHEMA);
	tw_host__emit(&frame.f, &(struct tw_attr_view){ TW_HOST_NAME, (const uint8_t *)"box", 3 }, 1);
	learn();
	assert_true(wants(&e));
}

/* A search that would take for ever is given up and counted. */
static void test_given_up(void **state)
{
	struct made_event e = { .stream = STREAM, .schema = SCHEMA, .id = 9, .pid = 7, .time = 100 };

	(void)state;
	learn_event(STREAM, SCHEMA, 9, "nine");
	learn_comm(STREAM, 7, 0, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
	learn_comm(STREAM, 8, 0, "b");
	sift("comm matches \"(a+)+$\"");
	assert_false(wants(&e));
	assert_int_equal(counts().given_up, 1);
	assert_int_equal(counts().rejected, 1);
	e.pid = 8;
	assert_false(wants(&e));
	assert_int_equal(counts().given_up, 1);
}

/* Times are compared in ns, also if the clock counts ticks. */
static void test_ticks(void **state)
{
	const struct tw_attr_view attrs[] = {
		{ TW_HOST_CLOCK_MULT, (const uint8_t *)"\0\0\0\0\0\0\0\4", 8 },
		{ TW_HOST_CLOCK_SHIFT, (const uint8_t *)"\0\0\0\0\0\0\0\1", 8 },
	};
	struct made_event e = { .stream = STREAM, .schema = SCHEMA, .time = 500000000 };

	(void)state;
	begin(STREAM, SCHEMA);
	tw_host__emit(&frame.f, attrs, 2);
	learn();
	sift("time == 1");
	assert_true(wants(&e));
}

static void test_doubts(void **state)
{
	struct made_event e = { .stream = STREAM, .schema = SCHEMA, .id = 9 };

	(void)state;
	sift("cpu == 0 && ii == 5 || nine.i == 99999999999");
	assert_false(wants(&e));
	assert_int_equal(undecided_about("nothing is known yet"), 0);
	learn_event(STREAM, SCHEMA, 9, "nine");
	assert_false(wants(&e));
	assert_int_equal(undecided_about("column 13: no event has a field 'ii'; did you mean 'i'?"), 2);
	sift("nine.i == 5 && ten.i == 5");
	assert_false(wants(&e));
	assert_int_equal(undecided_about("column 16: there is no event 'ten'"), 1);
	learn_event(2, 8, 9, "ten"); /* a format of another stream, of which no event arrives */
	assert_int_equal(undecided_about(""), 0);
}

/* A comparison that is impossible for every event is an error before anything arrives. */
static void test_nonsense(void **state)
{
	static const char *const expressions[] = { "cpu == word", "comm & 3", "event & 1", "time matches \"a\"" };

	(void)state;
	for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++) {
		struct tw_error err = { "" };

		assert_int_equal(tw_filter__parse(expressions[i], &filter, &err), 0);
		assert_int_equal(tw_capture_filter__new(filter, streams, &capture_filter, &err), -EINVAL);
		assert_int_equal(strncmp(err.text, "column ", 7), 0);
		tw_filter__free(filter);
		filter = NULL;
	}
}

/* Each event comes with a new format. Binding all formats again each time would be too much work: at some point an event is undecided. */
static void test_work(void **state)
{
	struct made_event e = { .stream = STREAM, .schema = SCHEMA, .i = 5 };
	char expression[2048] = "i == 5";
	uint32_t n;

	(void)state;
	for (int i = 0; i < 100; i++)
		strcat(expression, " && i == 5");
	sift(expression);
	for (n = 0; n < 65536 && !counts().undecided; n++) {
		e.id = (uint16_t)n;
		learn_event(STREAM, SCHEMA, e.id, "event");
		assert_true(wants(&e));
	}
	assert_in_range(n, 100, 1000);
	for (uint32_t i = 0; i < 2 * TW_CAPTURE_FILTER_WORK_EVENT * n; i++)
		wants(&e);
	assert_in_range(counts().undecided, 1,
			2 * TW_CAPTURE_FILTER_WORK_EVENT * n); /* after some time, the filter may be bound again */
	e.i = 6;
	assert_false(wants(&e));
}

/* There are more schemas than are kept bound. A schema is bound again when it is used again. */
static void test_many_schemas(void **state)
{
	struct made_event e = { .stream = STREAM, .id = 9, .i = 5 };

	(void)state;
	sift("i == 5");
	for (int round = 0; round < 2; round++) {
		for (uint64_t schema = 1; schema <= 2 * TW_CAPTURE_FILTER_BOUND_MAX; schema++) {
			learn_event(STREAM, schema, 9, "nine");
			e.schema = schema;
			assert_true(wants(&e));
		}
	}
	assert_int_equal(counts().undecided, 0);
	e.i = 6;
	assert_false(wants(&e));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_fields),       TEST(test_orders_and_streams), TEST(test_formats_come),
		TEST(test_names),        TEST(test_given_up),           TEST(test_ticks),
		TEST(test_doubts),       TEST(test_nonsense),           TEST(test_work),
		TEST(test_many_schemas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
