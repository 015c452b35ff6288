/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several streams, each with its own clock, in one order. */
#include "merging.h"

#define SECOND 1000000000ull

static void from_stream(struct fixture *x, uint64_t stream)
{
	x->frame.stream = stream;
}

/* Makes a merge of @n streams. To a time of the clock of stream i, i * @apart ns must be added to get the common time. */
static struct fixture *streams__new(struct tw_merge_options options, uint64_t n, int64_t apart)
{
	struct fixture *x;

	options.from_start = options.one_order = true;
	x = fixture__new(options);
	for (uint64_t i = 0; i < n; i++)
		set_offset(x, i, (int64_t)i * apart);
	return x;
}

/* Begin this machine's time at @present of the common time line. */
static void begin_at(struct fixture *x, uint64_t present)
{
	x->live = true;
	x->arrival.now = 1;
	tw_merge__set_present(x->merge, 1, present);
}

static void put_marked(struct fixture *x, uint64_t stream, uint64_t seq, uint64_t time)
{
	from_stream(x, stream);
	put_events(x, 1, seq, time, 1);
	mark1(x, time, seq + 1);
}

static void assert_stream_order(const struct fixture *x, const char *streams)
{
	assert_int_equal(x->sink.n, strlen(streams));
	for (size_t i = 0; i < x->sink.n; i++)
		assert_int_equal(x->sink.out[i].stream, streams[i] - '0');
}

static void clocks_differ(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = SECOND }, 3, 1000000);

	(void)state;
	put_marked(x, 0, 0, 5000000); /* 5000000 of the common time line */
	put_marked(x, 1, 0, 4000100);
	put_marked(x, 2, 0, 3000050);
	assert_stream_order(x, "0"); /* the watermarks of the other streams are not after their own events */
	put_marked(x, 0, 1, 5000075);
	put_marked(x, 2, 1, 3000060);
	put_marked(x, 1, 1, 4000200);
	put_marked(x, 2, 2, 3000300);
	assert_stream_order(x, "0220");
	assert_books(x);
	assert_stream_order(x, "0220112");
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

/* The clock of stream 1 has 2.5 ticks in a ns, like a TSC. Its times and its waits are converted to ns. */
static void a_clock_that_counts_ticks(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = 1000 }, 2, 0);

	(void)state;
	assert_int_equal(tw_merge__set_scale(x->merge, TEST_STREAM + 1,
					     &(struct tw_clock_scale){ (2ull << 32) / 5, 32 }),
			 0);
	put_marked(x, 0, 0, 4000);
	put_marked(x, 1, 0, 9000);  /* 3600 ns */
	put_marked(x, 1, 1, 10250); /* 4100 ns */
	put_marked(x, 0, 1, 4050);
	put_marked(x, 1, 2, 12499);
	assert_stream_order(x, "100");
	put_marked(x, 0, 2, 5098); /* 12499 ticks are 4999 ns */
	assert_stream_order(x, "10011");
	from_stream(x, 1);
	put_events(x, 2, 0, 13000, 1); /* 7 events of this channel are missing; the wait for them is 2500 ticks */
	mark2(x, 13000, 3, 8);
	put_marked(x, 0, 3, 5400);
	from_stream(x, 1);
	mark2(x, 15240, 3, 8);
	assert_stream_order(x, "10011");
	mark2(x, 15250, 3, 8); /* 15250 less the wait is 5100 ns */
	assert_stream_order(x, "100110");
	assert_books(x);
	assert_stream_order(x, "10011010");
	assert_int_equal(x->sink.out[6].time, 13000);
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

/* A negative offset, and times whose sums overflow. */
static void ends_of_time(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = SECOND }, 1, 0);

	(void)state;
	set_offset(x, 1, INT64_MIN);
	set_offset(x, 2, INT64_MAX);
	put_marked(x, 0, 0, 1000);
	put_marked(x, 1, 0, 2000);
	put_marked(x, 2, 0, UINT64_MAX - 5);
	from_stream(x, 1);
	put_events(x, 1, 1, UINT64_MAX, 1);
	assert_books(x);
	assert_int_equal(stats(x)->events_out, 4);
	fixture__free(x);
}

static void waits_for_the_slowest_no_longer_than_reported(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = 1000 }, 2, 0);

	(void)state;
	put_marked(x, 1, 0, 100);
	put_marked(x, 0, 0, 500);
	assert_stream_order(x, "1");
	put_marked(x, 0, 1, 1499);
	assert_stream_order(x, "1");
	put_marked(x, 0, 2, 1500);
	assert_stream_order(x, "10");
	put_marked(x, 1, 1, 450); /* late: 500 is already emitted */
	assert_stream_order(x, "101");
	assert_true(x->sink.out[2].late);
	assert_int_equal(stream_stats(x, 1).late, 1);
	assert_int_equal(stream_stats(x, 0).late, 0);
	fixture__free(x);
}

/* A silent stream delays the others for one wait of this machine's time, and for another one after its next frame. */
static void silence_holds_nobody_up(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = SECOND }, 2, 0);

	(void)state;
	x->live = true;
	x->arrival.now = 1;
	put_marked(x, 1, 0, 1000);
	for (uint64_t i = 0; i < 20; i++) {
		put_marked(x, 0, i, 2000 + i);
		tick(x, SECOND / 10);
	}
	assert_true(x->sink.n > 10);
	put_marked(x, 0, 20, 3000);
	assert_int_equal(x->sink.n, 1 + 21);
	put_marked(x, 1, 1, 3001);
	put_marked(x, 0, 21, 3002);
	assert_int_equal(x->sink.n, 1 + 21 + 1);
	assert_books(x);
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

/*
 * The clock of stream 2 is an hour ahead. The other streams do not wait for it and are not late because of it. Its own events are emitted
 * after a wait.
 */
static void one_that_is_ahead_moves_nobody(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = SECOND }, 3, 0);
	const uint64_t hour = 3600 * SECOND;

	(void)state;
	begin_at(x, hour);
	put_marked(x, 2, 0, 2 * hour);
	put_marked(x, 1, 0, hour + 10);
	assert_stream_order(x, "");
	put_marked(x, 0, 0, hour + 5);
	put_marked(x, 0, 1, hour + 20);
	put_marked(x, 1, 1, hour + 30);
	put_marked(x, 2, 1, 2 * hour + 1);
	put_marked(x, 0, 2, hour + 40);
	assert_stream_order(x, "0101");
	for (int i = 0; i < 16; i++)
		tick(x, SECOND / 10);
	assert_stream_order(x, "0101220");
	put_marked(x, 0, 3, hour + SECOND);
	put_marked(x, 1, 2, hour + SECOND + 1);
	put_marked(x, 2, 2, 2 * hour + SECOND);
	assert_books(x);
	assert_stream_order(x, "0101220012");
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

/*
 * The clocks of two streams are ahead. Their events are emitted stream by stream, and those emitted after newer events of the other stream
 * are late. No other events are late.
 */
static void disorder_of_those_ahead_is_counted(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = SECOND }, 3, 0);
	const uint64_t hour = 3600 * SECOND;

	(void)state;
	begin_at(x, hour);
	put_marked(x, 0, 0, hour);
	put_marked(x, 1, 0, 3 * hour);
	put_marked(x, 2, 0, 2 * hour);
	put_marked(x, 2, 1, 2 * hour + 1);
	for (int i = 0; i < 16; i++)
		tick(x, SECOND / 10);
	put_marked(x, 0, 1, hour + SECOND);
	assert_stream_order(x, "01220");
	assert_books(x);
	assert_int_equal(stream_stats(x, 0).late, 0);
	assert_int_equal(stream_stats(x, 1).late, 0);
	assert_int_equal(stream_stats(x, 2).late, 2);
	fixture__free(x);
}

/*
 * If the clocks of all streams that send are ahead, this machine's clock is behind, and the streams are in one order. When a stream appears
 * that is not ahead, the others make none of its events late.
 */
static void all_that_are_ahead_are_in_order(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = SECOND }, 3, 0);
	const uint64_t hour = 3600 * SECOND;

	(void)state;
	begin_at(x, hour);
	put_marked(x, 2, 0, 2 * hour + 10);
	put_marked(x, 1, 0, 2 * hour + 20);
	for (int i = 0; i < 11; i++)
		tick(x, SECOND / 10); /* stream 0 is silent, and nothing waits for it */
	put_marked(x, 1, 1, 2 * hour + SECOND);
	put_marked(x, 2, 1, 2 * hour + SECOND + 1);
	assert_stream_order(x, "211");
	put_marked(x, 0, 0, hour + SECOND);
	put_marked(x, 0, 1, hour + SECOND + 1);
	assert_stream_order(x, "21100");
	assert_books(x);
	assert_stream_order(x, "211002");
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

/*
 * This machine's clock is behind, and so is that of a stranger (stream 0). After a stream has answered, only the clocks of streams that
 * have answered decide which streams are ahead.
 */
static void a_stranger_does_not_judge(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = SECOND }, 3, 0);
	const uint64_t hour = 3600 * SECOND;

	(void)state;
	begin_at(x, hour);
	put_marked(x, 0, 0, hour);
	put_marked(x, 1, 0, 2 * hour + 10);
	put_marked(x, 2, 0, 2 * hour + 20);
	tw_merge__set_answered(x->merge, TEST_STREAM + 1);
	tw_merge__set_answered(x->merge, TEST_STREAM + 2);
	tw_merge__set_answered(x->merge, TEST_STREAM + 3); /* a stream that the merge does not know */
	put_marked(x, 1, 1, 2 * hour + 10 * SECOND + 30);
	put_marked(x, 2, 1, 2 * hour + 10 * SECOND + 25);
	assert_stream_order(x, "012"); /* the stranger's clock delays the others for one wait of their time */
	put_marked(x, 2, 2, 2 * hour + 20 * SECOND);
	assert_stream_order(x, "01221");
	tw_merge__set_answered(x->merge, TEST_STREAM);
	put_marked(x, 0, 1, hour + 50);
	assert_stream_order(x, "012210");
	assert_books(x);
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

/* Frames arrive without any watermark, and then no more frames arrive: this machine's time releases their events. */
static void nothing_waits_for_ever(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .one_order = true, .wait_ns = SECOND });
	struct fixture *alone = fixture__new((struct tw_merge_options){ .wait_ns = SECOND });

	(void)state;
	x->live = alone->live = true;
	x->arrival.now = alone->arrival.now = 77;
	put_events(x, 1, 10, 1000, 5);
	put_events(alone, 1, 10, 1000, 5);
	for (int i = 0; i < 9; i++) {
		tick(x, SECOND / 10);
		tick(alone, SECOND / 10);
	}
	assert_int_equal(x->sink.n + alone->sink.n, 0);
	for (int i = 0; i < 7; i++) {
		tick(x, SECOND / 10);
		tick(alone, SECOND / 10);
	}
	assert_int_equal(x->sink.n, 5);
	assert_int_equal(alone->sink.n, 5);
	fixture__free(x);
	fixture__free(alone);
}

static void waits_for_its_offset(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = 1000 }, 1, 0);

	(void)state;
	put_marked(x, 1, 0, 50);
	put_marked(x, 0, 0, 500);
	put_marked(x, 0, 1, 600);
	assert_int_equal(x->sink.n, 0);
	set_offset(x, 1, 490); /* its event is at 540 of the common time line */
	assert_stream_order(x, "01");
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

/* The others wait for a stream's offset even if the stream has ended, but not if none of its frames is queued. */
static void waits_for_its_offset_behind_its_end(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = 1000 }, 1, 0);

	(void)state;
	put_marked(x, 1, 0, 50);
	put_end(x, 60);
	put_marked(x, 0, 0, 500);
	put_marked(x, 0, 1, 600);
	assert_int_equal(x->sink.n, 0);
	set_offset(x, 1, 490); /* its event is at 540 of the common time line */
	put_marked(x, 0, 2, 700);
	assert_int_equal(x->sink.out[1].stream, 1);
	assert_int_equal(stats(x)->late, 0);
	from_stream(x, 2);
	put_end(x, 60);
	put_marked(x, 0, 3, 800);
	assert_int_equal(x->sink.out[x->sink.n - 1].time, 800);
	fixture__free(x);
}

/* Until its offset arrives, a stream is placed as if its newest event were as new as the newest event of all streams. */
static void waits_for_its_offset_no_longer_than_reported(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = 1000 }, 1, 0);

	(void)state;
	put_marked(x, 1, 0, 100);
	put_marked(x, 0, 0, 90000);
	put_marked(x, 1, 1, 1000);
	assert_stream_order(x, "");
	put_marked(x, 1, 2, 1100); /* it has waited by its own clock; its events are placed at 89000, 89900 and 90000 */
	assert_stream_order(x, "1101");
	set_offset(x, 1, 89000);
	put_marked(x, 1, 3, 1200); /* 90200 of the common time line */
	put_marked(x, 0, 1, 90300);
	assert_stream_order(x, "11011");
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

/* A caller with its own table admits a stream before its first frame, perhaps before any frame tells the merge this machine's time. */
static void waits_from_its_first_frame_on(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .one_order = true, .wait_ns = SECOND });

	(void)state;
	x->live = true;
	x->arrival.now = 1000 * SECOND;
	assert_int_equal(tw_merge__admit(x->merge, TEST_STREAM + 1), 0);
	put_marked(x, 1, 0, 100);
	tick(x, SECOND * 9 / 10);
	put_marked(x, 1, 1, 200);
	assert_stream_order(x, "");
	set_offset(x, 1, 0);
	assert_stream_order(x, "11");
	fixture__free(x);
}

/* The clocks of two streams count from boot. Later, the first offset relates one of them to the common time line. */
static void guesses_follow_the_first_that_is_known(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .one_order = true, .wait_ns = 1000 });

	(void)state;
	put_marked(x, 1, 0, 100);
	put_marked(x, 1, 1, 1100);
	put_marked(x, 2, 0, 60000);
	put_marked(x, 2, 1, 61000); /* as new as 1100 of stream 1 */
	assert_stream_order(x, "1122");
	assert_int_equal(stats(x)->late,
			 1); /* 60000 is placed at 100 of stream 1, because its offset was unknown for one wait */
	set_offset(x, 1, (int64_t)SECOND);
	put_marked(x, 2, 2, 61100); /* again as new as 1100 of stream 1 */
	put_marked(x, 1, 2, 1150);
	put_marked(x, 2, 3, 61300);
	put_marked(x, 1, 3, 1250);
	assert_stream_order(x, "1122211");
	assert_books(x);
	assert_int_equal(stats(x)->late, 1);
	fixture__free(x);
}

/* With this machine's time, a stream without an offset is placed at its arrival, before later events of another stream. None is late. */
static void a_guess_is_where_it_came(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = SECOND }, 1, 0);
	const uint64_t hour = 3600 * SECOND, step = SECOND / 10;
	int64_t offset;

	(void)state;
	begin_at(x, hour);
	put_marked(x, 1, 0, 50);
	assert_false(tw_merge__placed_by_arrival(x->merge, TEST_STREAM + 1, &offset));
	for (uint64_t i = 0; i < 30; i++) {
		put_marked(x, 0, i, hour + i * step + 1);
		tick(x, step);
	}
	assert_int_equal(x->sink.out[0].stream, 1);
	assert_int_equal(x->sink.n, 1 + 30);
	assert_true(tw_merge__placed_by_arrival(x->merge, TEST_STREAM + 1, &offset));
	assert_int_equal(offset, hour - 50);
	set_offset(x, 1, offset);
	assert_false(tw_merge__placed_by_arrival(x->merge, TEST_STREAM + 1, &offset));
	put_marked(x, 0, 30, hour + 30 * step);
	assert_int_equal(stats(x)->late, 0);
	assert_books(x);
	fixture__free(x);
}

static void what_ended_holds_nobody_up(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = SECOND }, 2, 0);

	(void)state;
	put_marked(x, 1, 0, 100);
	put_marked(x, 0, 0, 200);
	assert_stream_order(x, "1");
	from_stream(x, 1);
	put_end(x, 100);
	assert_int_equal(stream_stats(x, 1).ended, 1);
	put_marked(x, 0, 1, 300);
	assert_int_equal(stats(x)->events_out, 3);
	fixture__free(x);
}

/* Names precede the events that need them, and packet times do not go back because of names. */
static void control_frames_keep_their_place(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = SECOND }, 2, 1000);
	uint64_t common = 0;

	(void)state;
	put_marked(x, 0, 0, 5000);
	from_stream(x, 1);
	put_hello(x, 3000);
	put_marked(x, 1, 0, 4200);
	put_marked(x, 0, 1, 5500);
	from_stream(x, 1);
	put_hello(x, 1000); /* its time is in the past */
	put_marked(x, 1, 1, 4600);
	put_marked(x, 0, 2, 5800);
	put_marked(x, 1, 2, 4900);
	from_stream(x, 1);
	put_hello(x, 1100); /* its time is in the past, and newer events of the other stream have arrived */
	assert_books(x);
	assert_int_equal(x->sink.n, 9);
	for (size_t i = 0; i < x->sink.n; i++) {
		const uint64_t time = x->sink.out[i].time + 1000 * x->sink.out[i].stream;

		assert_true(time >= common);
		common = time;
	}
	assert_true(x->sink.out[0].control);
	fixture__free(x);
}

/* A stream with times of another year does not change the times of other streams' control frames. */
static void a_clock_far_ahead(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = 1000 }, 2, 0);

	(void)state;
	put_marked(x, 0, 0, 5000);
	put_marked(x, 1, 0, 5000 + 365 * 86400 * SECOND);
	put_marked(x, 1, 1, 6000 + 365 * 86400 * SECOND);
	from_stream(x, 0);
	put_hello(x, 5100);
	put_marked(x, 0, 1, 5200);
	assert_books(x);
	for (size_t i = 0; i < x->sink.n; i++) {
		if (!x->sink.out[i].stream)
			assert_in_range(x->sink.out[i].time, 5000, 5200);
	}
	fixture__free(x);
}

static void memory_lets_the_oldest_of_all_out(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .memory = 64 * 1024 }, 4, 7);

	(void)state;
	for (uint64_t i = 0; i < 4000; i++) {
		from_stream(x, i % 4);
		put_events(x, 1, i / 4, 1000 + 100 * i, 1);
		assert_true(stats(x)->queued <= 64 * 1024);
	}
	assert_true(stats(x)->forced > 2000);
	assert_books(x);
	assert_int_equal(stats(x)->events_out, 4000);
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

/* The stream's offset becomes smaller: its later events are still in order. */
static void offset_changes(void **state)
{
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = 1000 }, 1, 0);

	(void)state;
	set_offset(x, 0, 3600000);
	put_marked(x, 0, 0, 5000);
	put_marked(x, 0, 1, 5100);
	set_offset(x, 0, 0);
	from_stream(x, 0);
	put_events(x, 1, 2, 5300, 1);
	put_events(x, 2, 0, 5200, 1);
	mark2(x, 6000, 3, 1);
	assert_int_equal(x->sink.n, 4);
	assert_int_equal(x->sink.out[2].channel, 2);
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

/* The random test: events of three streams with two channels each, sent in separate rounds, have the order of a plain sort. */
struct expected {
	uint64_t common, stream, seq;
	uint16_t channel;
};

static int compare(const void *a, const void *b)
{
	const struct expected *x = a, *y = b;

	if (x->common != y->common)
		return x->common < y->common ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->channel != y->channel)
		return x->channel < y->channel ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

struct host {
	uint64_t now, seq[2];
	int64_t offset;
};

static void host__round(struct host *h, struct fixture *x, uint64_t stream, struct expected *expected, size_t *n)
{
	const uint64_t until = h->now + (uint64_t)rand() % 3000;

	from_stream(x, stream);
	for (uint16_t channel = 1; channel <= 2; channel++) {
		for (uint64_t time = h->now; time < until; time += 1 + (uint64_t)rand() % 200) {
			expected[(*n)++] =
				(struct expected){ time + (uint64_t)h->offset, stream, h->seq[channel - 1], channel };
			put_events(x, channel, h->seq[channel - 1]++, time, 1);
		}
	}
	h->now = until;
	mark2(x, until - 1, h->seq[0],
	      h->seq[1]); /* events of equal times are ordered by stream only if they are queued together */
}

static void random_hosts(unsigned int seed, bool packed)
{
	struct host hosts[3] = { { .offset = 0 }, { .offset = 123456789 }, { .offset = -98765432 } };
	struct fixture *x = streams__new((struct tw_merge_options){ .wait_ns = SECOND, .packed = packed }, 0, 0);
	struct expected *expected = calloc(OUT_MAX, sizeof(*expected));
	size_t n = 0, k = 0;

	assert_non_null(expected);
	srand(seed);
	for (uint64_t i = 0; i < 3; i++) {
		hosts[i].now = SECOND - (uint64_t)hosts[i].offset;
		set_offset(x, i, hosts[i].offset);
	}
	for (int i = 0; i < 500; i++) {
		const uint64_t stream = (uint64_t)rand() % 3;

		host__round(&hosts[stream], x, stream, expected, &n);
	}
	assert_true(x->sink.n > n / 2);
	assert_books(x);
	qsort(expected, n, sizeof(*expected), compare);
	for (size_t i = 0; i < x->sink.n; i++) {
		const struct seen *seen = &x->sink.out[i];

		if (seen->control) /* with packed frames, watermarks are emitted, too */
			continue;
		assert_int_equal(seen->stream, expected[k].stream);
		assert_int_equal(seen->channel, expected[k].channel);
		assert_int_equal(seen->seq, expected[k++].seq);
	}
	assert_int_equal(k, n);
	assert_int_equal(stats(x)->late, 0);
	assert_int_equal(stats(x)->gaps + stats(x)->forced + stats(x)->malformed, 0);
	free(expected);
	fixture__free(x);
}

static void random_interleavings(void **state)
{
	(void)state;
	for (unsigned int seed = 1; seed <= 20; seed++) {
		random_hosts(seed, false);
		random_hosts(seed, true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_differ),
		cmocka_unit_test(a_clock_that_counts_ticks),
		cmocka_unit_test(ends_of_time),
		cmocka_unit_test(waits_for_the_slowest_no_longer_than_reported),
		cmocka_unit_test(silence_holds_nobody_up),
		cmocka_unit_test(one_that_is_ahead_moves_nobody),
		cmocka_unit_test(disorder_of_those_ahead_is_counted),
		cmocka_unit_test(all_that_are_ahead_are_in_order),
		cmocka_unit_test(a_stranger_does_not_judge),
		cmocka_unit_test(nothing_waits_for_ever),
		cmocka_unit_test(waits_for_its_offset),
		cmocka_unit_test(waits_for_its_offset_behind_its_end),
		cmocka_unit_test(waits_for_its_offset_no_longer_than_reported),
		cmocka_unit_test(waits_from_its_first_frame_on),
		cmocka_unit_test(guesses_follow_the_first_that_is_known),
		cmocka_unit_test(a_guess_is_where_it_came),
		cmocka_unit_test(what_ended_holds_nobody_up),
		cmocka_unit_test(control_frames_keep_their_place),
		cmocka_unit_test(a_clock_far_ahead),
		cmocka_unit_test(memory_lets_the_oldest_of_all_out),
		cmocka_unit_test(offset_changes),
		cmocka_unit_test(random_interleavings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
