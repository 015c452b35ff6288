/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Building frames at their limits: a record that does not fit is refused and leaves the frame unchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/decode.h"
#include "wire/encode.h"

#define HDR sizeof(struct tw_frame_hdr)

static const struct tw_frame_info info = { .source = TW_SOURCE_FTRACE, .channel = 1, .base_time = 1000000000 };

static uint8_t buf[TW_FRAME_MAX + TW_COPY_STEP];
static uint8_t record[4096 + TW_COPY_STEP];

static void room_is_what_add_takes(void **state)
{
	struct tw_frame f;

	(void)state;
	for (size_t cap = HDR; cap < HDR + 64; cap++) {
		tw_frame__begin(&f, buf, cap, &info);
		if (tw_frame__room(&f)) {
			assert_null(tw_frame__add(&f, TW_TLV_PAD, tw_frame__room(&f) + 1));
			assert_int_equal(f.len, HDR);
			assert_non_null(tw_frame__add(&f, TW_TLV_PAD, tw_frame__room(&f)));
			assert_true(f.len <= cap && cap - f.len < 4);
		}
		assert_int_equal(tw_frame__room(&f), 0);
		assert_null(tw_frame__add(&f, TW_TLV_PAD, 1));
	}
}

static void the_largest_frame(void **state)
{
	enum tw_frame_status status;
	struct tw_frame_info read;
	struct tw_tlv_view tlv;
	struct tw_cursor c;
	struct tw_frame f;

	(void)state;
	tw_frame__begin(&f, buf, SIZE_MAX, &info);
	assert_null(tw_frame__add(&f, TW_TLV_PAD, SIZE_MAX));
	assert_null(tw_frame__add(&f, TW_TLV_PAD, TW_FRAME_MAX - HDR - 3));
	assert_non_null(tw_frame__add(&f, TW_TLV_PAD, TW_FRAME_MAX - HDR - 4));
	assert_int_equal(tw_frame__end(&f), TW_FRAME_MAX);
	assert_int_equal(tw_frame__parse(buf, TW_FRAME_MAX, &read, &c), TW_FRAME_OK);
	assert_int_equal(read.length, TW_FRAME_MAX);
	assert_true(tw_cursor__next_tlv(&c, &tlv, &status));
	assert_int_equal(tlv.len, TW_FRAME_MAX - HDR - 4);
}

static void padding_is_zeroed(void **state)
{
	struct tw_frame f;

	(void)state;
	for (size_t len = 0; len <= 8; len++) {
		memset(buf, 0xee, 128);
		tw_frame__begin(&f, buf, 128, &info);
		assert_non_null(tw_frame__add(&f, TW_TLV_PAD, len));
		for (size_t at = HDR + 4 + len; at < f.len; at++)
			assert_int_equal(buf[at], 0);
		assert_int_equal(f.len % 4, 0);
		assert_int_equal(tw_load_be16(buf + HDR + 2), 4 + len);
	}
}

static void times_fit_or_need_a_new_frame(void **state)
{
	const uint64_t base = info.base_time;
	struct tw_lost_view lost = { .where = TW_LOST_RING };
	struct tw_frame f;

	(void)state;
	tw_frame__begin(&f, buf, 1024, &info);
	assert_true(tw_frame__add_event(&f, record, 8, base + INT32_MAX));
	assert_false(tw_frame__add_event(&f, record, 8, base + INT32_MAX + 1));
	assert_false(tw_frame__add_event(&f, record, 8, base + (1ULL << 32)));
	assert_false(tw_frame__add_event(&f, record, 8, base + (1ULL << 63)));
	assert_true(tw_frame__add_event(&f, record, 8, base - 1000000000));
	lost.time = base + INT32_MAX + 1;
	assert_false(tw_lost__emit(&f, &lost));
	assert_int_equal(f.len, HDR + 2 * 16);
	assert_int_equal(f.info.events, 2);
	lost.time = base + INT32_MAX;
	assert_true(tw_lost__emit(&f, &lost));
	assert_int_equal(f.info.events, 2);
}

static void times_before_the_base(void **state)
{
	struct tw_frame_info late = info;
	struct tw_frame f;

	(void)state;
	late.base_time = 1ULL << 40;
	tw_frame__begin(&f, buf, 1024, &late);
	assert_true(tw_frame__add_event(&f, record, 8, late.base_time + (uint64_t)(int64_t)INT32_MIN));
	assert_false(tw_frame__add_event(&f, record, 8, late.base_time + (uint64_t)(int64_t)INT32_MIN - 1));
}

/*
 * Every record length with every remaining size. The memory of the frame has exactly the promised slack, so that the sanitizer finds a copy
 * that extends further.
 */
static void events_keep_to_the_slack(void **state)
{
	(void)state;
	for (uint32_t len = TW_RECORD_COMMON; len <= 160; len += 4) {
		for (uint32_t spare = 0; spare <= 8; spare += 4) {
			const uint32_t cap = (uint32_t)HDR + TW_EVENT_RECORD + len + spare - 4;
			uint8_t *frame = malloc(cap + TW_COPY_STEP);
			uint8_t *from = malloc(len + TW_COPY_STEP);
			struct tw_frame f;

			assert_true(frame && from);
			for (uint32_t i = 0; i < len + TW_COPY_STEP; i++)
				from[i] = (uint8_t)(i + 1);
			tw_frame__begin(&f, frame, cap, &info);
			assert_int_equal(tw_frame__add_event(&f, from, len, info.base_time), spare >= 4);
			assert_int_equal(f.info.events, spare >= 4);
			if (spare >= 4) {
				assert_int_equal(f.len, cap - (spare - 4));
				assert_memory_equal(frame + HDR + 16, from + TW_RECORD_COMMON, len - TW_RECORD_COMMON);
			}
			free(from);
			free(frame);
		}
	}
}

static void the_next_event_covers_the_slack_of_the_last(void **state)
{
	struct tw_event_view event;
	enum tw_frame_status status;
	struct tw_frame_info read;
	struct tw_tlv_view tlv;
	struct tw_cursor c;
	struct tw_frame f;
	unsigned int n = 0;

	(void)state;
	tw_frame__begin(&f, buf, 8192, &info);
	for (uint32_t len = TW_RECORD_COMMON; len < 200; len += 4) {
		memset(record, (int)len, len + TW_COPY_STEP);
		assert_true(tw_frame__add_event(&f, record, len, info.base_time + len));
		n++;
	}
	assert_int_equal(tw_frame__parse(buf, tw_frame__end(&f), &read, &c), TW_FRAME_OK);
	assert_int_equal(read.events, n);
	for (uint32_t len = TW_RECORD_COMMON; len < 200; len += 4) {
		assert_true(tw_cursor__next_tlv(&c, &tlv, &status));
		assert_true(tw_event__parse(&tlv, read.base_time, &event));
		assert_int_equal(event.len, len);
		assert_int_equal(event.time, info.base_time + len);
		for (uint32_t i = 0; i < len; i++)
			assert_int_equal(event.record[i], len);
	}
}

/* Splits a value of @total bytes into frames of @cap bytes, and reassembles it. */
static void cut_and_join(uint32_t total, size_t cap)
{
	static uint8_t whole[4096], joined[4096];
	uint32_t at = 0;
	size_t len;

	for (uint32_t i = 0; i < total; i++)
		whole[i] = (uint8_t)(i * 7);
	while (at < total) {
		enum tw_frame_status status;
		struct tw_frame_info read;
		struct tw_part_view part;
		struct tw_tlv_view tlv;
		struct tw_cursor c;
		struct tw_frame f;

		tw_frame__begin(&f, buf, cap, &info);
		len = tw_frame__add_part(&f, TW_TLV_EVENT, 9, whole, total, at);
		assert_true(len > 0 && (len % 4 == 0 || at + len == total));
		assert_int_equal(tw_frame__parse(buf, tw_frame__end(&f), &read, &c), TW_FRAME_OK);
		assert_int_equal(read.events, at + len == total);
		assert_true(tw_cursor__next_tlv(&c, &tlv, &status));
		assert_true(tw_part__parse(&tlv, &part));
		assert_int_equal(part.offset, at);
		assert_int_equal(part.len, len);
		memcpy(joined + at, part.bytes, part.len);
		at += (uint32_t)len;
	}
	assert_memory_equal(joined, whole, total);
}

static void parts_of_any_size(void **state)
{
	(void)state;
	for (size_t cap = HDR + sizeof(struct tw_part) + 4; cap < HDR + 64; cap++)
		for (uint32_t total = 1; total < 100; total++)
			cut_and_join(total, cap);
	cut_and_join(4096, 576);
}

static void parts_that_cannot_be(void **state)
{
	struct tw_frame f;

	(void)state;
	tw_frame__begin(&f, buf, HDR + sizeof(struct tw_part) + 3, &info);
	assert_int_equal(tw_frame__add_part(&f, TW_TLV_EVENT, 1, record, 100, 0), 0);
	tw_frame__begin(&f, buf, 256, &info);
	assert_int_equal(tw_frame__add_part(&f, TW_TLV_EVENT, 1, record, 100, 100), 0);
	assert_int_equal(tw_frame__add_part(&f, TW_TLV_EVENT, 1, record, 100, 101), 0);
	assert_int_equal(tw_frame__add_part(&f, TW_TLV_EVENT, 1, record, 0, 0), 0);
	assert_int_equal(f.len, HDR);
	assert_int_equal(tw_frame__add_part(&f, TW_TLV_SCHEMA, 1, record, 100, 0), 100);
	assert_int_equal(f.info.events, 0); /* only a PART of an EVENT uses an event number */
}

/* Return: whether a PART with the fields @inner, @total and @offset, and with @len bytes, is accepted */
static bool part_is_taken(uint16_t inner, uint32_t total, uint32_t offset, size_t len)
{
	uint8_t value[16 + 8] = { 0 };
	const struct tw_tlv_view tlv = { TW_TLV_PART, value, 16 + len };
	struct tw_part_view part;

	tw_store_be16(value, inner);
	tw_store_be32(value + 8, total);
	tw_store_be32(value + 12, offset);
	return tw_part__parse(&tlv, &part);
}

static void received_parts_lie_inside_their_whole(void **state)
{
	(void)state;
	assert_true(part_is_taken(TW_TLV_EVENT, 8, 0, 8));
	assert_true(part_is_taken(TW_TLV_EVENT, 8, 4, 4));
	assert_true(part_is_taken(TW_TLV_EVENT, UINT32_MAX, UINT32_MAX - 8, 8));
	assert_true(part_is_taken(1234, 8, 4, 4));
	assert_false(part_is_taken(TW_TLV_EVENT, 8, 0, 0));
	assert_false(part_is_taken(TW_TLV_EVENT, 8, 4, 5));
	assert_false(part_is_taken(TW_TLV_EVENT, 8, 9, 1));
	assert_false(part_is_taken(TW_TLV_EVENT, 4, UINT32_MAX - 3, 8)); /* offset + len wraps */
	assert_false(part_is_taken(TW_TLV_PART, 8, 0, 8));
}

static void names_of_any_length(void **state)
{
	static const uint8_t name[] =
		"a name that is longer than any the kernel has, which must lose its end and not its NUL";
	struct tw_comm_view comm = { .name = name }, read;
	struct tw_frame f;

	(void)state;
	for (comm.len = 0; comm.len < sizeof(name); comm.len++) {
		enum tw_frame_status status;
		struct tw_tlv_view tlv;
		struct tw_cursor c;

		tw_frame__begin(&f, buf, 256, &info);
		assert_true(tw_comm__emit(&f, &comm));
		c = (struct tw_cursor){ buf + HDR, f.len - HDR };
		assert_true(tw_cursor__next_tlv(&c, &tlv, &status));
		assert_true(tw_comm__parse(&tlv, &read));
		assert_int_equal(read.len, comm.len < TW_COMM_MAX ? comm.len : TW_COMM_MAX - 1);
		assert_memory_equal(read.name, name, read.len);
		assert_int_equal(read.name[read.len], 0);
	}
}

static void received_names_have_a_limit(void **state)
{
	static const uint8_t value[20 + TW_COMM_MAX + 4];
	struct tw_tlv_view tlv = { TW_TLV_COMM, value, 20 + TW_COMM_MAX };
	struct tw_comm_view read;

	(void)state;
	assert_true(tw_comm__parse(&tlv, &read));
	assert_int_equal(read.len, 0);
	tlv.len += 4;
	assert_false(tw_comm__parse(&tlv, &read));
}

static void control_frames_use_up_one_number(void **state)
{
	const struct tw_frame_info control = { .source = TW_SOURCE_CONTROL };
	struct tw_frame_info read;
	struct tw_cursor c;
	struct tw_frame f;

	(void)state;
	tw_frame__begin(&f, buf, 256, &control);
	assert_int_equal(tw_frame__parse(buf, tw_frame__end(&f), &read, &c), TW_FRAME_OK);
	assert_int_equal(read.events, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(room_is_what_add_takes),
		cmocka_unit_test(the_largest_frame),
		cmocka_unit_test(padding_is_zeroed),
		cmocka_unit_test(times_fit_or_need_a_new_frame),
		cmocka_unit_test(times_before_the_base),
		cmocka_unit_test(events_keep_to_the_slack),
		cmocka_unit_test(the_next_event_covers_the_slack_of_the_last),
		cmocka_unit_test(parts_of_any_size),
		cmocka_unit_test(parts_that_cannot_be),
		cmocka_unit_test(received_parts_lie_inside_their_whole),
		cmocka_unit_test(names_of_any_length),
		cmocka_unit_test(received_names_have_a_limit),
		cmocka_unit_test(control_frames_use_up_one_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
