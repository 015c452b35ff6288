/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Untrusted metadata of streams: values in parts, wrong lengths, more than is kept. */
#include "stream/streams.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/stream/streams.h"

static void assert_says(const struct tw_error *err, const char *words)
{
	if (!strstr(err->text, words))
		fail_msg("'%s' says nothing of '%s'", err->text, words);
}

/* The format of an event, as the value of a SCHEMA. Return: its length */
static uint32_t lay_out(uint8_t *value, size_t size, uint16_t id)
{
	char text[2048];
	uint8_t payload[4096];
	const size_t len = explained__format(text, sizeof(text), id, "parted");
	const struct tw_schema_view view =
		explained__schema(TW_SCHEMA_EVENT, id, text, len, false, payload, sizeof(payload));

	assert_true(len && TW_SCHEMA_HEAD + view.len <= size);
	tw_schema_tlv__lay_out(value, &view);
	return (uint32_t)(TW_SCHEMA_HEAD + view.len);
}

/* Passes the piece of @value that begins at @offset to the stream. Return: the offset of the next piece */
static uint32_t learn_part(uint64_t stream, uint16_t inner, const uint8_t *value, uint32_t total, uint32_t offset)
{
	size_t n;

	begin(stream, SCHEMA);
	frame.f.cap = 256;
	n = tw_frame__add_part(&frame.f, (enum tw_tlv_type)inner, 77, value, total, offset);
	assert_true(n > 0);
	learn();
	return offset + (uint32_t)n;
}

static void test_parts(void **state)
{
	uint8_t value[4096];
	const uint32_t total = lay_out(value, sizeof(value), 9);
	struct tw_stream *one = learn_comm(1, 1, 0, "a"), *two = learn_comm(2, 1, 0, "b");
	uint32_t pieces = 0;

	(void)state;
	for (uint32_t at = 0, next; at < total; at = next, pieces++) {
		assert_null(tw_stream__event(one, SCHEMA, 9));
		assert_null(tw_stream__event(two, SCHEMA, 9));
		next = learn_part(1, TW_TLV_SCHEMA, value, total, at);
		learn_part(2, TW_TLV_SCHEMA, value, total, at);
	}
	assert_true(pieces > 1);
	assert_string_equal(tw_stream__event(one, SCHEMA, 9)->format->name, "parted");
	assert_string_equal(tw_stream__event(two, SCHEMA, 9)->format->name, "parted");
	assert_int_equal(stats_now().incomplete, 0);
	assert_int_equal(stats_now().malformed, 0);
}

static void test_part_missing(void **state)
{
	uint8_t value[4096];
	const uint32_t total = lay_out(value, sizeof(value), 9);
	struct tw_stream *stream = learn_comm(1, 1, 0, "a");
	uint32_t at = learn_part(1, TW_TLV_SCHEMA, value, total, 0);

	(void)state;
	at = learn_part(1, TW_TLV_SCHEMA, value, total, at + 16);
	while (at < total)
		at = learn_part(1, TW_TLV_SCHEMA, value, total, at);
	assert_null(tw_stream__event(stream, SCHEMA, 9));
	assert_true(stats_now().incomplete >= 1);
	for (at = 0; at < total;) /* all pieces are sent again */
		at = learn_part(1, TW_TLV_SCHEMA, value, total, at);
	assert_non_null(tw_stream__event(stream, SCHEMA, 9));
}

/* Pieces of events are left to the readers of events. A COMM whose pieces are valid can be malformed when it is reassembled. */
static void test_parts_of_others(void **state)
{
	static const uint8_t value[512];
	uint32_t at;

	(void)state;
	for (at = 0; at < sizeof(value);)
		at = learn_part(1, TW_TLV_EVENT, value, sizeof(value), at);
	assert_int_equal(stats_now().incomplete, 0);
	assert_int_equal(stats_now().malformed, 0);
	for (at = 0; at < sizeof(value);) /* a name of 496 bytes */
		at = learn_part(1, TW_TLV_COMM, value, sizeof(value), at);
	assert_int_equal(stats_now().malformed, 1);
}

/* The record and the line "ID:" of its text have different ids. In this case, the text was once used after it was freed. */
static void test_other_id(void **state)
{
	char text[2048];
	struct tw_stream *stream;
	struct tw_streams_stats stats;

	(void)state;
	assert_true(explained__format(text, sizeof(text), 9, "lies") > 0);
	for (int i = 0; i < 2; i++)
		stream = learn_text(1, SCHEMA, TW_SCHEMA_EVENT, 10, text, i);
	assert_null(tw_stream__event(stream, SCHEMA, 9));
	assert_null(tw_stream__event(stream, SCHEMA, 10));
	stats = stats_now();
	assert_int_equal(stats.refused_texts, 2);
	assert_int_equal(stats.memory, sizeof(*stream));
	assert_string_equal(stats.text.text, "the format text of event made:lies has id 9, but its record has id 10");
}

/* The reason for the first refused text is kept, even if a symbol was refused before it. Its control characters are escaped. */
static void test_why(void **state)
{
	static char name[600];
	struct tw_streams_stats stats;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	learn_symbol(1, 0x1000, 4, name);
	stats = stats_now();
	assert_int_equal(stats.refused_names, 1);
	assert_string_equal(stats.text.text, "");
	learn_text(1, SCHEMA, TW_SCHEMA_EVENT, 9, "name: \x1b[2Jx\x7f\nID: 9\nformat:\n\tfield:nothing\n", false);
	learn_text(1, SCHEMA, TW_SCHEMA_EVENT, 9, "nothing at all", false);
	stats = stats_now();
	assert_int_equal(stats.refused_texts, 2);
	assert_says(&stats.first, "symbols");
	assert_says(&stats.text, "\\x1b[2Jx\\x7f");
}

static void learn_schema_value(struct tw_stream *stream, uint32_t raw_length, uint8_t encoding, const char *data,
			       size_t len)
{
	const struct tw_schema_view view = {
		.event_id = 9,
		.total = 1,
		.raw_length = raw_length,
		.encoding = encoding,
		.data = (const uint8_t *)data,
		.len = len,
	};
	uint8_t value[256];

	assert_true(TW_SCHEMA_HEAD + len <= sizeof(value));
	tw_schema_tlv__lay_out(value, &view);
	learn_value(stream, TW_TLV_SCHEMA, value, TW_SCHEMA_HEAD + len);
}

/* Wrong lengths in the payload of a SCHEMA. */
static void test_lying_schema(void **state)
{
	const uint32_t lengths[] = { 0, 1, 4, 6, TW_SCHEMA_RAW_MAX, TW_SCHEMA_RAW_MAX + 1, UINT32_MAX };
	struct tw_stream *stream = learn_comm(1, 1, 0, "a");
	const size_t memory = stats_now().memory;
	uint64_t refused = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		for (uint8_t encoding = 0; encoding < 3; encoding++) {
			learn_schema_value(stream, lengths[i], encoding, "s\0abc", 5);
			learn_schema_value(stream, lengths[i], encoding, NULL, 0);
			refused += 2;
		}
	}
	learn_schema_value(stream, 5, TW_ENCODING_PLAIN, "noNUL", 5);
	assert_int_equal(stats_now().refused_texts, refused + 1);
	assert_int_equal(stats_now().malformed, 0);
	assert_int_equal(stats_now().memory, memory);
	assert_non_null(strstr(stats_now().text.text, "the range is 1 to"));
}

/* Each type of record with each length, in memory of exactly this length. */
static void test_short(void **state)
{
	static const struct {
		uint16_t type;
		size_t least, most; /* size of a value, bytes */
	} records[] = {
		{ TW_TLV_SCHEMA, 16, SIZE_MAX }, { TW_TLV_CLOCK, 60, SIZE_MAX }, { TW_TLV_COMM, 20, 20 + TW_COMM_MAX },
		{ TW_TLV_SYMBOL, 12, SIZE_MAX }, { TW_TLV_PART, 17, SIZE_MAX },
	};
	struct tw_stream *stream = learn_comm(1, 1, 0, "a");
	uint8_t value[128];

	(void)state;
	memset(value, 'x', sizeof(value));
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		for (size_t len = 0; len <= sizeof(value); len++) {
			const uint64_t before = stats_now().malformed;
			const bool fits = len >= records[i].least && len <= records[i].most;

			if (records[i].type == TW_TLV_PART && len >= 16)
				tw_store_be32(value + 8, 16); /* the total: only a piece of 1 to 16 bytes is valid */
			memset(value + 12, 0, 4);
			if (records[i].type == TW_TLV_CLOCK && len >= 68)
				tw_store_be16(value + 66, 0); /* the number of PHCs that follow */
			learn_value(stream, records[i].type, value, len);
			if (records[i].type == TW_TLV_PART)
				assert_int_equal(stats_now().malformed - before, len < 17 || len > 32);
			else
				assert_int_equal(stats_now().malformed - before, !fits);
		}
	}
}

static void test_lying_lists(void **state)
{
	/* Each row: a valid attribute, then one whose length is less than its header (3, 0) or extends too far (5, 0xffff). */
	static const uint8_t hosts[][12] = {
		{ 0, TW_HOST_NAME, 0, 6, 'o', 'k', 0, 0, 0, TW_HOST_OS, 0, 3 },
		{ 0, TW_HOST_NAME, 0, 6, 'o', 'k', 0, 0, 0, TW_HOST_OS, 0, 5 },
		{ 0, TW_HOST_NAME, 0, 6, 'o', 'k', 0, 0, 0, TW_HOST_OS, 0xff, 0xff },
		{ 0, TW_HOST_NAME, 0, 6, 'o', 'k', 0, 0, 0, TW_HOST_OS, 0, 0 },
	};
	static const uint8_t stats[23] = { 0, TW_STAT_READ, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, TW_STAT_SENT_BYTES };
	struct tw_stream *stream = learn_comm(1, 1, 0, "a");
	uint64_t malformed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		memset(&stream->identity, 0, sizeof(stream->identity));
		learn_value(stream, TW_TLV_HOST, hosts[i], sizeof(hosts[i]));
		assert_string_equal(stream->identity.host, "ok"); /* the attribute before it is kept */
		assert_string_equal(stream->identity.os, "");
		assert_int_equal(stats_now().malformed, ++malformed);
	}
	learn_value(stream, TW_TLV_HOST, NULL, 0);
	learn_value(stream, TW_TLV_STATS, NULL, 0);
	assert_int_equal(stats_now().malformed, malformed);
	learn_value(stream, TW_TLV_STATS, stats, sizeof(stats));
	assert_int_equal(stream->stats[TW_STAT_READ], 3);
	assert_int_equal(stats_now().malformed, malformed + 1);
}

/* A task that does not fit is refused. Tasks in the table can still be renamed. */
static void test_full_task_table(void **state)
{
	struct tw_comm_view comm = { .pid = 1, .name = (const uint8_t *)"one", .len = 3 };
	struct tw_tasks table;

	(void)state;
	tw_tasks__init(&table, TW_HISTORY_LATEST, NULL);
	assert_int_equal(tw_tasks__add(&table, &comm, 1, 100), -E2BIG);
	assert_int_equal(tw_tasks__memory(&table), 0);
	assert_null(tw_tasks__name(&table, 1, 0));
	for (comm.pid = 1; !tw_tasks__add(&table, &comm, 1, table.by_pid.n ? 0 : 1u << 20); comm.pid++)
		;
	assert_int_equal(table.by_pid.n, comm.pid - 1);
	assert_null(tw_tasks__name(&table, comm.pid, 0));
	comm = (struct tw_comm_view){ .pid = 5, .time = 9, .name = (const uint8_t *)"five", .len = 4 };
	assert_int_equal(tw_tasks__add(&table, &comm, 2, 0), 0);
	assert_string_equal(tw_tasks__name(&table, 5, 9)->name, "five");
	assert_int_equal(tw_tasks__name(&table, 5, 9)->position, 2);
	assert_string_equal(tw_tasks__name(&table, 6, 9)->name, "one");
	assert_int_equal(tw_tasks__name(&table, 6, 9)->position, 1);
	tw_tasks__fini(&table);
}

static void name_at(struct tw_tasks *tasks, uint64_t time, const char *name, uint32_t position)
{
	const struct tw_comm_view comm = { .pid = 7, .time = time, .name = (const uint8_t *)name, .len = strlen(name) };

	assert_int_equal(tw_tasks__add(tasks, &comm, position, SIZE_MAX), 0);
}

/* A table with all history finds the name of a task at any time. Names may also arrive after names of later times. */
static void test_all_task_names(void **state)
{
	struct tw_tasks tasks;
	char name[16];

	(void)state;
	tw_tasks__init(&tasks, TW_HISTORY_ALL, NULL);
	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "name%u", i);
		name_at(&tasks, (uint64_t)i * 20000000000, name, i);
	}
	name_at(&tasks, 30000000000, "late", 2000);
	name_at(&tasks, 30000000001, "late", 2001); /* has the same name: not added */
	assert_string_equal(tw_tasks__name(&tasks, 7, 0)->name, "name0");
	assert_string_equal(tw_tasks__name(&tasks, 7, 29999999999)->name, "name1");
	assert_string_equal(tw_tasks__name(&tasks, 7, 30000000000)->name, "late");
	assert_int_equal(tw_tasks__name(&tasks, 7, 30000000001)->position, 2000);
	assert_string_equal(tw_tasks__name(&tasks, 7, 40000000000)->name, "name2");
	assert_string_equal(tw_tasks__name(&tasks, 7, UINT64_MAX)->name, "name999");
	tw_tasks__fini(&tasks);
	tw_tasks__init(&tasks, TW_HISTORY_ALL, NULL);
	name_at(&tasks, 10, "first", 1);
	assert_null(tw_tasks__name(&tasks, 7, 9));
	tw_tasks__fini(&tasks);
}

static void test_streams_limit(void **state)
{
	(void)state;
	for (uint64_t id = 1; id <= TW_STREAMS_MAX; id++)
		assert_non_null(tw_streams__get(streams, id));
	assert_int_equal(stats_now().refused_streams, 0);
	assert_null(tw_streams__get(streams, TW_STREAMS_MAX + 1));
	assert_null(tw_streams__get(streams, TW_STREAMS_MAX + 1));
	assert_int_equal(stats_now().refused_streams, 2);
	assert_in_range(stats_now().memory, 1, TW_STREAMS_MEMORY_MAX / 2);
	assert_int_equal(tw_streams__count(streams), TW_STREAMS_MAX);
	assert_int_equal(tw_streams__get(streams, 1)->id, 1);
}

static void test_schemas_limit(void **state)
{
	struct tw_stream *stream = NULL;
	struct tw_streams_stats stats;

	(void)state;
	for (uint64_t id = 1; id <= TW_STREAM_SCHEMAS_MAX; id++)
		stream = learn_event(1 + id % 2, id, 9, "e");
	assert_int_equal(stats_now().refused_texts, 0);
	learn_event(stream->id, 9999, 9, "toomuch");
	stats = stats_now();
	assert_int_equal(stats.refused_texts, 1);
	assert_says(&stats.text, "made:toomuch");
	assert_null(tw_stream__event(stream, 9999, 9));
	learn_event(stream->id, TW_STREAM_SCHEMAS_MAX, 10, "fits"); /* in an existing schema */
	assert_non_null(tw_stream__event(stream, TW_STREAM_SCHEMAS_MAX, 10));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, learning__setup, learning__teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_parts),          TEST(test_part_missing),  TEST(test_parts_of_others),
		TEST(test_other_id),       TEST(test_why),           TEST(test_lying_schema),
		TEST(test_short),          TEST(test_lying_lists),   TEST(test_full_task_table),
		TEST(test_all_task_names), TEST(test_streams_limit), TEST(test_schemas_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
