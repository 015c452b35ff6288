/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of a capture update the state of its streams. */
#include "stream/streams.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/stream/streams.h"

/* A format whose text depends on the size of a long, and whose fields do not show this size. */
static const char sizeof_long[] =
	"name: longs\nID: 9\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:int i;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"%d\", (int)sizeof(long)\n";

static void check_text(struct tw_stream *stream, uint64_t schema_id, uint16_t id, const char *expected)
{
	const uint8_t bytes[24] = { [8] = 5, [16] = 0x34, [17] = 0x12 };
	const struct tw_record record = { .data = bytes, .len = sizeof(bytes) };
	struct tw_stream_event *event = tw_stream__event(stream, schema_id, id);
	const struct tw_print *print;
	struct tw_line line;
	char text[256];

	assert_non_null(event);
	print = tw_stream__print(stream, event);
	assert_non_null(print);
	assert_ptr_equal(tw_stream__print(stream, event), print);
	line = tw_line__on(text, sizeof(text) - 1);
	tw_print__run(print, &record, &stream->print_host, &line);
	*line.at = '\0';
	assert_string_equal(text, expected);
}

static void add_host(const char *name, uint64_t cpus, uint64_t long_size)
{
	uint8_t numbers[2][8];
	const struct tw_attr_view attrs[] = {
		{ .attr = TW_HOST_NAME, .value = (const uint8_t *)name, .len = strlen(name) },
		{ .attr = 999, .value = numbers[0], .len = 3 },
		{ .attr = TW_HOST_CPUS, .value = numbers[0], .len = 8 },
		{ .attr = TW_HOST_LONG_SIZE, .value = numbers[1], .len = 8 },
	};

	tw_store_be64(numbers[0], cpus);
	tw_store_be64(numbers[1], long_size);
	assert_true(tw_host__emit(&frame.f, attrs, sizeof(attrs) / sizeof(attrs[0])));
}

static struct tw_stream *learn_host(const char *name, uint64_t cpus, uint64_t long_size)
{
	begin(1, SCHEMA);
	add_host(name, cpus, long_size);
	return learn();
}

/* Each text of HOST is cut to the size of its member in struct tw_identity, which includes a NUL. */
static void test_long_texts(void **state)
{
	static const uint16_t texts[] = { TW_HOST_NAME, TW_HOST_INSTANCE, TW_HOST_RELEASE, TW_HOST_MACHINE,
					  TW_HOST_OS };
	struct tw_attr_view attrs[sizeof(texts) / sizeof(texts[0])];
	const struct tw_identity *identity;
	uint8_t text[300];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		attrs[i] = (struct tw_attr_view){ .attr = texts[i], .value = text, .len = sizeof(text) };
	begin(1, SCHEMA);
	assert_true(tw_host__emit(&frame.f, attrs, sizeof(attrs) / sizeof(attrs[0])));
	identity = &learn()->identity;
	assert_int_equal(strlen(identity->host), 127);
	assert_int_equal(strlen(identity->instance), 127);
	assert_int_equal(strlen(identity->release), 127);
	assert_int_equal(strlen(identity->machine), 63);
	assert_int_equal(strlen(identity->os), 127);
}

static void test_host(void **state)
{
	struct tw_stream *stream = learn_host("alpha", 6, 0);

	(void)state;
	assert_true(stream->has_host);
	assert_string_equal(stream->identity.host, "alpha");
	assert_int_equal(stream->identity.cpus, 6);
	assert_int_equal(stream->long_size, 0);
	learn_host("be\x1bta", 4, 16);
	assert_string_equal(stream->identity.host, "be\\x1bta");
	assert_int_equal(stream->identity.cpus, 4);
	assert_int_equal(stream->long_size, 0);
	assert_int_equal(stats_now().malformed, 0);
}

/* When the size of a long becomes known, print programs that were made before are freed, and made again when they are needed. */
static void test_long_size(void **state)
{
	struct tw_stream *stream = learn_text(1, SCHEMA, TW_SCHEMA_EVENT, 9, sizeof_long, false);
	const size_t before = stats_now().memory;

	(void)state;
	check_text(stream, SCHEMA, 9, "8");
	assert_true(stats_now().memory > before);
	learn_host("a", 1, 4);
	assert_int_equal(stream->long_size, 4);
	assert_int_equal(stats_now().memory, before);
	check_text(stream, SCHEMA, 9, "4");
	learn_host("a", 1, 8); /* the first HOST is kept */
	assert_int_equal(stream->long_size, 4);
	check_text(stream, SCHEMA, 9, "4");
	learn_text(1, SCHEMA + 1, TW_SCHEMA_EVENT, 9, sizeof_long, false); /* a format that arrives after HOST */
	check_text(stream, SCHEMA + 1, 9, "4");
}

static struct tw_stream *learn_clock(uint32_t valid, uint64_t trace, uint64_t real)
{
	const struct tw_clock_view clock = { .valid = valid,
					     .reading = { [TW_CLOCK_TRACE] = trace, [TW_CLOCK_REAL] = real } };

	begin(1, SCHEMA);
	assert_true(tw_clock__emit(&frame.f, &clock));
	return learn();
}

static void test_clock(void **state)
{
	const uint32_t both = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL;
	struct tw_stream *stream = learn_clock(1u << TW_CLOCK_TRACE, 5, 0);

	(void)state;
	assert_false(stream->has_wall);
	learn_clock(1u << TW_CLOCK_REAL, 0, 7);
	assert_false(stream->has_wall);
	learn_clock(both, 100, 90); /* a clock ahead of the wall clock */
	assert_true(stream->has_wall);
	assert_int_equal(tw_stream__wall_offset(stream) + 100, 90);
	learn_clock(both, 100, 5000);
	assert_int_equal(tw_stream__wall_offset(stream) + 100, 90);
}

static void check_name(const struct tw_stream *stream, uint32_t pid, uint64_t time, const char *expected)
{
	size_t len = 0;
	const char *name = tw_stream__task(stream, pid, time, &len);

	if (!expected) {
		assert_null(name);
		return;
	}
	assert_non_null(name);
	assert_int_equal(len, strlen(expected));
	assert_string_equal(name, expected);
}

/* A producer sends the task names of a round before the events of this round. Older names of a task are therefore kept, up to a limit. */
static void test_many_renames(void **state)
{
	struct tw_stream *stream = NULL;
	char name[16];

	(void)state;
	for (unsigned int i = 0; i <= TW_STREAM_TASK_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "name%u", i);
		stream = learn_comm(1, 10, 100 + i, name);
	}
	for (unsigned int i = 0; i <= TW_STREAM_TASK_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "name%u", i);
		check_name(stream, 10, 100 + i, name);
	}
	learn_comm(1, 10, 500, "one too many");
	check_name(stream, 10, 100 + TW_STREAM_TASK_NAMES_MAX, "name128");
	check_name(stream, 10, 100, "name64");
	assert_int_equal(stats_now().memory, sizeof(*stream) + tw_tasks__memory(&stream->tasks));
	learn_comm(1, 10, 20000000000, "much later");
	learn_comm(1, 10, 40000000000, "later yet");
	check_name(stream, 10, 20000000000, "much later");
	check_name(stream, 10, 500, "much later");
	assert_int_equal(stream->tasks.older, sizeof(struct tw_task_name));
}

static void test_renames(void **state)
{
	struct tw_stream *stream = learn_comm(1, 10, 100, "bash");

	(void)state;
	check_name(stream, 11, 100, NULL);
	check_name(stream, 10, 50, "bash"); /* the earliest known name */
	learn_comm(1, 10, 200, "make");
	check_name(stream, 10, 199, "bash");
	check_name(stream, 10, 200, "make");
	learn_comm(1, 10, 100, "bash"); /* repeated after the task was renamed */
	learn_comm(1, 10, 0, "older");
	learn_comm(1, 10, 300, "make");
	check_name(stream, 10, 150, "bash");
	check_name(stream, 10, 250, "make");
	learn_comm(1, 10, 400, "cc1");
	check_name(stream, 10, 399, "make");
	check_name(stream, 10, 400, "cc1");
	learn_comm(1, 10, 500, ""); /* prctl() and the kernel's filters accept an empty name */
	check_name(stream, 10, 500, "");
	learn_comm(2, 10, 0, "other");
	check_name(stream, 10, 400, "cc1");
	check_name(tw_streams__get(streams, 2), 10, 400, "other");
}

static void test_longest_name(void **state)
{
	char name[TW_COMM_MAX + 8];
	struct tw_stream *stream;

	(void)state;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	stream = learn_comm(1, 1, 0, name);
	name[TW_COMM_MAX - 1] = '\0';
	check_name(stream, 1, 0, name);
}

/* More tasks than the table has room for at first. */
static void test_many_tasks(void **state)
{
	const uint32_t n = 20000;
	struct tw_stream *stream = NULL;
	char name[16];

	(void)state;
	for (uint32_t pid = 0; pid < n; pid++) {
		snprintf(name, sizeof(name), "task%u", pid);
		stream = learn_comm(1, pid, 100, name);
		if (pid % 3 == 0)
			learn_comm(1, pid, 200, "renamed");
	}
	for (uint32_t pid = 0; pid < n; pid++) {
		snprintf(name, sizeof(name), "task%u", pid);
		check_name(stream, pid, 150, name);
		check_name(stream, pid, 200, pid % 3 ? name : "renamed");
	}
	check_name(stream, n, 100, NULL);
	assert_int_equal(stream->tasks.by_pid.n, n);
	assert_int_equal(stats_now().memory, sizeof(*stream) + tw_tasks__memory(&stream->tasks));
	assert_int_equal(stats_now().refused_names, 0);
}

static void test_symbols(void **state)
{
	struct tw_stream *stream = learn_event(1, SCHEMA, 9, "e");
	struct tw_symbol symbol;
	size_t memory;

	(void)state;
	check_text(stream, SCHEMA, 9, "i=5 at=0x1234 {0x1234}");
	learn_symbol(1, 0x1230, 8, "first");
	check_text(stream, SCHEMA, 9, "i=5 at=first+0x4 {0x1234}");
	memory = stats_now().memory;
	for (int i = 0; i < 5000; i++) {
		learn_symbol(1, 0x1230, 8, "first");  /* repeated for late receivers */
		learn_symbol(1, 0x1230, 8, "second"); /* the first name is kept */
	}
	assert_int_equal(stats_now().memory, memory);
	learn_symbol(1, 0x1230, 0x10000, "wide"); /* also covers addresses after the end of "first" */
	check_text(stream, SCHEMA, 9, "i=5 at=first+0x4 {0x1234}");
	assert_true(tw_symbols__find(stream->print_host.symbols, 0x1240, &symbol));
	assert_string_equal(symbol.name, "wide");
	learn_symbol(1, 0x1234, 0, "");
	learn_symbol(2, 0x1234, 4, "other host's");
	check_text(stream, SCHEMA, 9, "i=5 at=first+0x4 {0x1234}");
	assert_int_equal(stats_now().refused_names, 0);
}

static void test_schema(void **state)
{
	char text[2048];
	struct tw_stream *stream;
	struct tw_stream_event *event;
	size_t memory;

	(void)state;
	assert_true(explained__format(text, sizeof(text), 9, "packed") > 0);
	stream = learn_text(1, SCHEMA, TW_SCHEMA_EVENT, 9, text, true);
	event = tw_stream__event(stream, SCHEMA, 9);
	assert_non_null(event);
	assert_string_equal(event->format->name, "packed");
	assert_string_equal(event->format->system, "made");
	learn_event(1, SCHEMA, 0x1009, "plain");
	assert_string_equal(tw_stream__event(stream, SCHEMA, 0x1009)->format->name, "plain");
	check_text(stream, SCHEMA, 0x1009, "i=5 at=0x1234 {0x1234}");
	memory = stats_now().memory;
	for (int i = 0; i < 100; i++) { /* repeated: no more memory is used, nothing is replaced */
		learn_text(1, SCHEMA, TW_SCHEMA_EVENT, 9, text, true);
		learn_event(1, SCHEMA, 9, "another");
	}
	assert_int_equal(stats_now().memory, memory);
	assert_ptr_equal(tw_stream__event(stream, SCHEMA, 9), event);
	assert_string_equal(event->format->name, "packed");
	assert_null(tw_stream__event(stream, SCHEMA, 10));
	assert_null(tw_stream__event(stream, SCHEMA, 0x2009));
	assert_int_equal(stats_now().refused_texts, 0);
}

static void put_record(const struct tw_schema_view *record)
{
	begin(1, SCHEMA);
	assert_true(tw_schema_tlv__emit(&frame.f, record));
	learn();
}

/* A group of formats and strings arrives truncated, then complete, then again. */
static void test_group(void **state)
{
	static char texts[3][2048];
	const struct tw_schema_source sources[] = {
		{ TW_SCHEMA_PRINTK, 0, { "", "0x10 : \"one\"\n", 13 } },
		{ TW_SCHEMA_EVENT, 9, { "made", texts[0], (size_t)explained__format(texts[0], 2048, 9, "first") } },
		{ TW_SCHEMA_EVENT, 10, { "made", texts[1], (size_t)explained__format(texts[1], 2048, 11, "wrong") } },
		{ TW_SCHEMA_EVENT, 12, { "made", texts[2], (size_t)explained__format(texts[2], 2048, 12, "last") } },
	};
	struct tw_schema_records records;
	struct tw_stream *stream;
	struct tw_schema_view cut;
	size_t memory;

	(void)state;
	assert_int_equal(tw_schema_records__make(sources, 4, &records, NULL), 0);
	assert_int_equal(records.n, 1);
	cut = records.items[0];
	cut.len /= 2;
	put_record(&cut);
	assert_int_equal(stats_now().refused_texts, 1);
	put_record(&records.items[0]);
	stream = learn_comm(1, 1, 0, "a");
	assert_string_equal(tw_stream__event(stream, SCHEMA, 9)->format->name, "first");
	assert_string_equal(tw_stream__event(stream, SCHEMA, 12)->format->name, "last");
	assert_string_equal(tw_strings__find(stream->print_host.strings, 0x10), "one");
	assert_null(tw_stream__event(stream, SCHEMA, 10)); /* its text has another id */
	assert_int_equal(stats_now().refused_texts, 2);
	assert_false(tw_stream__has_whole(stream, SCHEMA));
	memory = stats_now().memory;
	put_record(&records.items[0]);
	assert_int_equal(stats_now().memory, memory);
	tw_schema_records__fini(&records);
}

/* A schema is complete when all its own texts have arrived. Texts of another schema do not count. */
static void test_whole(void **state)
{
	static char texts[2][2048], page[9000];
	const struct tw_schema_source sources[] = {
		{ TW_SCHEMA_HEADER_PAGE, 0, { "", page, sizeof(page) } }, /* too large for a group */
		{ TW_SCHEMA_EVENT, 9, { "made", texts[0], (size_t)explained__format(texts[0], 2048, 9, "first") } },
		{ TW_SCHEMA_EVENT, 12, { "made", texts[1], (size_t)explained__format(texts[1], 2048, 12, "last") } },
	};
	struct tw_stream *stream = learn_text(1, SCHEMA + 1, TW_SCHEMA_HEADER_PAGE, 0, "page", false);
	struct tw_schema_records records;

	(void)state;
	assert_int_equal(tw_schema_records__make(sources, 3, &records, NULL), 0);
	assert_int_equal(records.n, 2);
	put_record(&records.items[1]);
	assert_non_null(tw_stream__event(stream, SCHEMA, 12));
	assert_false(tw_stream__has_whole(stream, SCHEMA));
	put_record(&records.items[0]);
	assert_true(tw_stream__has_whole(stream, SCHEMA));
	assert_false(tw_stream__has_whole(stream, SCHEMA + 1));
	assert_int_equal(stats_now().refused_texts, 0);
	tw_schema_records__fini(&records);
}

/* header_page, header_event and future kinds are not events. */
static void test_other_kinds(void **state)
{
	const struct tw_stream *stream = learn_text(1, SCHEMA, TW_SCHEMA_HEADER_PAGE, 0, "no format", false);
	const struct tw_streams_stats before = stats_now();

	(void)state;
	learn_text(1, SCHEMA, TW_SCHEMA_HEADER_EVENT, 0, "no format", true);
	learn_text(1, SCHEMA, 200, 0, "no format", false);
	assert_null(stream->schemas);
	assert_int_equal(stats_now().memory, before.memory);
	assert_int_equal(stats_now().refused_texts, 0);
}

static void test_strings(void **state)
{
	struct tw_stream *stream = learn_text(1, SCHEMA, TW_SCHEMA_PRINTK, 0, "0x10 : \"one\\n\"\n", false);
	size_t memory = stats_now().memory;

	(void)state;
	assert_string_equal(tw_strings__find(stream->print_host.strings, 0x10), "one\n");
	learn_text(1, SCHEMA, TW_SCHEMA_PRINTK, 0, "0x10 : \"one\\n\"\n", false);
	assert_int_equal(stats_now().memory, memory);
	learn_text(1, SCHEMA, TW_SCHEMA_PRINTK, 0, "0x10 : \"uno\"\n0x20 : \"two\"\n",
		   true); /* of a module that was loaded later */
	assert_string_equal(tw_strings__find(stream->print_host.strings, 0x10), "uno");
	assert_string_equal(tw_strings__find(stream->print_host.strings, 0x20), "two");
	assert_int_equal(stats_now().memory, sizeof(*stream) + tw_strings__memory(stream->strings));
	assert_null(learn_comm(2, 1, 0, "x")->print_host.strings);
	assert_int_equal(stats_now().refused_texts, 0);
}

/* Ids are unique only within their stream and schema. */
static void test_streams_and_schemas(void **state)
{
	struct tw_stream *one = learn_event(100, 7, 9, "one-seven"), *two = learn_event(200, 7, 9, "two-seven");

	(void)state;
	learn_event(100, 8, 9, "one-eight");
	learn_event(100, 8, 10, "one-ten");
	assert_int_equal(tw_streams__count(streams), 2);
	assert_ptr_equal(tw_streams__first(streams), one);
	assert_ptr_equal(one->next, two);
	assert_null(two->next);
	assert_int_equal(one->number, 0);
	assert_int_equal(two->number, 1);
	for (int i = 0; i < 2; i++) {
		assert_ptr_equal(tw_streams__get(streams, 100), one);
		assert_string_equal(tw_stream__event(one, 7, 9)->format->name, "one-seven");
		assert_string_equal(tw_stream__event(one, 8, 9)->format->name, "one-eight");
		assert_null(tw_stream__event(one, 7, 10));
		assert_null(tw_stream__event(one, 9, 9));
		assert_ptr_equal(tw_streams__get(streams, 200), two);
		assert_string_equal(tw_stream__event(two, 7, 9)->format->name, "two-seven");
		assert_null(tw_stream__event(two, 8, 9));
	}
}

static void test_stats(void **state)
{
	const struct tw_stat_view stats[] = {
		{ .stat = TW_STAT_RECORDED, .value = 5 },
		{ .stat = TW_STAT_RECORDED, .channel = 1, .value = 77 },
		{ .stat = 16, .value = 88 },
		{ .stat = 0xffff, .value = 99 },
		{ .stat = TW_STAT_OVERRUN, .value = 6 },
	};
	const struct tw_stream *stream;

	(void)state;
	begin(1, SCHEMA);
	assert_true(tw_stats__emit(&frame.f, stats, sizeof(stats) / sizeof(stats[0])));
	stream = learn();
	assert_int_equal(stream->stats[TW_STAT_RECORDED], 5);
	assert_int_equal(stream->stats[TW_STAT_OVERRUN], 6);
	assert_int_equal(stats_now().malformed, 0);
}

static void test_no_room(void **state)
{
	const struct tw_streams_options few = { .known = 2, .keeps = true },
					little = { .keeps = true, .memory = sizeof(struct tw_stream) };
	struct tw_streams *table = tw_streams__new(&few);
	struct tw_stream *stream;

	(void)state;
	assert_int_equal(tw_streams__live(table, 1, 0, &stream), 0);
	assert_non_null(tw_streams__get(table, 2));
	assert_int_equal(tw_streams__live(table, 3, 0, &stream), -ENOSPC);
	assert_int_equal(tw_streams__live(table, 2, 0, &stream), 0);
	assert_int_equal(stream->id, 2);
	tw_streams__free(table);
	table = tw_streams__new(&little);
	assert_int_equal(tw_streams__live(table, 1, 0, &stream), 0);
	assert_int_equal(tw_streams__live(table, 2, 0, &stream), -ENOMEM);
	tw_streams__free(table);
}

/* Times of streams of one machine and clock can be compared. For streams of two machines, both times of day must be known. */
static void test_since(void **state)
{
	struct tw_stream first = { .identity = { .host = "a", .clock = "local" } }, other = first;
	int64_t since;

	(void)state;
	assert_false(tw_stream__since(&first, 7, NULL, 5, &since));
	assert_true(tw_stream__since(&first, 5, &first, 7, &since));
	assert_int_equal(since, -2);
	assert_true(tw_stream__since(&other, 7, &first, 5, &since));
	assert_int_equal(since, 2);
	strcpy(other.identity.clock, "mono");
	assert_false(tw_stream__since(&other, 7, &first, 5, &since));
	strcpy(other.identity.clock, "local");
	strcpy(other.identity.host, "b");
	assert_false(tw_stream__since(&other, 7, &first, 5, &since));
	other.has_wall = true;
	other.first_wall = 1000;
	assert_false(tw_stream__since(&other, 7, &first, 5, &since));
	first.has_wall = true;
	first.first_wall = 3000;
	assert_true(tw_stream__since(&other, 7, &first, 5, &since));
	assert_int_equal(since, -1998);
	strcpy(first.identity.clock, "counter");
	assert_false(tw_stream__since(&other, 7, &first, 5, &since));
	first.identity.host[0] = other.identity.host[0] = '\0';
	other.has_wall = false;
	strcpy(other.identity.clock, "counter");
	assert_false(tw_stream__since(&other, 7, &first, 5, &since));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, learning__setup, learning__teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_host),         TEST(test_long_texts), TEST(test_long_size),
		TEST(test_clock),        TEST(test_renames),    TEST(test_many_renames),
		TEST(test_longest_name), TEST(test_many_tasks), TEST(test_symbols),
		TEST(test_schema),       TEST(test_group),      TEST(test_whole),
		TEST(test_other_kinds),  TEST(test_strings),    TEST(test_streams_and_schemas),
		TEST(test_stats),        TEST(test_no_room),    TEST(test_since),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
