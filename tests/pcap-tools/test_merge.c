/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The merge has the same order as a plain sort, and channels wait for each other as long as they should. */
#include <errno.h>

#include "merging.h"

static void in_order(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	put_events(x, 1, 0, 1000, 3); /* 1000 1010 1020 */
	put_events(x, 2, 0, 1005, 2); /* 1005 1015 */
	assert_int_equal(x->sink.n, 0);
	mark2(x, 1012, 3, 2);
	assert_int_equal(x->sink.n, 3);
	assert_int_equal(x->sink.out[0].time, 1000);
	assert_int_equal(x->sink.out[1].time, 1005);
	assert_int_equal(x->sink.out[1].channel, 2);
	assert_int_equal(x->sink.out[2].time, 1010);
	assert_int_equal(x->sink.out[2].seq, 1);
	assert_int_equal(x->sink.out[2].tag, 1);
	mark2(x, 1020, 3, 2);
	assert_int_equal(x->sink.n, 5);
	assert_books(x);
	assert_int_equal(stats(x)->gaps, 0);
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

/* A watermark is valid only after the events before its number have arrived. */
static void watermark_waits_for_events(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	put_events(x, 1, 0, 1000, 1);
	mark2(x, 2000, 1, 2);
	assert_int_equal(x->sink.n, 0);
	put_events(x, 2, 0, 900, 2);
	assert_int_equal(x->sink.n, 3);
	assert_int_equal(x->sink.out[0].channel, 2);
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

static void silent_channel_is_waited_for_no_longer_than_reported(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true, .wait_ns = 100 });
	struct tw_stream_numbers of_stream;

	(void)state;
	put_events(x, 1, 0, 1000, 1);
	mark2(x, 1050, 1, 5);
	mark1(x, 1099, 1);
	assert_int_equal(x->sink.n, 0);
	mark1(x, 1100, 1);
	assert_int_equal(x->sink.n, 1);
	put_events(x, 2, 0, 990, 1);
	assert_int_equal(x->sink.n, 2); /* the event is late, so it is emitted at once */
	assert_true(x->sink.out[1].late);
	assert_int_equal(stats(x)->late, 1);
	assert_books(x);
	assert_int_equal(stats(x)->gaps, 4);
	tw_merge__stream_stats(x->merge, TEST_STREAM, &of_stream);
	assert_int_equal(of_stream.gaps, 4);
	assert_int_equal(of_stream.late, 1);
	tw_merge__stream_stats(x->merge, TEST_STREAM + 1, &of_stream);
	assert_int_equal(of_stream.gaps, 0);
	fixture__free(x);
}

/* A watermark in a frame with other records is removed from the frame; the other records stay. */
static void watermark_beside_others(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });
	const struct tw_stat_view stat = { .stat = TW_STAT_READ, .value = 4 };
	const uint16_t channel = 1;
	const uint64_t next = 1;

	(void)state;
	put_events(x, 1, 0, 1000, 1);
	test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, TEST_CONTROL, 1500);
	tw_watermark__emit(&x->frame.f, 1500, &channel, &next, 1);
	tw_stats__emit(&x->frame.f, &stat, 1);
	put(x);
	assert_int_equal(x->sink.n, 2);
	assert_int_equal(x->sink.out[0].type, TW_TLV_STATS);
	assert_int_equal(x->sink.out[0].len, sizeof(struct tw_stat));
	assert_int_equal(x->sink.out[1].type, TW_TLV_EVENT);
	fixture__free(x);
}

static void memory_is_bounded(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true, .memory = 64 * 1024 });

	(void)state;
	for (uint64_t i = 0; i < 2000; i++) {
		put_events(x, 1, 10 * i, 1000 + 100 * i, 10);
		assert_true(stats(x)->queued <= 64 * 1024);
	}
	assert_true(stats(x)->forced > 10000);
	for (size_t i = 1; i < x->sink.n; i++)
		assert_true(x->sink.out[i - 1].time <= x->sink.out[i].time);
	assert_books(x);
	assert_int_equal(stats(x)->events_out, 20000);
	fixture__free(x);
}

static bool is_over;

static void note_over(struct tw_borrowed_buffer *loan)
{
	(void)loan;
	is_over = true;
}

/* Return: whether the merge borrowed the frame. */
static bool put_lent(struct fixture *x, size_t len)
{
	static uint8_t bytes[sizeof(x->frame.buf)];
	static struct tw_borrowed_buffer loan;
	const struct tw_arrival arrival = { .now = 1, .buffer = &loan };

	loan = (struct tw_borrowed_buffer){ .users = 1, .released = note_over };
	is_over = false;
	memcpy(bytes, x->frame.buf, sizeof(bytes));
	assert_int_equal(tw_merge__frame(x->merge, bytes, len, &arrival), 0);
	tw_borrowed_buffer__return(&loan);
	return !is_over;
}

/* The merge borrows a frame until its events are emitted. A frame that it has to change or to pad, it copies. */
static void lent_frames_stay_where_they_are(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	test_frame__begin(&x->frame, 1, 0, 1000);
	test_frame__event(&x->frame, 1000, 1, 24);
	test_frame__event(&x->frame, 1001, 1, 24);
	assert_true(put_lent(x, test_frame__end(&x->frame)));
	put_events(x, 2, 0, 1000, 1);
	assert_false(is_over);
	put_watermark(x, 1000, (const uint16_t[]){ 1, 2 }, (const uint64_t[]){ 2, 1 }, 2);
	assert_false(is_over);
	tw_merge__flush(x->merge);
	assert_true(is_over);
	assert_int_equal(x->sink.n, 3);
	test_frame__begin(&x->frame, 1, 2, 2000);
	test_frame__event(&x->frame, 2000, 1, 24);
	assert_false(put_lent(x, test_frame__end(&x->frame) - 1));
	assert_false(put_lent(x, test_frame__hello(&x->frame, "a", "b", 900, 1)));
	fixture__free(x);
}

static void failure_ends_the_call(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });
	size_t len;

	(void)state;
	x->sink.fail_at = 2;
	put_events(x, 1, 0, 1000, 4);
	len = test_frame__watermark(&x->frame, 2000, (const uint16_t[]){ 1 }, (const uint64_t[]){ 4 }, 1);
	assert_int_equal(tw_merge__frame(x->merge, x->frame.buf, len, NULL), -28);
	assert_int_equal(x->sink.n, 1);
	fixture__free(x);
}

/* emit() fails when the merge calls it to make room, and when the merge is emptied at the end. */
static void failure_ends_forced_releases(void **state)
{
	for (unsigned int one_order = 0; one_order < 2; one_order++) {
		struct fixture *x = fixture__new(
			(struct tw_merge_options){ .from_start = true, .one_order = one_order, .memory = 64 * 1024 });
		int err = 0;

		(void)state;
		x->sink.fail_at = 1;
		for (uint64_t i = 0; i < 2000 && !err; i++) {
			test_frame__begin(&x->frame, 1, i, 1000 + i);
			assert_true(test_frame__event(&x->frame, 1000 + i, (uint32_t)i, 240));
			err = tw_merge__frame(x->merge, x->frame.buf, test_frame__end(&x->frame), NULL);
		}
		assert_int_equal(err, -ENOSPC);
		assert_int_equal(tw_merge__flush(x->merge), -ENOSPC);
		assert_int_equal(x->sink.n, 0);
		fixture__free(x);
	}
}

/* A channel of the random test: number and time of its next event. */
struct source {
	uint64_t seq, time;
};

struct expected {
	uint64_t time;
	uint16_t channel;
	uint64_t seq;
};

static int compare(const void *a, const void *b)
{
	const struct expected *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->channel != y->channel)
		return x->channel < y->channel ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Send the events of one channel before @now, in frames of random size. */
static void source__send(struct fixture *x, struct source *s, uint16_t channel, uint64_t now, struct expected *expected,
			 size_t *n)
{
	while (s->time < now) {
		const uint32_t frame = 1 + (uint32_t)rand() % 20;
		uint32_t i;

		test_frame__begin(&x->frame, channel, s->seq, s->time);
		for (i = 0; i < frame && s->time < now; i++) {
			assert_true(test_frame__event(&x->frame, s->time, (uint32_t)s->seq,
						      24 + 4 * ((uint32_t)rand() % 20)));
			expected[(*n)++] = (struct expected){ .time = s->time, .channel = channel, .seq = s->seq++ };
			s->time += (uint64_t)rand() % 300;
		}
		put(x);
	}
}

static void random_run(unsigned int seed)
{
	enum { CHANNELS = 7 };
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });
	struct expected *expected = calloc(OUT_MAX, sizeof(*expected));
	struct source sources[CHANNELS] = { 0 };
	uint16_t channels[CHANNELS];
	uint64_t next[CHANNELS];
	size_t n = 0;

	assert_non_null(expected);
	srand(seed);
	for (size_t i = 0; i < CHANNELS; i++)
		sources[i].time = 1;
	for (uint64_t now = 0; now < 200000; now += 1 + (uint64_t)rand() % 5000) {
		const uint64_t mark = now > 500 ? now - 500 : 0;
		const size_t first = (size_t)rand() % CHANNELS;

		for (size_t k = 0; k < CHANNELS; k++) {
			const size_t i = (first + k) % CHANNELS;

			source__send(x, &sources[i], (uint16_t)(i + 1), now, expected, &n);
			channels[i] = (uint16_t)(i + 1);
			next[i] = sources[i].seq;
		}
		put_watermark(x, mark, channels, next, CHANNELS);
	}
	assert_books(x);
	qsort(expected, n, sizeof(*expected), compare);
	assert_int_equal(x->sink.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(x->sink.out[i].time, expected[i].time);
		assert_int_equal(x->sink.out[i].channel, expected[i].channel);
		assert_int_equal(x->sink.out[i].seq, expected[i].seq);
		assert_int_equal(x->sink.out[i].tag, (uint32_t)expected[i].seq);
	}
	assert_int_equal(stats(x)->late + stats(x)->gaps + stats(x)->forced + stats(x)->malformed, 0);
	free(expected);
	fixture__free(x);
}

static void random_interleavings(void **state)
{
	(void)state;
	for (unsigned int seed = 1; seed <= 30; seed++)
		random_run(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order),
		cmocka_unit_test(watermark_waits_for_events),
		cmocka_unit_test(silent_channel_is_waited_for_no_longer_than_reported),
		cmocka_unit_test(watermark_beside_others),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(lent_frames_stay_where_they_are),
		cmocka_unit_test(failure_ends_the_call),
		cmocka_unit_test(failure_ends_forced_releases),
		cmocka_unit_test(random_interleavings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
