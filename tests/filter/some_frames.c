/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/filter/some_frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "tests/filter/formats.h"

static const uint8_t ethernet[SOME_ETH] = {
	2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, TW_ETHERTYPE >> 8, TW_ETHERTYPE & 0xff
};

static const char *const texts[] = { "", "a", "b", "bash", "bashful", "sixteen bytes ..", "kworker/0:1", "ba", "zz" };
#define N_TEXTS (sizeof(texts) / sizeof(texts[0]))

static const int64_t numbers[] = {
	0,   1,  2,  3,    5,          100,           127,       128,       255,
	256, -1, -2, -128, 0x7fffffff, -0x80000000ll, INT64_MAX, INT64_MIN, 0x0102030405060708
};
#define N_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void put_number(uint8_t *at, unsigned int size, uint64_t value, bool big_endian)
{
	for (unsigned int i = 0; i < size; i++)
		at[big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static void put_text(uint8_t *at, uint32_t size, uint32_t *state)
{
	const char *text = texts[next(state) % N_TEXTS];
	const size_t len = strlen(text);

	/* The bytes after the NUL are arbitrary. */
	memset(at, 'x', size);
	memcpy(at, text, len < size ? len : size);
	if (len < size)
		at[len] = 0;
}

static void put_field(uint8_t *record, const struct tw_field *field, uint32_t *state, bool big_endian)
{
	uint8_t *at = record + field->offset;
	const uint32_t step = field->kind == TW_FIELD_STRING || field->elem_size > 8 ? field->size : field->elem_size;

	if (field->place != TW_PLACE_FIXED) {
		/* The location refers to eight bytes at offset 96. */
		put_number(at, 4, 0x80000u | (96 - (field->place == TW_PLACE_REL_LOC ? field->offset + 4 : 0)),
			   big_endian);
		return;
	}
	if (field->kind == TW_FIELD_STRING) {
		put_text(at, field->size, state);
		return;
	}
	for (uint32_t i = 0; i + step <= field->size; i += step)
		put_number(at + i, step, (uint64_t)numbers[next(state) % N_NUMBERS], big_endian);
}

void some_frame__make(struct some_frame *frame, const struct tw_format *format, uint32_t n, bool cut, bool big_endian)
{
	uint32_t state = n * 2654435761u + format->id, len = 104;
	uint8_t record[128 + TW_COPY_STEP] = { 0 };
	const int64_t delta = (int64_t)numbers[next(&state) % 15] * (n % 3);
	struct tw_frame_info info = {
		.flags = big_endian ? TW_FLAG_BODY_BE : 0,
		.source = TW_SOURCE_FTRACE,
		.stream_id = 7,
		.schema_id = SOME_SCHEMA_ID,
		.base_time = 0x2ffffff00ull + next(&state) % 512,
		.cpu = (uint16_t)(next(&state) % 4),
		.channel = 1,
	};
	struct tw_frame f;
	struct tw_cursor tlvs;
	struct tw_tlv_view tlv;
	struct tw_event_view view;
	enum tw_frame_status status;

	memcpy(record, &format->id, 2);
	record[2] = (uint8_t)(next(&state) % 8);
	record[3] = (uint8_t)(next(&state) % 3);
	put_number(record + 4, 4, (uint64_t)numbers[next(&state) % 14], TW_HOST_BE);
	put_text(record + 96, 8, &state);
	for (uint32_t i = format->n_common; i < format->n_fields; i++)
		put_field(record, &format->fields[i], &state, big_endian);
	if (cut && !(next(&state) % 4))
		len = 8 + 4 * (next(&state) % 24);
	memcpy(frame->bytes, ethernet, sizeof(ethernet));
	tw_frame__begin(&f, frame->bytes + SOME_ETH, sizeof(frame->bytes) - SOME_ETH - TW_COPY_STEP, &info);
	if (!tw_frame__add_event(&f, record, len, info.base_time + (uint64_t)(int64_t)(int32_t)delta))
		memset(record, 0, sizeof(record));
	frame->len = SOME_ETH + tw_frame__end(&f);
	tw_frame__parse(frame->bytes + SOME_ETH, frame->len - SOME_ETH, &info, &tlvs);
	tw_cursor__next_tlv(&tlvs, &tlv, &status);
	tw_event__parse(&tlv, info.base_time, &view);
	frame->event = tw_filter_event__of_view(&view, info.cpu);
}

static const char *const values[] = { "0",
				      "1",
				      "5",
				      "-1",
				      "-128",
				      "127",
				      "255",
				      "0x7fffffff",
				      "\"bash\"",
				      "\"a\"",
				      "\"\"",
				      "01:02:03:04",
				      "10.1.2.3",
				      "ff:ff:ff:ff:ff:ff",
				      "\"sixteen bytes ..\"",
				      "1.0.0.0/9",
				      "::1" };
static const char *const forms[] = {
	"%s == %s",        "%s != %s",          "!(%s == %s)",       "%s < %s",        "%s <= %s",
	"%s > %s",         "!(%s >= %s)",       "%s & 3 == %s",      "%s & 0x80 > %s", "%s & 0xf0 != %s",
	"%s in {%s..300}", "%s in {-2..%s}",    "%s contains %s",    "%s ~ \"ba*\"",   "%s ~ \"b\" || %s == 1",
	"%s ~ \"*\"",      "%s in {\"a\"..%s}", "%s in {00:01..%s}",
};

static void each_form(const char *name, void (*cb)(void *ctx, const char *text), void *ctx)
{
	char text[512];

	cb(ctx, name);
	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++)
		for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(text, sizeof(text), forms[f], name, values[v]);
#pragma GCC diagnostic pop
			cb(ctx, text);
		}
}

void some_expressions(const struct tw_schema *schema, void (*cb)(void *ctx, const char *text), void *ctx)
{
	static const char *const keys[] = { "pid", "cpu", "flags", "common_preempt_count" };
	static const char *const others[] = {
		"time > 12.884901632",
		"time <= 12.884901887",
		"time == 12.884901888",
		"time != 12.884901888",
		"time in {8..12.9}",
		"!(time < 12.8849018)",
		"event == tiny",
		"event != tiny",
		"system == sched && cpu == 1",
		"not (cpu == 1 or cpu == 2)",
		"prev_pid == 1 || prev_prio == 2 && next_pid == 3",
		"(prev_pid == 1 || prev_prio == 2) && !(next_pid == 3 && cpu < 2)",
		"event == sched_switch && pid == 1 || event == tiny && cpu == 1",
		"any.size == 5 or any.change < 0",
		"flags & 1 && flags & 2 == 0 || common_preempt_count > 1",
	};
	char name[256];

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cb(ctx, others[i]);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		each_form(keys[i], cb, ctx);
	for (size_t i = 0; i < tw_schema__count(schema); i++) {
		const struct tw_format *format = tw_schema__at(schema, i);

		for (uint32_t f = format->n_common; f < format->n_fields; f++) {
			snprintf(name, sizeof(name), "%s.%s", format->name, format->fields[f].name);
			each_form(name, cb, ctx);
		}
	}
}

void some_run__in_both_orders(void (*compare)(void *ctx, const char *text), unsigned int part)
{
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct some_run run = { .big_endian = big_endian };

		some_expressions(formats, compare, &run);
		print_message("%u expressions, %u frames, %u matched\n", run.expressions, run.frames, run.matched);
		assert_true(run.expressions > 1000 && run.matched > run.frames / part);
	}
}
