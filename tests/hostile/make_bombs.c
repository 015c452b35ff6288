/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make_bombs OUT_DIR: writes captures that are well-formed and exceed limits of time, memory, items or names, one file for each. */
#include <stdlib.h>
#include <string.h>

#include "tests/dissector/sample.h"
#include "wire/schema_text.h"

#define T0        5000000000000u
#define WHOLE     (1u << 20) /* length of the longest value that the dissector reassembles, bytes */
#define COMMON_ID 300

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static struct sample s;
static struct sample_record r;
static char text[TW_SCHEMA_TEXT_MAX + 1];
static size_t text_len;
static const char *out;

static void add(const char *piece)
{
	const size_t len = strlen(piece);

	if (len > TW_SCHEMA_TEXT_MAX - text_len)
		return;
	memcpy(text + text_len, piece, len);
	text_len += len;
}

/* Add @piece up to @n times, while at least @reserve bytes stay free. */
static void add_often(const char *piece, uint32_t n, size_t reserve)
{
	while (n-- && text_len + strlen(piece) + reserve <= TW_SCHEMA_TEXT_MAX)
		add(piece);
}

static void begin_text(const char *fields)
{
	text_len = 0;
	add("name: bomb\nID: 300\n" COMMON);
	add(fields);
	add("\nprint fmt: ");
}

static void begin(const char *name)
{
	sample__open(&s, out, name);
	s.info.schema_id = 5; /* not the hash of any content, so that the schema is never stored in the cache */
}

static void put_text(uint16_t id, uint32_t index, uint32_t total)
{
	static uint8_t payload[TW_SCHEMA_RAW_MAX];
	const struct tw_schema_text whole = { "toy", text, text_len };
	struct tw_schema_view view = { .kind = TW_SCHEMA_EVENT, .event_id = id, .index = index, .total = total };

	if (tw_schema_text__compress(&whole, payload, sizeof(payload), &view, NULL))
		exit(1);
	sample__control(&s);
	if (!tw_schema_tlv__emit(&s.frame, &view))
		exit(1);
	sample__end(&s);
}

static void put_events(uint16_t id, uint32_t body, uint16_t n)
{
	record__begin(&r, id, 42, false);
	while (r.len < 8 + body)
		record__u32(&r, 7);
	sample__cpu(&s, 0, T0);
	while (s.frame.info.events < n && tw_frame__add_event(&s.frame, r.data, r.len, T0))
		;
	sample__end(&s);
}

#define ONE_FIELD  "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
#define ONE_STRING "\tfield:char s[16];\toffset:8;\tsize:16;\tsigned:0;\n"

/* Write a capture with @text as its format text, and with one frame that is full of its events. */
static void end_text(const char *name)
{
	begin(name);
	put_text(COMMON_ID, 0, 1);
	put_events(COMMON_ID, 16, 4000);
	sample__close(&s);
}

static void make_print_bombs(void)
{
	begin_text(ONE_FIELD);
	add("\"%d\", ");
	add_often("(", UINT32_MAX, 10);
	end_text("open-parentheses.pcap");

	begin_text(ONE_FIELD);
	add("\"%d\", ");
	add_often("(", 100000, 10);
	add("REC->a");
	add_often(")", 100000, 10);
	end_text("parentheses.pcap");

	begin_text(ONE_FIELD);
	add("\"%d\", ");
	add_often("REC->a ? ", 12000, 10);
	add("1");
	add_often(" : 2", 12000, 10);
	end_text("ternaries.pcap");

	begin_text(ONE_FIELD);
	add("\"%d\", ");
	add_often("~-!", UINT32_MAX, 20);
	add("REC->a");
	end_text("unary.pcap");

	begin_text(ONE_FIELD);
	add("\"%s\", __print_symbolic(REC->a");
	add_often(", { 1, \"x\" }", UINT32_MAX, 10);
	add(")");
	end_text("symbolic.pcap");

	begin_text(ONE_FIELD);
	add("\"%s\", __print_flags(REC->a, \"|\"");
	add_often(", { 1, \"flag\" }", UINT32_MAX, 10);
	add(")");
	end_text("flags.pcap");

	begin_text(ONE_FIELD);
	add("\"");
	add_often("%*d", 10000, 120000);
	add("\"");
	add_often(", 2000000000, REC->a", 6000, 10);
	end_text("widths.pcap");

	begin_text(ONE_FIELD);
	add("\"%2147483647d %.2147483647d %-99999999999999999999s\", REC->a, REC->a, \"x\"");
	end_text("wide.pcap");

	begin_text(ONE_STRING);
	add("\"");
	add_often("%s", 20000, 150000);
	add("\"");
	add_often(", REC->s", 20000, 10);
	end_text("strings.pcap");

	begin_text(ONE_FIELD);
	add("\"%d\", REC->a");
	add_often(" + REC->a", UINT32_MAX, 10);
	end_text("sum.pcap");

	/* a program of 3001 operands, which is run for each of the frame's 2046 events */
	begin_text(ONE_FIELD);
	add("\"%d\", REC->a");
	add_often(" + REC->a", 3000, 10);
	end_text("programs.pcap");
}

/* Write a format with @n fields: 1000 fields are close to TW_FORMAT_FIELDS_MAX, 100000 exceed it. */
static void make_fields(const char *name, int n)
{
	char line[100];

	text_len = 0;
	add("name: bomb\nID: 300\n" COMMON);
	for (int i = 0; i < n; i++) {
		snprintf(line, sizeof(line), "\tfield:u8 f%d;\toffset:8;\tsize:1;\tsigned:0;\n", i);
		add(line);
	}
	add("\nprint fmt: \"\"\n");
	begin(name);
	put_text(COMMON_ID, 0, 1);
	for (int i = 0; i < 10; i++)
		put_events(COMMON_ID, 4, 4000);
	sample__close(&s);
}

/* Write a schema that claims to have UINT32_MAX texts. */
static void make_total(void)
{
	begin_text(ONE_FIELD);
	add("\"%d\", REC->a");
	begin("total.pcap");
	for (uint32_t i = 0; i < 1000; i++)
		put_text(COMMON_ID, UINT32_MAX - i, UINT32_MAX);
	put_events(COMMON_ID, 4, 4000);
	sample__close(&s);
}

/*
 * Write format texts whose bytes all need escaping. About 20 bytes of zstd decompress to the longest text, and each frame has as many such
 * texts as fit. @more is added to the declared length; with 0, this length is right.
 */
static void make_zstd(const char *name, uint32_t more)
{
	static uint8_t payload[TW_SCHEMA_RAW_MAX];
	struct tw_schema_view view = { .kind = TW_SCHEMA_EVENT, .event_id = COMMON_ID, .total = 1 };
	const struct tw_schema_text whole = { "toy", text, TW_SCHEMA_TEXT_MAX };

	memset(text, 1, sizeof(text));
	if (tw_schema_text__compress(&whole, payload, sizeof(payload), &view, NULL))
		exit(1);
	view.raw_length += more;
	begin(name);
	for (int i = 0; i < 40; i++) {
		sample__control(&s);
		while (tw_schema_tlv__emit(&s.frame, &view))
			;
		sample__end(&s);
	}
	sample__close(&s);
}

/* Write frames that each have a new id of the selected kinds: stream, channel (256 apart: a page of the channel table), schema. */
static void make_names(const char *name, uint32_t n, bool streams, bool channels, bool schemas)
{
	begin(name);
	for (uint32_t i = 0; i < n; i++) {
		s.info.stream_id = streams ? 1 + i / (channels ? 256 : 1) : 1;
		s.info.schema_id = schemas ? 1 + i : 5;
		record__begin(&r, COMMON_ID, 42, false);
		sample__cpu(&s, 0, T0);
		s.frame.info.channel = channels ? (uint16_t)(i << 8 | 1) : 1;
		sample__event(&s, &r, T0);
		sample__end(&s);
	}
	sample__close(&s);
}

/* Write the shortest formats, with event ids 256 apart (a page of the id table), and a new schema for each 256 of them. */
static void make_ids(void)
{
	begin("ids.pcap");
	for (uint32_t i = 0; i < 130000; i++) {
		struct tw_schema_view view = { .kind = TW_SCHEMA_EVENT, .data = (const uint8_t *)text };

		view.event_id = (uint16_t)(i << 8 | 1);
		s.info.schema_id = 1 + i / 256;
		text_len = (size_t)snprintf(text, sizeof(text), "t%cname:x\nID:%u\n", 0, view.event_id);
		view.len = text_len;
		view.raw_length = (uint32_t)text_len;
		if (i % 256 == 0)
			sample__control(&s);
		tw_schema_tlv__emit(&s.frame, &view);
		if (i % 256 == 255)
			sample__end(&s);
	}
	sample__close(&s);
}

/* Write task names: each of a new task; or, with @one, all of one task, each with an older time than the previous name. */
static void make_tasks(const char *name, uint32_t n, bool one)
{
	begin(name);
	for (uint32_t i = 0; i < n; i++) {
		const char other[] = { (char)('a' + i % 26), (char)('a' + i / 26 % 26) };
		const struct tw_comm_view comm = {
			.time = UINT32_MAX - i, .pid = one ? 1 : i + 1, .name = (const uint8_t *)other, .len = 2
		};

		if (i % 2000 == 0)
			sample__control(&s);
		tw_comm__emit(&s.frame, &comm);
		if (i % 2000 == 1999)
			sample__end(&s);
	}
	sample__close(&s);
}

/*
 * Write a value in PARTs of one byte. @step: 1 = forwards; -1 = from the end, so that only the last PART would complete it; 0 = always the
 * same PART.
 */
static void make_pieces(const char *name, int32_t step)
{
	uint32_t at = step < 0 ? WHOLE - 1 : 0;

	begin(name);
	for (uint32_t i = 0; i < WHOLE / 8;) {
		sample__control(&s);
		for (uint32_t n = 0; n < 2000; n++, i++, at += (uint32_t)step) {
			uint8_t *p = tw_frame__add(&s.frame, TW_TLV_PART, 17);

			tw_store_be16(p, TW_TLV_SCHEMA);
			tw_store_be16(p + 2, 0);
			tw_store_be32(p + 4, 1);
			tw_store_be32(p + 8, WHOLE);
			tw_store_be32(p + 12, at);
			p[16] = 0;
		}
		sample__end(&s);
	}
	sample__close(&s);
}

/* Write first PARTs of values that are never completed and have the largest permitted length. */
static void make_wholes(void)
{
	static const uint8_t value[64];

	begin("wholes.pcap");
	for (uint32_t i = 0; i < 70000; i++) {
		if (i % 500 == 0)
			sample__control(&s);
		s.frame.cap = s.frame.len + 4 + 16 + 64;
		tw_frame__add_part(&s.frame, TW_TLV_EVENT, i, value, WHOLE, 0);
		if (i % 500 == 499)
			sample__end(&s);
	}
	sample__close(&s);
}

/* Write a schema that may be cached, then events of new streams that refer to it. */
static void make_cached(void)
{
	char line[100];
	struct text texts[10];

	for (uint32_t i = 0; i < 10; i++) {
		text_len = 0;
		snprintf(line, sizeof(line), "name: cached\nID: %u\n", 400 + i);
		add(line);
		add(COMMON);
		add("\nprint fmt: \"");
		add_often("x", UINT32_MAX, 2);
		add("\"\n");
		texts[i] = (struct text){ (uint16_t)(400 + i), "toy", malloc(text_len), text_len };
		memcpy(texts[i].text, text, text_len);
	}
	begin("cached.pcap");
	s.info.schema_id = texts__hash(texts, 10, false, 8);
	sample__schema(&s, texts, 10);
	for (uint32_t i = 0; i < 1000; i++) {
		s.info.stream_id++;
		put_events(1, 0, 1);
	}
	sample__close(&s);
	for (uint32_t i = 0; i < 10; i++)
		free(texts[i].text);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	out = argv[1];
	make_print_bombs();
	make_fields("fields-1000.pcap", 1000);
	make_fields("fields-100000.pcap", 100000);
	make_total();
	make_zstd("zstd.pcap", 0);
	make_zstd("zstd-longer.pcap", UINT32_MAX / 2);
	make_zstd("zstd-shorter.pcap", (uint32_t)-1000);
	make_names("streams.pcap", 20000, true, false, false);
	make_names("channels.pcap", 100000, true, true, false);
	make_names("schemas.pcap", 20000, false, false, true);
	make_ids();
	make_tasks("tasks.pcap", 1600000, false);
	make_tasks("names.pcap", 100000, true);
	make_pieces("pieces.pcap", 1);
	make_pieces("pieces-backwards.pcap", -1);
	make_pieces("pieces-again.pcap", 0);
	make_wholes();
	make_cached();
	return 0;
}
