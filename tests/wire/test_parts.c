/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reassembly: which values become complete, which do not, and that no sender can exceed the limits of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "wire/parts.h"

#define STREAM 9

static const struct tw_parts_limits limits = { .bytes = 10000, .count = 4 };
static uint8_t value[20000];

static struct tw_parts_stats stats(const struct tw_parts *parts)
{
	struct tw_parts_stats s;

	tw_parts__stats(parts, &s);
	return s;
}

static enum tw_parts_status add(struct tw_parts *parts, uint16_t channel, uint32_t id, uint32_t total, uint32_t offset,
				size_t len, struct tw_tlv_view *ret)
{
	const struct tw_part_view part = {
		.inner_type = TW_TLV_SCHEMA,
		.id = id,
		.total = total,
		.offset = offset,
		.bytes = value + offset,
		.len = len,
	};

	return tw_parts__add(parts, STREAM, channel, &part, ret);
}

static int setup(void **state)
{
	for (size_t i = 0; i < sizeof(value); i++)
		value[i] = (uint8_t)(i * 7);
	*state = tw_parts__new(&limits);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	tw_parts__free(*state);
	return 0;
}

static void whole(void **state)
{
	struct tw_tlv_view tlv = { 0 };

	assert_int_equal(add(*state, 1, 5, 5000, 0, 2000, &tlv), TW_PARTS_MORE);
	assert_int_equal(add(*state, 1, 5, 5000, 2000, 2000, &tlv), TW_PARTS_MORE);
	assert_int_equal(tlv.type, 0);
	assert_int_equal(add(*state, 1, 5, 5000, 4000, 1000, &tlv), TW_PARTS_WHOLE);
	assert_int_equal(tlv.type, TW_TLV_SCHEMA);
	assert_int_equal(tlv.len, 5000);
	assert_memory_equal(tlv.value, value, 5000);
	assert_int_equal(stats(*state).count, 0);
	assert_int_equal(stats(*state).bytes, 0);
}

static void in_one_piece(void **state)
{
	struct tw_tlv_view tlv;

	assert_int_equal(add(*state, 1, 5, 3, 0, 3, &tlv), TW_PARTS_WHOLE);
	assert_int_equal(tlv.len, 3);
}

/* The same id on two channels denotes two values. */
static void names_are_kept_apart(void **state)
{
	struct tw_tlv_view tlv;

	assert_int_equal(add(*state, 1, 5, 200, 0, 100, &tlv), TW_PARTS_MORE);
	assert_int_equal(add(*state, 2, 5, 200, 0, 100, &tlv), TW_PARTS_MORE);
	assert_int_equal(add(*state, 2, 5, 200, 100, 100, &tlv), TW_PARTS_WHOLE);
	assert_int_equal(add(*state, 1, 5, 200, 100, 100, &tlv), TW_PARTS_WHOLE);
}

static void repeated_pieces_change_nothing(void **state)
{
	struct tw_tlv_view tlv;

	assert_int_equal(add(*state, 1, 5, 300, 0, 100, &tlv), TW_PARTS_MORE);
	assert_int_equal(add(*state, 1, 5, 300, 100, 100, &tlv), TW_PARTS_MORE);
	assert_int_equal(add(*state, 1, 5, 300, 0, 100, &tlv), TW_PARTS_REPEATED);
	assert_int_equal(add(*state, 1, 5, 300, 100, 100, &tlv), TW_PARTS_REPEATED);
	assert_int_equal(add(*state, 1, 5, 300, 200, 100, &tlv), TW_PARTS_WHOLE);
	assert_memory_equal(tlv.value, value, 300);
	assert_int_equal(stats(*state).repeated, 2);
}

static void a_hole_breaks_the_whole(void **state)
{
	struct tw_tlv_view tlv;

	assert_int_equal(add(*state, 1, 5, 300, 0, 100, &tlv), TW_PARTS_MORE);
	assert_int_equal(add(*state, 1, 5, 300, 200, 100, &tlv), TW_PARTS_BROKEN);
	assert_int_equal(add(*state, 1, 5, 300, 100, 100, &tlv), TW_PARTS_BROKEN);
	assert_int_equal(stats(*state).incomplete, 1);
	assert_int_equal(stats(*state).headless, 2);
	assert_int_equal(stats(*state).bytes, 0);
}

/* An id is used again, with another total length, before its first value was complete. */
static void another_total_begins_anew(void **state)
{
	struct tw_tlv_view tlv;

	assert_int_equal(add(*state, 1, 5, 300, 0, 100, &tlv), TW_PARTS_MORE);
	assert_int_equal(add(*state, 1, 5, 400, 0, 200, &tlv), TW_PARTS_MORE);
	assert_int_equal(add(*state, 1, 5, 400, 200, 200, &tlv), TW_PARTS_WHOLE);
	assert_int_equal(tlv.len, 400);
	assert_int_equal(stats(*state).incomplete, 1);
}

static void count_is_bounded(void **state)
{
	struct tw_tlv_view tlv;

	for (uint32_t id = 0; id < 5; id++)
		assert_int_equal(add(*state, 1, id, 300, 0, 100, &tlv), TW_PARTS_MORE);
	assert_int_equal(stats(*state).count, 4);
	assert_int_equal(stats(*state).incomplete, 1);
	assert_int_equal(add(*state, 1, 0, 300, 100, 200, &tlv), TW_PARTS_BROKEN); /* the oldest was evicted */
	assert_int_equal(add(*state, 1, 1, 300, 100, 200, &tlv), TW_PARTS_WHOLE);
}

/* A declared length takes no memory. Received bytes take memory, and evict older values. */
static void memory_is_bounded(void **state)
{
	struct tw_tlv_view tlv;

	assert_int_equal(add(*state, 1, 0, 10001, 0, 4, &tlv), TW_PARTS_REFUSED);
	assert_int_equal(add(*state, 1, 1, 10000, 0, 4, &tlv), TW_PARTS_MORE);
	assert_int_equal(add(*state, 1, 2, 10000, 0, 4, &tlv), TW_PARTS_MORE);
	assert_true(stats(*state).bytes <= 2048);
	assert_int_equal(add(*state, 1, 1, 10000, 4, 9000, &tlv), TW_PARTS_MORE);
	assert_true(stats(*state).bytes <= limits.bytes);
	assert_int_equal(stats(*state).count, 1);
	assert_int_equal(add(*state, 1, 1, 10000, 9004, 996, &tlv), TW_PARTS_WHOLE);
	assert_memory_equal(tlv.value, value, 10000);
}

/* Random pieces: complete values have the right bytes, and the limits hold. */
static void random_pieces(void **state)
{
	struct tw_tlv_view tlv;
	unsigned int wholes = 0;

	srand(1);
	for (int i = 0; i < 200000; i++) {
		const uint32_t total = 100 * (1 + (uint32_t)rand() % 3), offset = (uint32_t)rand() % total & ~63u;
		const size_t left = total - offset, len = left < 64 ? left : 64;

		if (add(*state, (uint16_t)(rand() % 2), (uint32_t)rand() % 3, total, offset, len, &tlv) ==
		    TW_PARTS_WHOLE) {
			assert_memory_equal(tlv.value, value, tlv.len);
			wholes++;
		}
		assert_true(stats(*state).bytes <= limits.bytes);
		assert_true(stats(*state).count <= limits.count);
	}
	assert_true(wholes > 100);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(whole),
		TEST(in_one_piece),
		TEST(names_are_kept_apart),
		TEST(repeated_pieces_change_nothing),
		TEST(a_hole_breaks_the_whole),
		TEST(another_total_begins_anew),
		TEST(count_is_bounded),
		TEST(memory_is_bounded),
		TEST(random_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
