/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table for random access to events: no item is replaced, and each keeps its position. The table uses the caller's allocator. */
#include "stream/streams.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/stream/streams.h"

static size_t allocated; /* bytes */

static void *resize(void *ctx, void *memory, size_t old_size, size_t new_size)
{
	assert_ptr_equal(ctx, &allocated);
	assert_true(old_size <= allocated);
	allocated += new_size - old_size;
	if (new_size)
		return realloc(memory, new_size);
	free(memory);
	return NULL;
}

static int setup(void **state)
{
	static const struct tw_alloc alloc = { .resize = resize, .ctx = &allocated };
	static const struct tw_streams_options options = { .alloc = &alloc,
							   .history = TW_HISTORY_ALL,
							   .keeps = true,
							   .wants =
								   TW_STREAM_WANTS_FORMATS | TW_STREAM_WANTS_COUNTERS };

	(void)state;
	streams = tw_streams__new(&options);
	return !streams;
}

static int teardown(void **state)
{
	(void)state;
	tw_streams__free(streams);
	return allocated != 0;
}

static struct tw_stream *learn_host(uint32_t position, const char *name, uint64_t long_size)
{
	uint8_t number[8];
	const struct tw_attr_view attrs[] = {
		{ .attr = TW_HOST_NAME, .value = (const uint8_t *)name, .len = strlen(name) },
		{ .attr = TW_HOST_LONG_SIZE, .value = number, .len = sizeof(number) },
	};

	tw_store_be64(number, long_size);
	tw_streams__set_position(streams, position);
	begin(1, SCHEMA);
	assert_true(tw_host__emit(&frame.f, attrs, sizeof(attrs) / sizeof(attrs[0])));
	return learn();
}

static void test_first_host_stays(void **state)
{
	static const char text[] = "name: longs\nID: 9\nformat:\n"
				   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
				   "\tfield:int i;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"%d\", REC->i\n";
	struct tw_stream *stream = learn_text(1, SCHEMA, TW_SCHEMA_EVENT, 9, text, false);
	const unsigned int long_size = tw_stream__event(stream, SCHEMA, 9)->format->long_size;

	(void)state;
	learn_host(5, "alpha", 4);
	learn_host(6, "beta", 8);
	assert_string_equal(stream->identity.host, "alpha");
	assert_int_equal(stream->host_position, 5);
	assert_int_equal(stream->long_size, 4);
	assert_int_equal(tw_stream__event(stream, SCHEMA, 9)->format->long_size, long_size);
	learn_text(1, SCHEMA, TW_SCHEMA_EVENT, 9, text, false);
	learn_text(1, SCHEMA + 1, TW_SCHEMA_EVENT, 9, text, false);
	assert_int_equal(tw_stream__event(stream, SCHEMA, 9)->format->long_size, long_size);
	assert_int_equal(tw_stream__event(stream, SCHEMA + 1, 9)->format->long_size, 4);
}

static void learn_machine(const char *machine)
{
	const struct tw_attr_view attr = { TW_HOST_MACHINE, (const uint8_t *)machine, strlen(machine) };

	begin(1, SCHEMA);
	assert_true(tw_host__emit(&frame.f, &attr, 1));
	learn();
}

/* The machine in HOST selects the names of system calls. A HOST that follows a format still sets the format's machine. */
static void test_machine(void **state)
{
	static const char text[] = "name: sys_exit\nID: 9\nformat:\n"
				   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
				   "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n\nprint fmt: \"%ld\", REC->id\n";
	struct tw_stream *stream = learn_text(1, SCHEMA, TW_SCHEMA_EVENT, 9, text, false);
	const struct tw_stream_schema *schema = tw_stream__schema(stream, SCHEMA);
	const uint32_t revision = schema->revision;

	(void)state;
	learn_machine("aarch64");
	assert_int_equal(tw_stream__event(stream, SCHEMA, 9)->format->machine, TW_MACHINE_AARCH64);
	assert_true(schema->revision > revision);
	learn_machine("x86_64"); /* the first machine is kept */
	assert_int_equal(tw_stream__event(stream, SCHEMA, 9)->format->machine, TW_MACHINE_AARCH64);
	learn_text(1, SCHEMA + 1, TW_SCHEMA_EVENT, 9, text, false);
	assert_int_equal(tw_stream__event(stream, SCHEMA + 1, 9)->format->machine, TW_MACHINE_AARCH64);
}

static void check_name(const struct tw_stream *stream, uint64_t time, const char *name, uint32_t position)
{
	const struct tw_task_name *found = tw_tasks__name(&stream->tasks, 10, time);

	if (!name) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found->name, name);
	assert_int_equal(found->position, position);
}

static struct tw_stream *learn_name(uint32_t position, uint64_t time, const char *name)
{
	tw_streams__set_position(streams, position);
	return learn_comm(1, 10, time, name);
}

static void test_names(void **state)
{
	const struct tw_stream *stream = learn_name(3, 100, "bash");

	(void)state;
	learn_name(4, 300, "cc1");
	learn_name(5, 200, "make"); /* received late */
	learn_name(6, 200, "make");
	learn_name(7, 350, "cc1");
	check_name(stream, 99, NULL, 0);
	check_name(stream, 100, "bash", 3);
	check_name(stream, 199, "bash", 3);
	check_name(stream, 200, "make", 5);
	check_name(stream, 299, "make", 5);
	check_name(stream, 300, "cc1", 4);
	check_name(stream, UINT64_MAX, "cc1", 4);
	for (uint32_t i = 0; i < TW_STREAM_ALL_TASK_NAMES_MAX; i++)
		learn_name(8 + i, 400 + i, i % 2 ? "odd" : "even");
	check_name(stream, 100, "bash", 3);
	assert_int_equal(stats_now().refused_names, tw_streams__refused(streams));
	assert_true(tw_streams__refused(streams) > 0);
}

static void learn_symbol_at(uint32_t position, uint64_t address, uint32_t size, const char *name)
{
	tw_streams__set_position(streams, position);
	learn_symbol(1, address, size, name);
}

static void check_symbol(const struct tw_stream *stream, uint64_t address, const char *name, uint32_t position)
{
	struct tw_symbol symbol;
	uint32_t found = 0;

	assert_true(tw_stream__symbol(stream, address, &symbol, &found));
	assert_string_equal(symbol.name, name);
	assert_int_equal(found, position);
}

static void test_symbols(void **state)
{
	struct tw_stream *stream = learn_name(1, 0, "a");
	struct tw_symbol symbol;
	uint32_t position;

	(void)state;
	assert_false(tw_stream__symbol(stream, 0x1234, &symbol, &position));
	learn_symbol_at(2, 0x1000, 8, "first");
	learn_symbol_at(2, 0x1000, 0x100, "wide"); /* covers more bytes */
	learn_symbol_at(3, 0x1000, 0x80, "narrow");
	for (uint32_t i = 0; i < 5000; i++)
		learn_symbol_at(4 + i, 0x2000 + i * 16, 16, "another");
	check_symbol(stream, 0x1000, "first", 2);
	check_symbol(stream, 0x1010, "wide", 2);
	assert_false(tw_stream__symbol(stream, 0x1100, &symbol, &position));
	check_symbol(stream, 0x2000 + 4999 * 16 + 15, "another", 4 + 4999);
}

static void test_texts(void **state)
{
	struct tw_stream *stream;

	(void)state;
	tw_streams__set_position(streams, 7);
	stream = learn_event(1, SCHEMA, 9, "first");
	tw_streams__set_position(streams, 8);
	learn_event(1, SCHEMA, 9, "second");
	learn_text(1, SCHEMA, TW_SCHEMA_PRINTK, 0, "0x10 : \"one\"\n", false);
	tw_streams__set_position(streams, 9);
	learn_text(1, SCHEMA, TW_SCHEMA_PRINTK, 0, "0x10 : \"one\"\n", false);
	assert_int_equal(tw_stream__event(stream, SCHEMA, 9)->position, 7);
	assert_string_equal(tw_stream__event(stream, SCHEMA, 9)->format->name, "first");
	assert_int_equal(stream->printk_position, 8);
}

/* The caller adds texts that it has decompressed. */
static void test_added_texts(void **state)
{
	struct tw_schema_view view = { .kind = TW_SCHEMA_EVENT, .event_id = 9 };
	struct tw_stream *stream = learn_name(1, 0, "a");
	struct tw_schema_text text = { .system = "made" };
	struct tw_error err = { "" };
	char format[2048];

	(void)state;
	text.len = explained__format(format, sizeof(format), 9, "added");
	text.text = format;
	assert_null(tw_stream__schema(stream, SCHEMA));
	assert_non_null(tw_stream__get_schema(stream, SCHEMA));
	assert_ptr_equal(tw_stream__schema(stream, SCHEMA), tw_stream__get_schema(stream, SCHEMA));
	assert_false(tw_stream__has_text(stream, SCHEMA, &view));
	assert_int_equal(tw_stream__add_text(stream, SCHEMA, &view, &text, &err), 0);
	assert_true(tw_stream__has_text(stream, SCHEMA, &view));
	assert_string_equal(tw_stream__event(stream, SCHEMA, 9)->format->name, "added");
	view.event_id = 10;
	assert_int_equal(tw_stream__add_text(stream, SCHEMA, &view, &text, &err), -EINVAL);
	assert_non_null(strstr(err.text, "has id 9, but its record has id 10"));
	assert_true(tw_streams__take(streams, TW_STREAMS_MEMORY_MAX - stats_now().memory));
	assert_false(tw_streams__take(streams, 1));
	text.len = explained__format(format, sizeof(format), 10, "too much");
	assert_int_equal(tw_stream__add_text(stream, SCHEMA, &view, &text, &err), -ENOSPC);
	view.kind = TW_SCHEMA_PRINTK;
	assert_int_equal(tw_stream__add_text(stream, SCHEMA, &view, &text, &err), -ENOSPC);
	assert_int_equal(tw_streams__refused(streams), 0);
	assert_null(tw_streams__get(streams, 2));
}

/* Many streams with events, symbols, task names and counters: the caller's allocator provides all memory, and gets it back. */
static void test_memory(void **state)
{
	const struct tw_stat_view stat = { .stat = TW_STAT_READ, .channel = 1, .value = 5 };

	(void)state;
	for (uint64_t id = 1; id <= 500; id++) {
		learn_event(id, SCHEMA, 9, "e");
		learn_event(id, SCHEMA + 1, 0x909, "e");
		learn_symbol(id, 0x1000, 8, "symbol");
		learn_comm(id, 1, 100, "a");
		learn_comm(id, 1, 50, "b");
		begin(id, SCHEMA);
		assert_true(tw_stats__emit(&frame.f, &stat, 1));
		learn();
	}
	assert_int_equal(tw_streams__count(streams), 500);
	assert_true(allocated > 500 * sizeof(struct tw_stream));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_first_host_stays), TEST(test_machine), TEST(test_names), TEST(test_symbols), TEST(test_texts),
		TEST(test_added_texts),      TEST(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
