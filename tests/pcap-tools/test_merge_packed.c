/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames that the merge emits whole are in order, and counted as if the merge had taken them apart. */
#include "merging.h"

static struct fixture *packed__new(void)
{
	return fixture__new((struct tw_merge_options){ .from_start = true, .packed = true, .report_gaps = true });
}

static void frames_come_out_as_they_came(void **state)
{
	struct fixture *x = packed__new();
	const uint16_t channel = 1;
	const uint64_t next = 5;

	(void)state;
	put_events(x, 2, 0, 1005, 2);
	put_events(x, 1, 0, 1000, 3);
	test_frame__begin(&x->frame, 1, 3, 1030);
	test_frame__event(&x->frame, 1030, 3, 24);
	test_frame__event(&x->frame, 1040, 4, 24);
	tw_store_be16(x->frame.buf + x->frame.f.len - 32, TW_TLV_FILTERED);
	tw_watermark__emit(&x->frame.f, 2000, &channel, &next, 1);
	put(x);
	assert_books(x);
	assert_int_equal(x->sink.n, 3);
	assert_int_equal(x->sink.out[0].channel, 1);
	assert_int_equal(x->sink.out[0].events, 3);
	assert_int_equal(x->sink.out[0].delivered, 3);
	assert_int_equal(x->sink.out[1].channel, 2);
	assert_int_equal(x->sink.out[1].time, 1005);
	assert_int_equal(x->sink.out[2].seq, 3);
	assert_int_equal(x->sink.out[2].events, 2);
	assert_int_equal(x->sink.out[2].delivered, 1);
	assert_int_equal(stats(x)->filtered, 1);
	assert_int_equal(stats(x)->events_out, 6);
	assert_int_equal(stats(x)->gaps, 0);
	fixture__free(x);
}

/* Whole frames are emitted with their watermarks, so that a recording of them can be merged again. */
static void watermarks_rule_and_stay(void **state)
{
	struct fixture *x = packed__new();

	(void)state;
	put_events(x, 1, 0, 1000, 2);
	assert_int_equal(x->sink.n, 0);
	mark1(x, 1005, 2);
	assert_int_equal(x->sink.n, 2);
	assert_int_equal(x->sink.out[0].type, TW_TLV_WATERMARK); /* a control frame precedes events that are later */
	assert_int_equal(x->sink.out[1].events, 2);
	put_events(x, 1, 2, 1100, 2);
	mark1(x, 1099, 4);
	assert_int_equal(x->sink.n, 3);
	assert_books(x);
	assert_int_equal(x->sink.n, 4);
	fixture__free(x);
}

static void late_frames_are_flagged(void **state)
{
	struct fixture *x = packed__new();
	size_t came_out;

	(void)state;
	put_events(x, 1, 0, 1000, 2);
	put_events(x, 1, 5, 1100, 3);
	mark1(x, 2000, 8);
	mark1(x, 3000000000, 8);
	came_out = x->sink.n;
	put_events(x, 1, 2, 1050, 2);
	assert_int_equal(x->sink.n, came_out + 1);
	put_events(x, 1, 2, 1050, 2); /* a duplicate is not emitted again */
	assert_int_equal(x->sink.n, came_out + 1);
	assert_books(x);
	assert_int_equal(stats(x)->late, 2);
	assert_int_equal(stats(x)->duplicates, 2);
	assert_int_equal(stats(x)->gaps_wire, 1);
	assert_int_equal(x->sink.out[x->sink.n - 1].seq, 2);
	assert_true(x->sink.out[x->sink.n - 1].late);
	fixture__free(x);
}

/* A frame of which a part arrived before is emitted again; each event is counted once. */
static void overlaps_are_counted_once(void **state)
{
	struct fixture *x = packed__new();

	(void)state;
	put_events(x, 1, 0, 1000, 4);
	put_events(x, 1, 2, 1020, 5);
	assert_books(x);
	assert_int_equal(stats(x)->events_out, 7);
	assert_int_equal(stats(x)->duplicates, 2);
	assert_int_equal(x->sink.out[1].delivered, 3);
	fixture__free(x);
}

/* A frame that arrived twice before its turn is emitted once. */
static void duplicates_come_out_once(void **state)
{
	struct fixture *x = packed__new();

	(void)state;
	put_events(x, 1, 0, 1000, 4);
	put_events(x, 1, 0, 1000, 4);
	put_events(x, 1, 4, 1040, 6);
	put_events(x, 1, 5, 1050, 2); /* the frame before has these events */
	assert_books(x);
	assert_int_equal(x->sink.n, 2);
	assert_int_equal(stats(x)->duplicates, 6);
	fixture__free(x);
}

/* A LOST at the beginning of the frame after a gap explains a part of the gap; the merge reports the rest. */
static void holes_are_reported(void **state)
{
	struct fixture *x = packed__new();
	const struct tw_lost_view shed = { .time = 1100, .where = TW_LOST_SHED, .count = 3 };

	(void)state;
	put_events(x, 1, 0, 1000, 2);
	test_frame__begin(&x->frame, 1, 7, 1100);
	tw_lost__emit(&x->frame.f, &shed);
	test_frame__event(&x->frame, 1100, 7, 24);
	put(x);
	assert_books(x);
	assert_int_equal(x->sink.n, 3);
	assert_int_equal(x->sink.out[1].lost_where, TW_LOST_WIRE);
	assert_int_equal(x->sink.out[1].lost_count, 2);
	assert_int_equal(x->sink.out[1].events, 0);
	assert_int_equal(x->sink.out[1].time, 1100);
	assert_int_equal(x->sink.out[2].lost_where, TW_LOST_SHED);
	assert_int_equal(stats(x)->gaps_reported, 3);
	assert_int_equal(stats(x)->shed, 3);
	fixture__free(x);
}

/* Drops of the sending interface also explain a gap, and are counted separately. The frame arrives twice, but they are counted once. */
static void drops_of_the_interface_are_reported(void **state)
{
	struct fixture *x = packed__new();
	const struct tw_lost_view tx = { .time = 1100, .where = TW_LOST_TX, .count = 4 };
	const struct tw_lost_view shed = { .time = 1100, .where = TW_LOST_SHED, .count = 1 };

	(void)state;
	put_events(x, 1, 0, 1000, 2);
	test_frame__begin(&x->frame, 1, 7, 1100);
	tw_lost__emit(&x->frame.f, &tx);
	tw_lost__emit(&x->frame.f, &shed);
	test_frame__event(&x->frame, 1100, 7, 24);
	put(x);
	put(x);
	assert_books(x);
	assert_int_equal(stats(x)->tx, 4);
	assert_int_equal(stats(x)->shed, 1);
	assert_int_equal(stats(x)->gaps_reported, 5);
	assert_int_equal(stats(x)->gaps_wire, 0);
	assert_int_equal(stats(x)->duplicates, 1);
	fixture__free(x);
}

static void put_pieces(struct fixture *x, uint64_t seq, uint32_t id, unsigned int skip)
{
	uint8_t value[3000] = { 0 };
	unsigned int piece = 0;
	uint32_t at = 0;

	while (at < sizeof(value)) {
		test_frame__begin(&x->frame, 1, seq, 1000);
		x->frame.f.cap = 1000;
		at += (uint32_t)tw_frame__add_part(&x->frame.f, TW_TLV_EVENT, id, value, sizeof(value), at);
		if (piece++ != skip)
			put(x);
	}
}

static void pieces_are_looked_at(void **state)
{
	struct fixture *x = packed__new();

	(void)state;
	put_pieces(x, 0, 1, 99);
	put_pieces(x, 1, 2, 1);
	put_pieces(x, 2, 3, 0);
	put_pieces(x, 3, 4, 99);
	put_pieces(x, 4, 5, 3); /* without the last piece the event is a gap */
	put_events(x, 1, 5, 1000, 1);
	assert_books(x);
	assert_int_equal(stats(x)->incomplete, 2);
	assert_int_equal(stats(x)->events_out, 3);
	assert_int_equal(stats(x)->gaps_wire, 1);
	fixture__free(x);
}

static void put_piece(struct fixture *x, uint64_t seq, uint32_t at)
{
	static const uint8_t value[3000];

	test_frame__begin(&x->frame, 1, seq, 1000);
	x->frame.f.cap = 1000;
	assert_true(tw_frame__add_part(&x->frame.f, TW_TLV_EVENT, 1, value, sizeof(value), at));
	put(x);
}

/* A duplicate piece changes nothing; an overlapping piece makes the event incomplete. */
static void pieces_that_come_twice(void **state)
{
	struct fixture *x = packed__new();
	uint32_t size;

	(void)state;
	test_frame__begin(&x->frame, 1, 0, 1000);
	x->frame.f.cap = 1000;
	size = (uint32_t)tw_frame__add_part(&x->frame.f, TW_TLV_EVENT, 1, (uint8_t[3000]){ 0 }, 3000, 0);
	put_piece(x, 0, 0);
	put_piece(x, 0, size);
	put_piece(x, 0, size);
	for (uint32_t at = 2 * size; at < 3000; at += size)
		put_piece(x, 0, at);
	put_piece(x, 1, 0);
	put_piece(x, 1, size - 4); /* overlaps the first piece */
	for (uint32_t at = 2 * size - 4; at < 3000; at += size)
		put_piece(x, 1, at);
	put_events(x, 1, 2, 1000, 1);
	assert_books(x);
	assert_int_equal(stats(x)->incomplete, 1);
	assert_int_equal(stats(x)->events_out, 2);
	assert_int_equal(stats(x)->gaps_wire, 0);
	fixture__free(x);
}

/* A frame is truncated: its readable events are emitted, the others count as damaged. */
static void cut_frames(void **state)
{
	struct fixture *x = packed__new();
	size_t len;

	(void)state;
	test_frame__begin(&x->frame, 1, 0, 1000);
	for (uint32_t i = 0; i < 4; i++)
		test_frame__event(&x->frame, 1000, i, 24);
	len = test_frame__end(&x->frame);
	put_bytes(x, x->frame.buf, len - 40);
	put_events(x, 1, 4, 1100, 1);
	assert_books(x);
	assert_int_equal(x->sink.n, 2);
	assert_int_equal(x->sink.out[0].delivered, 2);
	assert_int_equal(stats(x)->damaged, 2);
	assert_int_equal(stats(x)->gaps, 0);
	assert_int_equal(stats(x)->malformed, 1);
	fixture__free(x);
}

/*
 * A frame of four events is truncated in the third event; three of its numbers arrived before. Of the missing part, only the number that is
 * new counts as damaged.
 */
static void cut_frames_count_new_numbers(void **state)
{
	struct fixture *x = packed__new();
	size_t len;

	(void)state;
	put_events(x, 1, 0, 1000, 3);
	test_frame__begin(&x->frame, 1, 0, 1000);
	for (uint32_t i = 0; i < 4; i++)
		test_frame__event(&x->frame, 1000, i, 24);
	len = test_frame__end(&x->frame);
	put_bytes(x, x->frame.buf, len - 40);
	assert_books(x);
	assert_int_equal(stats(x)->damaged, 1);
	assert_int_equal(stats(x)->events_out, 3);
	fixture__free(x);
	/* an event that is FILTERED takes the only new number */
	x = packed__new();
	put_events(x, 1, 0, 1000, 3);
	test_frame__begin(&x->frame, 1, 0, 1000);
	test_frame__event(&x->frame, 1000, 0, 24);
	tw_store_be16(x->frame.buf + x->frame.f.len - 32, TW_TLV_FILTERED);
	for (uint32_t i = 1; i < 4; i++)
		test_frame__event(&x->frame, 1000, i, 24);
	len = test_frame__end(&x->frame);
	put_bytes(x, x->frame.buf, len - 40);
	assert_books(x);
	assert_int_equal(stats(x)->filtered, 1);
	assert_int_equal(stats(x)->damaged, 0);
	assert_int_equal(stats(x)->events_out, 3);
	fixture__free(x);
}

/* A truncated frame with a FILTERED event in its readable part: each number counts once, as filtered, emitted or damaged. */
static void cut_frames_with_filtered(void **state)
{
	struct fixture *x = packed__new();
	size_t len;

	(void)state;
	test_frame__begin(&x->frame, 1, 0, 1000);
	test_frame__event(&x->frame, 1000, 0, 24);
	tw_store_be16(x->frame.buf + x->frame.f.len - 32, TW_TLV_FILTERED);
	for (uint32_t i = 1; i < 4; i++)
		test_frame__event(&x->frame, 1000, i, 24);
	len = test_frame__end(&x->frame);
	put_bytes(x, x->frame.buf, len - 40);
	assert_books(x);
	assert_int_equal(stats(x)->filtered, 1);
	assert_int_equal(stats(x)->damaged, 2);
	assert_int_equal(stats(x)->events_out, 1);
	fixture__free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_come_out_as_they_came),
		cmocka_unit_test(watermarks_rule_and_stay),
		cmocka_unit_test(late_frames_are_flagged),
		cmocka_unit_test(overlaps_are_counted_once),
		cmocka_unit_test(duplicates_come_out_once),
		cmocka_unit_test(holes_are_reported),
		cmocka_unit_test(drops_of_the_interface_are_reported),
		cmocka_unit_test(pieces_are_looked_at),
		cmocka_unit_test(pieces_that_come_twice),
		cmocka_unit_test(cut_frames),
		cmocka_unit_test(cut_frames_count_new_numbers),
		cmocka_unit_test(cut_frames_with_filtered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
