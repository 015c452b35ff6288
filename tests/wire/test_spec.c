/* SPDX-License-Identifier: GPL-2.0-or-later */
/* docs/wire-format.md equals wire/tracewire.h: each name, number, offset and size, and no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/schema_text.h"
#include "wire/tracewire.h"

static char spec[256 * 1024];
static char prose[sizeof(spec)]; /* @spec, with blanks instead of line breaks */

static int load(void **state)
{
	FILE *f = fopen(SPEC, "r");
	size_t len;

	(void)state;
	if (!f)
		return -1;
	len = fread(spec, 1, sizeof(spec) - 1, f);
	fclose(f);
	spec[len] = 0;
	for (size_t i = 0; i < len; i++)
		prose[i] = spec[i] == '\n' ? ' ' : spec[i];
	return len == sizeof(spec) - 1;
}

/* A table of the page: its text from the header row up to the next empty line. */
struct table {
	const char *rows;
	size_t len;
	unsigned int expected; /* rows requested so far */
};

static struct table find_table(const char *heading, const char *header)
{
	const char *section = strstr(spec, heading);
	const char *rows = section ? strstr(section, header) : NULL;
	const char *end = rows ? strstr(rows, "\n\n") : NULL;

	if (!end)
		fail_msg("no table \"%s\" under \"%s\"", header, heading);
	return (struct table){ rows, (size_t)(end - rows) + 1, 0 };
}

__attribute__((format(printf, 2, 3))) static void expect_row(struct table *table, const char *fmt, ...)
{
	char row[256] = "\n";
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(row + 1, sizeof(row) - 1, fmt, ap);
	va_end(ap);
	table->expected++;
	if (!memmem(table->rows, table->len, row, strlen(row)))
		fail_msg("no row \"%s\"", row + 1);
}

/* Checks that the table has no further rows. Its header has two lines. */
static void expect_no_more(const struct table *table)
{
	unsigned int lines = 0;

	for (size_t i = 0; i < table->len; i++)
		lines += table->rows[i] == '\n';
	assert_int_equal(lines, table->expected + 2);
}

static void types(void **state)
{
	struct table t = find_table("\n## TLVs\n", "| type | name |");

	(void)state;
#define X(num, name, least, what) expect_row(&t, "| %d | %s | %d | %s |", num, #name, least, what);
	TW_TLV_LIST(X)
#undef X
	expect_no_more(&t);
}

static void losses(void **state)
{
	struct table t = find_table("\n### LOST\n", "| where | name |");

	(void)state;
#define X(num, name, text, why) expect_row(&t, "| %d | %s | %s |", num, #name, why);
	TW_LOST_LIST(X)
#undef X
	expect_no_more(&t);
}

static void host_attributes(void **state)
{
	struct table t = find_table("\n### HOST\n", "| attribute | name |");

	(void)state;
#define X(num, name, type, key, what) expect_row(&t, "| %d | %s | %s | %s |", num, #name, #type, what);
	TW_HOST_LIST(X)
#undef X
	expect_no_more(&t);
}

static void clocks(void **state)
{
	struct table t = find_table("\n### CLOCK\n", "| bit | name |");

	(void)state;
#define X(bit, name, field, what) expect_row(&t, "| %d | %s | %s |", bit, #name, what);
	TW_CLOCK_LIST(X)
#undef X
	expect_no_more(&t);
	t = find_table("\n### CLOCK\n", "| leap | name |");
#define X(num, name, text, what) expect_row(&t, "| %d | %s | %s |", num, #name, what);
	TW_LEAP_LIST(X)
#undef X
	expect_no_more(&t);
	t = find_table("\n### CLOCK\n", "| method | name |");
#define X(num, name, text, what) expect_row(&t, "| %d | %s | %s |", num, #name, what);
	TW_PHC_METHOD_LIST(X)
#undef X
	expect_no_more(&t);
}

static void counters(void **state)
{
	struct table t = find_table("\n### STATS\n", "| stat | name |");

	(void)state;
#define X(num, name, key, what) expect_row(&t, "| %d | %s | %s |", num, #name, what);
	TW_STAT_LIST(X)
#undef X
	expect_no_more(&t);
}

/* Checks that a field of a struct has the documented offset and size. */
#define FIELD(type, field) \
	expect_row(&t, "| %zu | %zu | %s |", offsetof(struct type, field), sizeof(((struct type *)0)->field), #field)

static void frame_header(void **state)
{
	struct table t = find_table("\n## Frame header\n", "| offset | size |");

	(void)state;
	FIELD(tw_frame_hdr, magic);
	FIELD(tw_frame_hdr, version);
	FIELD(tw_frame_hdr, flags);
	FIELD(tw_frame_hdr, length);
	FIELD(tw_frame_hdr, stream_id);
	FIELD(tw_frame_hdr, schema_id);
	FIELD(tw_frame_hdr, seq);
	FIELD(tw_frame_hdr, base_time);
	FIELD(tw_frame_hdr, channel);
	FIELD(tw_frame_hdr, cpu);
	FIELD(tw_frame_hdr, source);
	FIELD(tw_frame_hdr, reserved);
	FIELD(tw_frame_hdr, events);
	expect_no_more(&t);
	t = find_table("\n## Frame header\n", "| flag | name |");
	expect_row(&t, "| 0x%02x | BODY_BE |", TW_FLAG_BODY_BE);
	expect_row(&t, "| 0x%02x | PTR_HASHED |", TW_FLAG_PTR_HASHED);
	expect_row(&t, "| 0x%02x | LATE |", TW_FLAG_LATE);
	expect_no_more(&t);
}

static void layouts_of_events(void **state)
{
	struct table t = find_table("\n### EVENT\n", "| offset | size |");

	(void)state;
	FIELD(tw_event, time);
	FIELD(tw_event, event_id);
	FIELD(tw_event, common_flags);
	FIELD(tw_event, common_preempt_count);
	FIELD(tw_event, common_pid);
	expect_no_more(&t);
	t = find_table("\n### PART\n", "| offset | size |");
	FIELD(tw_part, inner_type);
	FIELD(tw_part, reserved);
	FIELD(tw_part, id);
	FIELD(tw_part, total);
	FIELD(tw_part, offset);
	expect_no_more(&t);
	t = find_table("\n### LOST\n", "| offset | size |");
	FIELD(tw_lost, time);
	FIELD(tw_lost, where);
	FIELD(tw_lost, flags);
	FIELD(tw_lost, count);
	expect_no_more(&t);
}

static void layouts_of_lists(void **state)
{
	struct table t = find_table("\n### WATERMARK\n", "| offset | size |");

	(void)state;
	FIELD(tw_watermark, time);
	expect_no_more(&t);
	t = find_table("A list follows, with one entry of 12 bytes per channel", "| offset | size |");
	FIELD(tw_watermark_channel, channel);
	FIELD(tw_watermark_channel, reserved);
	FIELD(tw_watermark_channel, next_seq);
	expect_no_more(&t);
	t = find_table("\n### STATS\n", "| offset | size |");
	FIELD(tw_stat, stat);
	FIELD(tw_stat, channel);
	FIELD(tw_stat, value);
	expect_no_more(&t);
}

static void layouts_of_metadata(void **state)
{
	struct table t = find_table("\n### SCHEMA\n", "| offset | size |");

	(void)state;
	FIELD(tw_schema_tlv, kind);
	FIELD(tw_schema_tlv, encoding);
	FIELD(tw_schema_tlv, event_id);
	FIELD(tw_schema_tlv, raw_length);
	FIELD(tw_schema_tlv, index);
	FIELD(tw_schema_tlv, total);
	expect_no_more(&t);
	t = find_table("\n### COMM\n", "| offset | size |");
	FIELD(tw_comm, origin);
	FIELD(tw_comm, reserved);
	FIELD(tw_comm, time);
	FIELD(tw_comm, pid);
	FIELD(tw_comm, tgid);
	FIELD(tw_comm, name);
	expect_no_more(&t);
	t = find_table("\n### SYMBOL\n", "| offset | size |");
	FIELD(tw_symbol_tlv, size);
	FIELD(tw_symbol_tlv, address);
	expect_no_more(&t);
	t = find_table("\n### AUTH\n", "| offset | size |");
	FIELD(tw_auth, algorithm);
	FIELD(tw_auth, key_id);
	expect_no_more(&t);
}

static void layout_of_clock(void **state)
{
	struct table t = find_table("\n### CLOCK\n", "| offset | size |");

	(void)state;
	FIELD(tw_clock_tlv, valid);
	FIELD(tw_clock_tlv, error_ns);
	FIELD(tw_clock_tlv, sync_ns);
#define X(bit, name, field, what) FIELD(tw_clock_tlv, field);
	TW_CLOCK_LIST(X)
#undef X
	FIELD(tw_clock_tlv, tai_offset);
	FIELD(tw_clock_tlv, leap);
	FIELD(tw_clock_tlv, phcs);
	expect_no_more(&t);
	t = find_table("\n### CLOCK\n", "| offset | size | field | meaning of the reading |");
	FIELD(tw_phc, index);
	FIELD(tw_phc, method);
	FIELD(tw_phc, reserved);
	FIELD(tw_phc, error_ns);
	FIELD(tw_phc, sync_ns);
	FIELD(tw_phc, reserved2);
	FIELD(tw_phc, phc);
	FIELD(tw_phc, trace);
	expect_no_more(&t);
}

static void layouts_of_exchange(void **state)
{
	struct table t = find_table("\n### END\n", "| offset | size |");

	(void)state;
	FIELD(tw_end, reserved);
	expect_no_more(&t);
	t = find_table("\n### TIME_SYNC\n", "| offset | size |");
	FIELD(tw_time_sync, id);
	FIELD(tw_time_sync, asked);
	FIELD(tw_time_sync, received);
	FIELD(tw_time_sync, answered);
	FIELD(tw_time_sync, received_by);
	FIELD(tw_time_sync, answered_by);
	FIELD(tw_time_sync, sent_by);
	FIELD(tw_time_sync, reserved);
	FIELD(tw_time_sync, previous);
	FIELD(tw_time_sync, sent);
	expect_no_more(&t);
	t = find_table("\n### OFFSET\n", "| offset | size |");
	FIELD(tw_offset, kind);
	FIELD(tw_offset, method);
	FIELD(tw_offset, time);
	FIELD(tw_offset, offset);
	FIELD(tw_offset, step);
	FIELD(tw_offset, error_ns);
	FIELD(tw_offset, drift);
	FIELD(tw_offset, asked_by);
	FIELD(tw_offset, received_by);
	FIELD(tw_offset, answered_by);
	FIELD(tw_offset, arrived_by);
	expect_no_more(&t);
}

static void stamps(void **state)
{
	struct table t = find_table("\n### TIME_SYNC\n", "| stamp | name |");

	(void)state;
#define X(num, name, text, what) expect_row(&t, "| %d | %s | %s |", num, #name, what);
	TW_STAMP_LIST(X)
#undef X
	expect_no_more(&t);
}

static void wants(void **state)
{
	struct table t = find_table("\n### METADATA_REQUEST\n", "| what | name |");

	(void)state;
#define X(num, name, text, what) expect_row(&t, "| %d | %s | %s |", num, #name, what);
	TW_METADATA_REQUEST_LIST(X)
#undef X
	expect_no_more(&t);
}

static void refusals(void **state)
{
	struct table t = find_table("\n### REFUSED\n", "| why | name |");

	(void)state;
#define X(num, name, text, what) expect_row(&t, "| %d | %s | %s |", num, #name, what);
	TW_REFUSED_LIST(X)
#undef X
	expect_no_more(&t);
}

static void offset_kinds(void **state)
{
	struct table t = find_table("\n### OFFSET\n", "| kind | name |");

	(void)state;
#define X(num, name, text, what) expect_row(&t, "| %d | %s | %s |", num, #name, what);
	TW_OFFSET_KIND_LIST(X)
#undef X
	expect_no_more(&t);
}

static void expect_text(const char *fmt, unsigned int number)
{
	char text[128];

	snprintf(text, sizeof(text), fmt, number);
	if (!strstr(prose, text))
		fail_msg("nowhere \"%s\"", text);
}

static void constants(void **state)
{
	(void)state;
	expect_text("EtherType 0x%04X ", TW_ETHERTYPE);
	expect_text("default port %u.", TW_UDP_PORT);
	expect_text("| 0x%08x, \"TWR1\" |", TW_MAGIC);
	expect_text("| version | %u |", TW_VERSION);
	expect_text("at most %u bytes", TW_FRAME_MAX);
	expect_text("%u bytes at most |", TW_COMM_MAX);
	expect_text("A name has at most %u bytes", TW_SCHEMA_NAME_MAX);
	expect_text("a text at most %u bytes;", TW_SCHEMA_TEXT_MAX);
	expect_text("0x%04x UNKNOWN", TW_LOST_UNKNOWN);
	expect_text("the body at %u.", sizeof(struct tw_frame_hdr) + sizeof(struct tw_event));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types),
		cmocka_unit_test(losses),
		cmocka_unit_test(host_attributes),
		cmocka_unit_test(clocks),
		cmocka_unit_test(counters),
		cmocka_unit_test(frame_header),
		cmocka_unit_test(layouts_of_events),
		cmocka_unit_test(layouts_of_lists),
		cmocka_unit_test(layouts_of_metadata),
		cmocka_unit_test(layout_of_clock),
		cmocka_unit_test(layouts_of_exchange),
		cmocka_unit_test(offset_kinds),
		cmocka_unit_test(stamps),
		cmocka_unit_test(wants),
		cmocka_unit_test(refusals),
		cmocka_unit_test(constants),
	};

	return cmocka_run_group_tests(tests, load, NULL);
}
