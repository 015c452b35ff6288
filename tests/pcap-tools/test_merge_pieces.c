/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events in pieces, through the merge. */
#include "merging.h"

/*
 * Put an event, whose EVENT has a value of @total bytes, in pieces that each fill a small frame; piece @skip is left out. Return: number of
 * pieces
 */
static unsigned int put_parts(struct fixture *x, uint64_t seq, uint64_t time, uint32_t total, unsigned int skip)
{
	uint8_t *value = calloc(1, total);
	unsigned int piece = 0;
	uint32_t at = 0;

	assert_non_null(value);
	tw_store_be16(value + 4, 42);
	tw_store_be32(value + 8, 77);
	while (at < total) {
		test_frame__begin(&x->frame, 1, seq, time);
		x->frame.f.cap = 1500;
		at += (uint32_t)tw_frame__add_part(&x->frame.f, TW_TLV_EVENT, 3, value, total, at);
		if (piece++ == skip)
			test_frame__end(&x->frame);
		else
			put(x);
	}
	free(value);
	return piece;
}

static void parts_become_an_event(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	put_events(x, 1, 0, 1000, 1);
	put_parts(x, 1, 1100, 4012, 99);
	put_events(x, 1, 2, 1200, 1);
	mark1(x, 2000, 3);
	assert_int_equal(x->sink.n, 3);
	assert_int_equal(x->sink.out[1].type, TW_TLV_EVENT);
	assert_int_equal(x->sink.out[1].tag, 77);
	assert_int_equal(x->sink.out[1].seq, 1);
	assert_int_equal(x->sink.out[1].time, 1100);
	assert_int_equal(x->sink.out[1].len, 4012);
	assert_books(x);
	assert_int_equal(stats(x)->gaps, 0);
	fixture__free(x);
}

static void parts_with_a_hole_are_incomplete(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	put_parts(x, 0, 1100, 4012, 1);
	put_events(x, 1, 1, 1200, 1);
	mark1(x, 2000, 2);
	assert_int_equal(x->sink.n, 1);
	assert_books(x);
	assert_int_equal(stats(x)->gaps, 0);
	assert_int_equal(stats(x)->incomplete, 1);
	fixture__free(x);
}

static void parts_too_large_for_a_frame_pass(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });
	unsigned int pieces;

	(void)state;
	pieces = put_parts(x, 0, 1100, 70000, 9999);
	put_events(x, 1, 1, 1200, 1);
	mark1(x, 2000, 2);
	assert_int_equal(x->sink.n, pieces + 1);
	assert_int_equal(x->sink.out[0].type, TW_TLV_PART);
	assert_int_equal(x->sink.out[0].events, 0);
	assert_int_equal(x->sink.out[pieces - 1].events, 1);
	assert_int_equal(x->sink.out[pieces - 1].time, 1100);
	assert_books(x);
	assert_int_equal(stats(x)->events_out, 2);
	fixture__free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_become_an_event),
		cmocka_unit_test(parts_with_a_hole_are_incomplete),
		cmocka_unit_test(parts_too_large_for_a_frame_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
