/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The merge's table of streams: hundreds of streams at once, retired streams, and strangers. */
#include "merging.h"

#define SECOND 1000000000ull

static struct fixture *live__new(struct tw_merge_options options)
{
	struct fixture *x = fixture__new(options);

	x->live = true;
	x->arrival.now = SECOND;
	return x;
}

/* Put @events frames of one event each, numbered from @seq on, and a watermark. */
static void put_stream(struct fixture *x, uint64_t stream, uint64_t seq, uint64_t events)
{
	x->frame.stream = stream;
	for (uint64_t i = 0; i < events; i++)
		put_events(x, 1, seq + i, 1000 + 10 * (seq + i), 1);
	mark1(x, 1000 + 10 * (seq + events), seq + events);
}

static void put_known(struct fixture *x, uint64_t stream, uint64_t seq, uint64_t events)
{
	x->frame.stream = stream;
	put_hello(x, 900);
	put_stream(x, stream, seq, events);
}

static void two_hundred_at_once(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	for (uint64_t round = 0; round < 20; round++) {
		for (uint64_t i = 0; i < 200; i++)
			put_stream(x, i * 512 * 77, round * 3, 3);
	}
	assert_int_equal(stats(x)->streams, 200);
	assert_int_equal(stats(x)->events_out, 200 * 60);
	assert_int_equal(stream_stats(x, 199 * 512 * 77).events_out, 60);
	assert_books(x);
	fixture__free(x);
}

static void aside_is_somebody_elses(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });
	const struct tw_time_sync_view exchange = { .id = 1, .asked = 2 };

	(void)state;
	test_frame__begin(&x->frame, TW_CHANNEL_OUT_OF_BAND, 0, 0);
	x->frame.f.info.source = TW_SOURCE_OUT_OF_BAND;
	assert_true(tw_time_sync__emit(&x->frame.f, &exchange));
	put(x);
	assert_int_equal(stats(x)->frames + stats(x)->malformed + stats(x)->streams, 0);
	fixture__free(x);
}

/* A stream is retired some time after its END, so that frames that END overtook still find their place. */
static void an_ended_stream_is_retired(void **state)
{
	struct fixture *x = live__new((struct tw_merge_options){ .wait_ns = SECOND });

	(void)state;
	x->frame.joined = true;
	put_known(x, 3, 50, 5);
	put_events(x, 1, 57, 9000, 1);
	put_end(x, 9000);
	tick(x, SECOND / 2);
	put_events(x, 1, 55, 8000, 1);
	assert_int_equal(x->retired.n, 0);
	for (int i = 0; i < 20; i++)
		tick(x, SECOND / 5);
	assert_int_equal(x->retired.n, 1);
	assert_int_equal(x->retired.stream[0], 3);
	assert_sums(&x->retired.stats[0]);
	assert_int_equal(x->retired.stats[0].before, 50);
	assert_int_equal(x->retired.stats[0].received, 7);
	assert_int_equal(x->retired.stats[0].gaps_wire, 1);
	assert_int_equal(x->retired.stats[0].ended, 1);
	assert_int_equal(stream_stats(x, 3).events_out, 0);
	assert_int_equal(stats(x)->streams, 0);
	assert_int_equal(stats(x)->events_out, 7); /* the totals include the retired stream */
	assert_int_equal(stats(x)->retired, 1);
	assert_books(x);
	fixture__free(x);
}

/* The producer was killed, so its stream has no END. When the stream is retired, announced events that never arrived are missing. */
static void a_silent_stream_is_retired(void **state)
{
	struct fixture *x = live__new((struct tw_merge_options){ .from_start = true,
								 .one_order = true,
								 .report_gaps = true,
								 .wait_ns = SECOND,
								 .retire_ns = 10 * SECOND });

	(void)state;
	set_offset(x, 7, 0);
	put_known(x, 7, 0, 5);
	mark1(x, 5000, 8);
	for (int i = 0; i < 18; i++)
		tick(x, SECOND / 2);
	assert_int_equal(x->retired.n, 0);
	assert_int_equal(stats(x)->gaps, 0);
	tick(x, SECOND);
	assert_int_equal(x->retired.n, 1);
	assert_int_equal(x->retired.stats[0].gaps_wire, 3);
	assert_int_equal(x->sink.out[x->sink.n - 1].lost_where, TW_LOST_WIRE);
	assert_int_equal(x->sink.out[x->sink.n - 1].lost_count, 3);
	put_stream(x, 7, 20, 1); /* the stream lives after all, and gets a new place in the table */
	assert_int_equal(stats(x)->streams, 1);
	assert_books(x);
	fixture__free(x);
}

/* Frames with forged ids arrive: the known streams keep their places, and nothing that arrived is lost or uncounted. */
static void strangers_make_room_for_each_other(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	for (uint64_t i = 0; i < 200; i++)
		put_known(x, i, 0, 2);
	for (uint64_t i = 0; i < 5000; i++) {
		x->frame.stream = 1000 + i;
		put_events(x, 1, 0, 1000 + i, 1);
		if (i % 100 == 0)
			put_stream(x, i / 100, 2, 1);
	}
	assert_int_equal(stats(x)->streams, TW_STREAMS_LIVE_MAX);
	assert_int_equal(stats(x)->retired, 5000 - (TW_STREAMS_LIVE_MAX - 200));
	assert_int_equal(x->retired.stream[0],
			 1000); /* the stream that was silent for the longest time is retired first */
	assert_int_equal(x->retired.stream[1], 1001);
	assert_int_equal(stats(x)->refused, 0);
	for (uint64_t i = 0; i < 200; i++)
		assert_int_equal(stream_stats(x, i).received + stream_stats(x, i).gaps, i < 50 ? 3 : 2);
	assert_books(x);
	assert_int_equal(stats(x)->events_out, 200 * 2 + 50 + 5000);
	fixture__free(x);
}

static void what_ended_makes_room_before_strangers(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	for (uint64_t i = 0; i < TW_STREAMS_LIVE_MAX; i++)
		put_stream(x, i, 0, 1);
	x->frame.stream = 99;
	put_end(x, 5000);
	put_stream(x, 5000, 0, 1);
	put_stream(x, 5001, 0, 1);
	assert_int_equal(x->retired.n, 2);
	assert_int_equal(x->retired.stream[0], 99);
	assert_int_equal(x->retired.stream[1], 0);
	fixture__free(x);
}

/* A stream of which only one frame with its name arrived does not keep its place. */
static void named_strangers_make_room(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	for (uint64_t i = 0; i < 300; i++) {
		x->frame.stream = 1000 + i;
		put_hello(x, 900);
	}
	put_known(x, 1, 0, 5);
	assert_int_equal(stats(x)->refused, 0);
	assert_int_equal(stats(x)->retired, 301 - TW_STREAMS_LIVE_MAX);
	assert_int_equal(stream_stats(x, 1).events_in, 5);
	assert_books(x);
	fixture__free(x);
}

/* Streams of killed producers have no END, and are silent: one of them makes room. */
static void the_dead_make_room(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	for (uint64_t i = 0; i < TW_STREAMS_LIVE_MAX; i++)
		put_known(x, i, 0, 5);
	put_known(x, 999, 0, 5);
	assert_int_equal(stats(x)->refused, 7);
	put_stream(x, 0, 5, 70000);
	put_known(x, 999, 0, 5);
	assert_int_equal(stats(x)->refused, 7);
	assert_int_equal(x->retired.n, 1);
	assert_int_equal(x->retired.stream[0], 1);
	assert_int_equal(stream_stats(x, 999).events_in, 5);
	assert_books(x);
	fixture__free(x);
}

/* The times of strangers' events do not affect the order of other streams. */
static void strangers_don_t_make_others_late(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .one_order = true });
	uint64_t seq = 0;

	(void)state;
	set_offset(x, 0, 0);
	put_known(x, 0, 0, 1);
	for (uint64_t i = 0; i < 1000; i++) {
		x->frame.stream = 1000 + i;
		put_events(x, 1, 0, UINT64_MAX - i, 1);
		if (i > TW_STREAMS_LIVE_MAX)
			put_stream(x, 0, ++seq, 1);
	}
	assert_books(x);
	assert_int_equal(stream_stats(x, 0).late, 0);
	fixture__free(x);
}

/* All streams in the table are proved and none has ended: there is no room for another stream, and its frames count as refused. */
static void what_finds_no_place_is_counted(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true, .one_order = true });

	(void)state;
	for (uint64_t i = 0; i < TW_STREAMS_LIVE_MAX; i++)
		put_known(x, i, 0, 1);
	put_known(x, 999, 0, 5);
	assert_int_equal(stats(x)->refused, 7);
	assert_int_equal(stats(x)->refused_events, 5);
	assert_int_equal(tw_merge__set_offset(x->merge, TEST_STREAM + 999, 0), -28);
	x->frame.stream = 17;
	put_end(x, 5000);
	put_known(x, 999, 0, 5); /* the stream that ended makes room */
	assert_int_equal(x->retired.n, 1);
	assert_int_equal(x->retired.stream[0], 17);
	assert_int_equal(stats(x)->refused, 7);
	assert_int_equal(stream_stats(x, 999).events_in, 5);
	assert_books(x);
	fixture__free(x);
}

/* Thousands of producers start, and end or are killed. */
static void restarts_for_days(void **state)
{
	struct fixture *x = live__new((struct tw_merge_options){ .one_order = true, .wait_ns = SECOND });

	(void)state;
	for (uint64_t i = 0; i < 3000; i++) {
		set_offset(x, i, 0);
		put_known(x, i, 0, 3);
		if (i % 2)
			put_end(x, 5000);
		for (int k = 0; k < 10; k++)
			tick(x, SECOND);
	}
	assert_true(stats(x)->streams < 40);
	assert_int_equal(stats(x)->refused, 0);
	assert_books(x);
	assert_int_equal(stats(x)->events_out, 9000);
	fixture__free(x);
}

static void too_many_channels_are_refused(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	for (uint32_t channel = 1; channel <= TW_STREAM_CHANNELS_MAX + 5; channel++)
		put_events(x, (uint16_t)channel, 0, 1000, 2);
	assert_int_equal(stats(x)->refused, 5);
	assert_int_equal(stats(x)->refused_events, 10);
	assert_books(x);
	assert_int_equal(stats(x)->events_out, 2 * TW_STREAM_CHANNELS_MAX);
	fixture__free(x);
}

/*
 * Strangers' streams use as many channels as they can get. Each other stream still has its own share of channels. When the strangers'
 * streams are retired, there is as much room as before.
 */
static void others_have_channels_left(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });
	uint64_t refused;

	(void)state;
	for (uint64_t stream = 1; stream <= 10; stream++) {
		x->frame.stream = stream;
		for (uint32_t channel = 1; channel <= TW_STREAM_CHANNELS_MAX; channel++)
			put_events(x, (uint16_t)channel, 0, 1000, 1);
	}
	refused = stats(x)->refused;
	assert_true(refused > 0);
	x->frame.stream = 77;
	for (uint16_t channel = 1; channel <= TW_STREAM_CHANNELS_OWN; channel++)
		put_events(x, channel, 0, 1000, 1);
	assert_int_equal(stats(x)->refused, refused);
	for (uint64_t stream = 1; stream <= 10; stream++)
		assert_int_equal(tw_merge__retire(x->merge, TEST_STREAM + stream), 0);
	x->frame.stream = 78;
	for (uint32_t channel = 1; channel <= TW_STREAM_CHANNELS_MAX; channel++)
		put_events(x, (uint16_t)channel, 0, 1000, 1);
	assert_int_equal(stats(x)->refused, refused);
	fixture__free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_hundred_at_once),
		cmocka_unit_test(aside_is_somebody_elses),
		cmocka_unit_test(an_ended_stream_is_retired),
		cmocka_unit_test(a_silent_stream_is_retired),
		cmocka_unit_test(strangers_make_room_for_each_other),
		cmocka_unit_test(what_ended_makes_room_before_strangers),
		cmocka_unit_test(named_strangers_make_room),
		cmocka_unit_test(the_dead_make_room),
		cmocka_unit_test(strangers_don_t_make_others_late),
		cmocka_unit_test(what_finds_no_place_is_counted),
		cmocka_unit_test(restarts_for_days),
		cmocka_unit_test(too_many_channels_are_refused),
		cmocka_unit_test(others_have_channels_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
