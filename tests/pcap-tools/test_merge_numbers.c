/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a merge derives from the numbers of a channel: gaps, duplicates, wrong numbers. */
#include "merging.h"

static void gaps_are_counted_and_taken_off_when_filled(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true, .wait_ns = 10 });

	(void)state;
	put_events(x, 1, 0, 1000, 2);
	put_events(x, 1, 7, 1100, 1);
	mark1(x, 1105, 8);
	assert_int_equal(x->sink.n, 2); /* events 2 to 6 may still arrive, so nothing after 1095 is emitted */
	mark1(x, 6000, 8);
	assert_int_equal(x->sink.n, 3);
	assert_int_equal(stats(x)->gaps, 5);
	put_events(x, 1, 3, 1050, 2);
	assert_int_equal(stats(x)->gaps, 3);
	assert_int_equal(x->sink.n, 5);
	assert_true(x->sink.out[3].late);
	assert_int_equal(x->sink.out[3].seq, 3);
	put_events(x, 1, 3, 1050, 2); /* the same frame again */
	assert_int_equal(x->sink.n, 5);
	assert_int_equal(stats(x)->duplicates, 2);
	put_events(x, 1, 2, 1040, 1);
	put_events(x, 1, 5, 1070, 2);
	assert_int_equal(stats(x)->gaps, 0);
	assert_books(x);
	assert_int_equal(stats(x)->events_out, 8);
	fixture__free(x);
}

static void reordered_frames_fall_into_place(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	put_events(x, 1, 4, 1040, 2);
	put_events(x, 1, 2, 1020, 2);
	put_events(x, 1, 2, 1020, 2);
	put_events(x, 1, 0, 1000, 2);
	mark1(x, 2000, 6);
	assert_int_equal(x->sink.n, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(x->sink.out[i].seq, i);
	assert_books(x);
	assert_int_equal(stats(x)->duplicates, 2);
	assert_int_equal(stats(x)->gaps, 0);
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

static void late_joiner_misses_nothing(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = false });

	(void)state;
	put_events(x, 1, 102, 1020, 1);
	put_events(x, 1, 100, 1000, 2);
	mark1(x, 2000, 103);
	assert_int_equal(x->sink.n, 3);
	assert_int_equal(x->sink.out[0].seq, 100);
	assert_books(x);
	assert_int_equal(stats(x)->gaps, 0);
	fixture__free(x);
}

/*
 * A capture joins late, and its first frame is a watermark. The numbers after the watermark that never arrive are missing, also on a
 * channel without any event.
 */
static void late_joiner_heard_of_them(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = false });
	const uint16_t channels[] = { 1, 2, 3 };

	(void)state;
	put_watermark(x, 500, channels, (const uint64_t[]){ 90, 7, 5 }, 3);
	put_events(x, 1, 102, 1020, 1);
	put_events(x, 1, 100, 1000, 2);
	put_events(x, 3, 3, 1000, 2); /* the watermark has overtaken these events */
	put_watermark(x, 2000, channels, (const uint64_t[]){ 103, 11, 5 }, 3);
	assert_int_equal(tw_merge__flush(x->merge), 0);
	assert_int_equal(x->sink.n, 5);
	assert_books(x);
	assert_int_equal(stats(x)->gaps, 10 + 4);
	fixture__free(x);
}

static void lost_and_filtered(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });
	const struct tw_lost_view lost = { .time = 1010, .where = TW_LOST_RING, .count = 9 };

	(void)state;
	test_frame__begin(&x->frame, 1, 0, 1000);
	test_frame__event(&x->frame, 1000, 1, 24);
	tw_lost__emit(&x->frame.f, &lost);
	test_frame__event(&x->frame, 1010, 2, 24);
	tw_store_be16(x->frame.buf + x->frame.f.len - 32, TW_TLV_FILTERED); /* the second event */
	test_frame__event(&x->frame, 1020, 3, 24);
	put(x);
	mark1(x, 2000, 3);
	assert_int_equal(x->sink.n, 3);
	assert_int_equal(x->sink.out[1].type, TW_TLV_LOST);
	assert_int_equal(x->sink.out[1].time, 1010);
	assert_int_equal(x->sink.out[1].events, 0);
	assert_int_equal(x->sink.out[2].seq, 2);
	assert_books(x);
	assert_int_equal(stats(x)->filtered, 1);
	assert_int_equal(stats(x)->gaps, 0);
	fixture__free(x);
}

static void lies_are_refused(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });
	size_t len;

	(void)state;
	put_events(x, 1, 1ull << 60, 1000, 3);
	put_events(x, 1, UINT64_MAX - 2, 1000, 3);
	mark1(x, 2000, 1ull << 61);
	assert_int_equal(stats(x)->malformed, 3);
	put_events(x, 1, 0, 1000, 1);

	test_frame__begin(&x->frame, 1, 1, 1100); /* truncated in its second event */
	test_frame__event(&x->frame, 1100, 1, 24);
	test_frame__event(&x->frame, 1110, 2, 24);
	len = test_frame__end(&x->frame);
	put_bytes(x, x->frame.buf, len - 8);

	test_frame__begin(&x->frame, 1, 3, 1200); /* fewer numbers than events */
	test_frame__event(&x->frame, 1200, 3, 24);
	test_frame__event(&x->frame, 1210, 4, 24);
	x->frame.f.info.events = 1;
	put(x);

	put_bytes(x, "TWR1", 4);
	assert_books(x);
	assert_int_equal(stats(x)->events_out, 3);
	assert_int_equal(stats(x)->gaps, 0);
	assert_int_equal(stats(x)->damaged, 1);
	assert_int_equal(stats(x)->malformed, 6);
	fixture__free(x);
}

static void put_lost(struct fixture *x, uint64_t seq, uint64_t time, uint16_t where, uint64_t count)
{
	const struct tw_lost_view lost = { .time = time, .where = where, .count = count };

	test_frame__begin(&x->frame, 1, seq, time);
	assert_true(tw_lost__emit(&x->frame.f, &lost));
	put(x);
}

static void assert_lost(const struct seen *seen, uint16_t where, uint64_t count, uint64_t seq, uint64_t time)
{
	assert_int_equal(seen->type, TW_TLV_LOST);
	assert_int_equal(seen->lost_where, where);
	assert_int_equal(seen->lost_count, count);
	assert_int_equal(seen->channel, 1);
	assert_int_equal(seen->seq, seq);
	assert_int_equal(seen->time, time);
	assert_int_equal(seen->events, 0);
}

/* The LOST for a gap precedes the event after the gap and has its time. The LOST for announced events that never arrived is at the end. */
static void holes_are_reported(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true, .report_gaps = true });

	(void)state;
	put_events(x, 1, 2, 1000, 1);
	put_events(x, 1, 6, 1100, 1);
	mark1(x, 2000, 11);
	assert_books(x);
	assert_int_equal(x->sink.n, 5);
	assert_lost(&x->sink.out[0], TW_LOST_WIRE, 2, 2, 1000);
	assert_lost(&x->sink.out[2], TW_LOST_WIRE, 3, 6, 1100);
	assert_int_equal(x->sink.out[3].seq, 6);
	assert_lost(&x->sink.out[4], TW_LOST_WIRE, 4, 11, 1100);
	assert_int_equal(stats(x)->gaps_wire, 9);
	assert_int_equal(stats(x)->gaps, 9);
	fixture__free(x);
}

/* Only a watermark arrived. */
static void all_is_missing(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true, .report_gaps = true });

	(void)state;
	mark1(x, 2000, 11);
	assert_books(x);
	assert_int_equal(x->sink.n, 1);
	assert_lost(&x->sink.out[0], TW_LOST_WIRE, 11, 11, 2000);
	fixture__free(x);
}

/* If the receiver dropped frames between the frames before and after a gap, it lost the gap, whatever arrived on other channels. */
static void holes_are_the_receivers_when_it_dropped(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true, .report_gaps = true });

	(void)state;
	x->live = true;
	x->arrival.dropped = 3;
	put_events(x, 1, 0, 1000, 1);
	put_events(x, 1, 2, 1100, 1); /* a gap without a drop */
	x->arrival.dropped = 4;
	put_events(x, 2, 0, 1150, 1);
	put_events(x, 1, 5, 1200, 1);
	put_events(x, 1, 7, 1300, 1);
	x->arrival.dropped = 9;
	mark2(x, 2000, 9, 1);
	assert_books(x);
	assert_lost(&x->sink.out[1], TW_LOST_WIRE, 1, 2, 1100);
	assert_lost(&x->sink.out[4], TW_LOST_RECEIVER, 2, 5, 1200);
	assert_lost(&x->sink.out[6], TW_LOST_WIRE, 1, 7, 1300);
	assert_lost(&x->sink.out[8], TW_LOST_RECEIVER, 1, 9, 1300);
	assert_int_equal(stats(x)->gaps_wire, 2);
	assert_int_equal(stats(x)->gaps_receiver, 3);
	fixture__free(x);
}

/*
 * A late frame does not count as the frame before the next gap. The receiver lost the events of this gap, although it dropped nothing between
 * the late frame and the frame after the gap.
 */
static void a_late_frame_ends_no_hole(void **state)
{
	struct fixture *x =
		fixture__new((struct tw_merge_options){ .from_start = true, .report_gaps = true, .wait_ns = 10 });

	(void)state;
	x->live = true;
	x->arrival.dropped = 3;
	put_events(x, 1, 0, 1000, 1);
	put_events(x, 1, 5, 1100, 1); /* a gap without a drop */
	mark1(x, 1105, 6);
	mark1(x, 6000, 6);
	x->arrival.dropped = 9;
	put_events(x, 1, 2, 1050, 1);
	put_events(x, 1, 8, 6100, 1);
	mark1(x, 6200, 9);
	assert_books(x);
	assert_int_equal(stats(x)->late, 1);
	assert_lost(&x->sink.out[1], TW_LOST_WIRE, 4, 5, 1100);
	assert_int_equal(x->sink.out[3].seq, 2);
	assert_lost(&x->sink.out[4], TW_LOST_RECEIVER, 2, 8, 6100);
	assert_int_equal(stats(x)->gaps_wire, 3);
	assert_int_equal(stats(x)->gaps_receiver, 2);
	fixture__free(x);
}

/* Losses that a LOST before an event reports, in its frame or in a separate one, are not reported again; further losses are. */
static void told_losses_are_not_reported_twice(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true, .report_gaps = true });
	const struct tw_lost_view tx = { .time = 1200, .where = TW_LOST_TX, .count = 3 };

	(void)state;
	put_events(x, 1, 0, 1000, 1);
	put_lost(x, 5, 1100, TW_LOST_SHED, 4);
	put_events(x, 1, 5, 1100, 1); /* 1 to 4 are reported */
	test_frame__begin(&x->frame, 1, 11, 1200);
	assert_true(tw_lost__emit(&x->frame.f, &tx));
	assert_true(test_frame__event(&x->frame, 1200, 11, 24));
	put(x); /* 3 of the losses 6 to 10 are reported */
	put_lost(x, 12, 1250, TW_LOST_RING, 50);
	put_events(x, 1, 14, 1300, 1); /* ring losses have no numbers, so that LOST does not report 12 and 13 */
	mark1(x, 2000, 15);
	assert_books(x);
	assert_int_equal(x->sink.n, 9);
	assert_int_equal(x->sink.out[1].lost_where, TW_LOST_SHED);
	assert_int_equal(x->sink.out[2].seq, 5);
	assert_int_equal(x->sink.out[3].lost_where, TW_LOST_TX);
	assert_lost(&x->sink.out[4], TW_LOST_WIRE, 2, 11, 1200);
	assert_int_equal(x->sink.out[6].lost_where, TW_LOST_RING);
	assert_lost(&x->sink.out[7], TW_LOST_WIRE, 2, 14, 1300);
	assert_int_equal(stats(x)->gaps_reported, 7);
	assert_int_equal(stats(x)->gaps_wire, 4);
	assert_int_equal(stats(x)->shed, 4);
	assert_int_equal(stats(x)->tx, 3);
	fixture__free(x);
}

/* A LOST that reports more events than are missing before it explains that gap only, not the next one. */
static void what_is_reported_explains_one_hole(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true, .report_gaps = true });

	(void)state;
	put_events(x, 1, 0, 1000, 1);
	put_lost(x, 3, 1100, TW_LOST_SHED, 9);
	put_events(x, 1, 3, 1100, 1);
	put_events(x, 1, 7, 1200, 1);
	assert_books(x);
	assert_int_equal(x->sink.n, 5);
	assert_lost(&x->sink.out[3], TW_LOST_WIRE, 3, 7, 1200);
	assert_int_equal(stats(x)->gaps_reported, 2);
	fixture__free(x);
}

/* A forged frame has a number far ahead. The stream's own events are still emitted, although they seem late. */
static void a_jump_loses_nothing(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true, .wait_ns = 100 });

	(void)state;
	put_events(x, 1, 0, 1000, 2);
	put_events(x, 1, 1ull << 31, 1010, 1);
	mark1(x, 5000, 2);
	mark1(x, 6000, 2);
	for (uint64_t seq = 2; seq < 40; seq += 2)
		put_events(x, 1, seq, 6000 + 100 * seq, 2);
	mark1(x, 10000, 40);
	assert_books(x);
	assert_int_equal(stats(x)->events_out, 41);
	assert_int_equal(stats(x)->gaps, (1ull << 31) - 40);
	assert_int_equal(stats(x)->duplicates, 0);
	fixture__free(x);
}

static void joining_late_tells_what_was_before(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .wait_ns = 100 });
	struct tw_stream_numbers s;

	(void)state;
	put_events(x, 1, 100, 1000, 2);
	put_events(x, 2, 55, 1000, 1);
	put_events(x, 1, 90, 900, 2); /* nothing is emitted yet, so the capture joined at these events */
	mark2(x, 3000, 102, 56);
	mark2(x, 4000, 102, 56);
	assert_books(x);
	s = stream_stats(x, 0);
	assert_int_equal(s.before, 90 + 55);
	assert_int_equal(s.received, 5);
	assert_int_equal(s.gaps, 8);
	assert_int_equal(s.numbers, 102 + 56);
	assert_sums(&s);
	fixture__free(x);
}

/*
 * The stream's first control frame arrived, so events missing at the beginning of a channel are lost, not from before the capture joined,
 * even if the first watermark is missing.
 */
static void who_saw_the_start_misses_first_events(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .report_gaps = true });

	(void)state;
	x->live = true;
	x->arrival.dropped = 7; /* drops before this stream began */
	put_control(x, 0);
	put_events(x, 1, 3, 1000, 1);
	x->arrival.dropped = 8;
	put_events(x, 2, 2, 1100, 1);
	mark2(x, 2000, 4, 3);
	assert_books(x);
	assert_lost(&x->sink.out[0], TW_LOST_WIRE, 3, 3, 1000);
	assert_int_equal(x->sink.out[2].lost_where, TW_LOST_RECEIVER);
	assert_int_equal(stats(x)->before, 0);
	assert_int_equal(stats(x)->gaps_wire, 3);
	assert_int_equal(stats(x)->gaps_receiver, 2);
	fixture__free(x);
}

/* Events overtook the stream's first control frame in the network. */
static void the_start_comes_behind_events(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .report_gaps = true });

	(void)state;
	put_events(x, 1, 4, 1040, 2);
	put_events(x, 2, 5, 900, 1);
	mark2(x, 950, 4, 6);
	assert_int_equal(x->sink.n, 1); /* one channel's first event is already emitted */
	put_control(x, 0);
	put_events(x, 1, 0, 1000, 2);
	put_events(x, 2, 2, 870, 2);
	mark2(x, 2000, 6, 6);
	assert_books(x);
	assert_int_equal(x->sink.n, 1 + 2 + 5);
	assert_int_equal(x->sink.out[1].seq, 2);
	assert_int_equal(x->sink.out[3].seq, 0);
	assert_lost(&x->sink.out[5], TW_LOST_WIRE, 2, 4, 1040);
	assert_int_equal(stats(x)->before, 0);
	assert_int_equal(stats(x)->events_out, 7);
	assert_int_equal(stats(x)->gaps_wire, 2 + 3);
	fixture__free(x);
}

/* Effects of a network on frames of one channel: some are lost, some duplicated, some overtake others. */
struct wire {
	struct {
		uint64_t seq, time;
		uint32_t n;
		bool lost, twice;
	} frames[4000];
	size_t n;
	uint64_t lost, twice, reordered, highest;
	bool is_receiver; /* the receiver loses the frames, and its drop counter shows this */
};

static void wire__fill(struct wire *w, unsigned int percent)
{
	uint64_t seq = 0, time = 1000;

	*w = (struct wire){ .n = sizeof(w->frames) / sizeof(w->frames[0]), .is_receiver = w->is_receiver };
	for (size_t i = 0; i < w->n; i++) {
		w->frames[i].seq = seq;
		w->frames[i].time = time;
		w->frames[i].n = 1 + (uint32_t)rand() % 9;
		w->frames[i].lost = (unsigned int)rand() % 100 < percent;
		w->frames[i].twice = !w->frames[i].lost && (unsigned int)rand() % 100 < percent;
		w->lost += w->frames[i].lost ? w->frames[i].n : 0;
		w->twice += w->frames[i].twice ? w->frames[i].n : 0;
		seq += w->frames[i].n;
		time += 100;
	}
}

static void wire__send(struct wire *w, struct fixture *x, size_t i)
{
	if (w->frames[i].lost) {
		x->arrival.dropped += w->is_receiver;
		return;
	}
	for (int times = 0; times <= w->frames[i].twice; times++)
		put_events(x, 1, w->frames[i].seq, w->frames[i].time, w->frames[i].n);
	if (w->frames[i].seq < w->highest)
		w->reordered++;
	else
		w->highest = w->frames[i].seq;
}

/* Send all frames, in groups of @depth frames; the order within a group is random. */
static void wire__run(struct wire *w, struct fixture *x, size_t depth)
{
	const size_t last = w->n - 1;

	for (size_t from = 0; from < w->n; from += depth) {
		size_t order[16] = { 0 }, n = w->n - from < depth ? w->n - from : depth;

		for (size_t i = 0; i < n; i++) {
			const size_t other = (size_t)rand() % (i + 1);

			order[i] = order[other];
			order[other] = from + i;
		}
		for (size_t i = 0; i < n; i++)
			wire__send(w, x, order[i]);
		if (rand() % 4 == 0)
			mark1(x, w->frames[from + n - 1].time, w->frames[from + n - 1].seq + w->frames[from + n - 1].n);
	}
	mark1(x, w->frames[last].time + 1000, w->frames[last].seq + w->frames[last].n);
}

static uint64_t sum_of_lost(const struct fixture *x, uint16_t where)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < x->sink.n; i++)
		sum += x->sink.out[i].lost_where == where ? x->sink.out[i].lost_count : 0;
	return sum;
}

static void random_wire(unsigned int seed, struct tw_merge_options options, bool is_receiver)
{
	static struct wire wire;
	struct fixture *x;
	uint64_t sent;

	options.from_start = options.report_gaps = true;
	x = fixture__new(options);
	x->live = true;
	srand(seed);
	wire.is_receiver = is_receiver;
	wire__fill(&wire, seed % 30);
	sent = wire.frames[wire.n - 1].seq + wire.frames[wire.n - 1].n;
	wire__run(&wire, x, is_receiver ? 1 : 1 + seed % 16);
	assert_books(x);
	assert_int_equal(stats(x)->numbers, sent);
	assert_int_equal(stats(x)->events_out, sent - wire.lost);
	assert_int_equal(stats(x)->gaps, wire.lost);
	assert_int_equal(stats(x)->duplicates, wire.twice);
	assert_int_equal(stats(x)->reordered, wire.reordered);
	assert_int_equal(is_receiver ? stats(x)->gaps_receiver : stats(x)->gaps_wire, wire.lost);
	assert_int_equal(sum_of_lost(x, is_receiver ? TW_LOST_RECEIVER : TW_LOST_WIRE), wire.lost);
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

static void random_losses_are_counted_exactly(void **state)
{
	(void)state;
	for (unsigned int seed = 1; seed <= 40; seed++) {
		random_wire(seed, (struct tw_merge_options){ .wait_ns = 1000000000 }, seed % 2);
		random_wire(seed, (struct tw_merge_options){ .wait_ns = 1000000000, .packed = true }, seed % 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_are_counted_and_taken_off_when_filled),
		cmocka_unit_test(reordered_frames_fall_into_place),
		cmocka_unit_test(late_joiner_misses_nothing),
		cmocka_unit_test(late_joiner_heard_of_them),
		cmocka_unit_test(lost_and_filtered),
		cmocka_unit_test(lies_are_refused),
		cmocka_unit_test(holes_are_reported),
		cmocka_unit_test(all_is_missing),
		cmocka_unit_test(holes_are_the_receivers_when_it_dropped),
		cmocka_unit_test(a_late_frame_ends_no_hole),
		cmocka_unit_test(told_losses_are_not_reported_twice),
		cmocka_unit_test(what_is_reported_explains_one_hole),
		cmocka_unit_test(a_jump_loses_nothing),
		cmocka_unit_test(joining_late_tells_what_was_before),
		cmocka_unit_test(who_saw_the_start_misses_first_events),
		cmocka_unit_test(the_start_comes_behind_events),
		cmocka_unit_test(random_losses_are_counted_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
