/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The merge against a plain sort, and each of its promises on its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frames.h"
#include "pcap-tools/merge/merge.h"

#define OUT_MAX 100000

/* What came out. */
struct seen {
	uint64_t time, seq;
	uint16_t channel, type, events;
	uint32_t tag; /* pid of an event */
	uint32_t len; /* of the TLV */
	bool late, control;
};

struct sink {
	struct seen out[OUT_MAX];
	size_t n;
	int fail_at; /* emit says -ENOSPC at this many; 0 = never */
};

static int emit(void *ctx, const struct tw_merged *out)
{
	struct sink *sink = ctx;
	struct seen *seen = &sink->out[sink->n];
	uint8_t *frame = malloc(tw_merged__len(out) + TW_MERGE_SLACK);
	struct tw_frame_info info;
	enum tw_frame_status status;
	struct tw_event_view event;
	struct tw_tlv_view tlv;
	struct tw_cursor rest;

	assert_non_null(frame);
	assert_true(sink->n < OUT_MAX);
	if (sink->fail_at && (size_t)sink->fail_at == sink->n + 1) {
		free(frame);
		return -28;
	}
	tw_merged__copy(out, frame);
	assert_int_equal(tw_frame__parse(frame, tw_merged__len(out), &info, &rest), TW_FRAME_OK);
	assert_int_equal(info.length, tw_merged__len(out));
	assert_true(tw_cursor__next_tlv(&rest, &tlv, &status));
	*seen = (struct seen){
		.time = out->time,
		.seq = info.seq,
		.channel = info.channel,
		.type = tlv.type,
		.events = info.events,
		.len = (uint32_t)tlv.len,
		.late = info.flags & TW_FLAG_LATE,
		.control = out->is_control,
	};
	assert_int_equal(out->stream_id, info.stream_id);
	if (!out->is_control)
		assert_int_equal(rest.left, 0);
	if (out->is_event) {
		assert_true(tw_event__parse(&tlv, info.base_time, &event));
		assert_int_equal(event.time, out->time);
		assert_int_equal(info.base_time, out->time);
		assert_int_equal(info.events, 1);
		seen->tag = event.pid;
	}
	sink->n++;
	free(frame);
	return 0;
}

struct fixture {
	struct sink sink;
	struct tw_merge *merge;
	struct test_frame frame;
	struct tw_merge_stats stats;
};

static struct fixture *fixture__new(struct tw_merge_options options)
{
	struct fixture *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	options.emit = emit;
	options.ctx = &x->sink;
	assert_int_equal(tw_merge__new(&options, &x->merge, NULL), 0);
	return x;
}

static void fixture__free(struct fixture *x)
{
	tw_merge__free(x->merge);
	free(x);
}

static void put(struct fixture *x)
{
	const size_t len = test_frame__end(&x->frame);

	assert_int_equal(tw_merge__frame(x->merge, x->frame.buf, len, NULL), 0);
}

/* One frame of @n events, 10 ns apart. */
static void put_events(struct fixture *x, uint16_t channel, uint64_t seq, uint64_t time, uint32_t n)
{
	test_frame__begin(&x->frame, channel, seq, time);
	for (uint32_t i = 0; i < n; i++)
		assert_true(test_frame__event(&x->frame, time + 10 * i, (uint32_t)(seq + i), 24));
	put(x);
}

static void put_watermark(struct fixture *x, uint64_t time, const uint16_t *channels, const uint64_t *next_seqs,
			  size_t n)
{
	const size_t len = test_frame__watermark(&x->frame, time, channels, next_seqs, n);

	assert_int_equal(tw_merge__frame(x->merge, x->frame.buf, len, NULL), 0);
}

/* A watermark over one or two channels. */
static void mark1(struct fixture *x, uint64_t time, uint64_t next_seq)
{
	put_watermark(x, time, (const uint16_t[]){ 1 }, (const uint64_t[]){ next_seq }, 1);
}

static void mark2(struct fixture *x, uint64_t time, uint64_t next1, uint64_t next2)
{
	put_watermark(x, time, (const uint16_t[]){ 1, 2 }, (const uint64_t[]){ next1, next2 }, 2);
}

static const struct tw_merge_stats *stats(struct fixture *x)
{
	const struct tw_merge_stats *s = &x->stats;

	tw_merge__stats(x->merge, &x->stats);
	return s;
}

static void assert_books(struct fixture *x)
{
	const struct tw_merge_stats *s;

	assert_int_equal(tw_merge__flush(x->merge), 0);
	s = stats(x);
	assert_int_equal(s->events_in,
			 s->events_out + s->filtered + s->duplicates + s->incomplete + s->malformed_events);
	assert_int_equal(s->numbers, s->before + s->received + s->gaps);
	assert_int_equal(s->received, s->events_out + s->filtered + s->incomplete + s->damaged);
	assert_int_equal(s->gaps, s->gaps_wire + s->gaps_receiver + s->gaps_told);
	assert_int_equal(s->held, 0);
}

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

/* A watermark counts only once the events before its number are there. */
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

static void silent_channel_is_waited_for_no_longer_than_told(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true, .wait_ns = 100 });
	struct tw_merge_stream_stats of_stream;

	(void)state;
	put_events(x, 1, 0, 1000, 1);
	mark2(x, 1050, 1, 5);
	mark1(x, 1099, 1);
	assert_int_equal(x->sink.n, 0);
	mark1(x, 1100, 1);
	assert_int_equal(x->sink.n, 1);
	put_events(x, 2, 0, 990, 1);
	assert_int_equal(x->sink.n, 2); /* late: at once */
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

static void gaps_are_counted_and_taken_off_when_filled(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true, .wait_ns = 10 });

	(void)state;
	put_events(x, 1, 0, 1000, 2);
	put_events(x, 1, 7, 1100, 1);
	mark1(x, 1105, 8);
	assert_int_equal(x->sink.n, 2); /* 2 to 6 may still come: no further than 1095 */
	mark1(x, 6000, 8);
	assert_int_equal(x->sink.n, 3);
	assert_int_equal(stats(x)->gaps, 5);
	put_events(x, 1, 3, 1050, 2);
	assert_int_equal(stats(x)->gaps, 3);
	assert_int_equal(x->sink.n, 5);
	assert_true(x->sink.out[3].late);
	assert_int_equal(x->sink.out[3].seq, 3);
	put_events(x, 1, 3, 1050, 2); /* and again */
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

/* What a watermark said was yet to come, and did not, is missing from the beginning on; without any event too. */
static void late_joiner_heard_of_them(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = false });
	const uint16_t channels[] = { 1, 2, 3 };

	(void)state;
	put_watermark(x, 500, channels, (const uint64_t[]){ 90, 7, 5 }, 3);
	put_events(x, 1, 102, 1020, 1);
	put_events(x, 1, 100, 1000, 2);
	put_events(x, 3, 3, 1000, 2); /* overtaken by the watermark */
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

static void put_control(struct fixture *x, uint64_t seq)
{
	test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, seq, 1000);
	put(x);
}

static void control_frames_are_missed_too(void **state)
{
	static const struct {
		uint64_t seq, gaps;
	} steps[] = {
		{ 2, 2 }, { 1, 1 }, { 1, 1 }, { 2, 1 },    { 3, 1 },   { 10, 7 },
		{ 5, 6 }, { 5, 6 }, { 0, 5 }, { 100, 94 }, { 37, 93 }, { 36, 93 } /* too far back to be sure */,
	};
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		put_control(x, steps[i].seq);
		assert_int_equal(stats(x)->control_gaps, steps[i].gaps);
	}
	assert_int_equal(stats(x)->malformed, 0);
	put_control(x, 1ull << 40);
	assert_int_equal(stats(x)->malformed, 1);
	assert_int_equal(stats(x)->control_gaps, 93);
	fixture__free(x);

	x = fixture__new((struct tw_merge_options){ .from_start = false });
	put_control(x, 50);
	put_control(x, 49);
	put_control(x, 52);
	assert_int_equal(stats(x)->control_gaps, 1);
	fixture__free(x);
}

static void put_comm(struct fixture *x, uint64_t time)
{
	const struct tw_comm_view comm = { .time = time, .pid = 5, .name = (const uint8_t *)"bash", .len = 4 };

	test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, 0, time);
	tw_comm__emit(&x->frame.f, &comm);
	put(x);
}

/* Even one that is dated later precedes what came after it; its packet time does not run ahead. */
static void control_precedes_what_came_after(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	put_comm(x, 900);
	put_comm(x, 1500);
	put_events(x, 1, 0, 1000, 2);
	mark1(x, 2000, 2);
	assert_int_equal(x->sink.n, 4);
	assert_true(x->sink.out[0].control && x->sink.out[1].control);
	assert_int_equal(x->sink.out[0].time, 900);
	assert_int_equal(x->sink.out[1].time, 1000);
	fixture__free(x);
}

/* A name that was learnt late is told late: packet times do not go back for it. */
static void control_about_the_past(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	put_comm(x, 900);
	put_comm(x, 400);
	mark1(x, 950, 0);
	assert_int_equal(x->sink.n, 2);
	assert_int_equal(x->sink.out[1].time, 900);
	put_events(x, 1, 0, 1000, 2);
	put_comm(x, 500);
	mark1(x, 2000, 2);
	assert_int_equal(x->sink.out[2].time, 900);
	put_comm(x, 600);
	mark1(x, 2100, 2);
	assert_int_equal(x->sink.out[4].time, 1010);
	assert_int_equal(x->sink.out[5].time, 1010);
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

/* A name that is yet to come may belong before events that all rings have promised to be complete. */
static void control_holds_events_back(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .wait_ns = 1000000 });
	const uint64_t next[] = { 2, 0 };

	(void)state;
	put_watermark(x, 900, (const uint16_t[]){ 0 }, next + 1, 1);
	put_events(x, 1, 0, 1000, 2);
	put_watermark(x, 2000, (const uint16_t[]){ 1 }, next, 1);
	assert_int_equal(x->sink.n, 0);
	put_comm(x, 950);
	assert_int_equal(x->sink.n, 0);
	put_watermark(x, 1005, (const uint16_t[]){ 0 }, next + 1, 1);
	assert_int_equal(x->sink.n, 2);
	assert_true(x->sink.out[0].control);
	assert_int_equal(x->sink.out[1].time, 1000);
	put_watermark(x, 1100000, (const uint16_t[]){ 1 }, next, 1); /* but for no longer than the wait */
	assert_int_equal(x->sink.n, 3);
	fixture__free(x);
}

/* A watermark in a frame with other records goes, they stay. */
static void watermark_beside_others(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });
	const struct tw_stat_view stat = { .stat = TW_STAT_READ, .value = 4 };
	const uint16_t channel = 1;
	const uint64_t next = 1;

	(void)state;
	put_events(x, 1, 0, 1000, 1);
	test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, 0, 1500);
	tw_watermark__emit(&x->frame.f, 1500, &channel, &next, 1);
	tw_stats__emit(&x->frame.f, &stat, 1);
	put(x);
	assert_int_equal(x->sink.n, 2);
	assert_int_equal(x->sink.out[0].type, TW_TLV_STATS);
	assert_int_equal(x->sink.out[0].len, sizeof(struct tw_stat));
	assert_int_equal(x->sink.out[1].type, TW_TLV_EVENT);
	fixture__free(x);
}

/* An event of @total bytes (EVENT's value) in pieces that each fill a small frame; piece @skip is left out. */
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

static void memory_is_bounded(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true, .memory = 64 * 1024 });

	(void)state;
	for (uint64_t i = 0; i < 2000; i++) {
		put_events(x, 1, 10 * i, 1000 + 100 * i, 10);
		assert_true(stats(x)->held <= 64 * 1024);
	}
	assert_true(stats(x)->forced > 10000);
	for (size_t i = 1; i < x->sink.n; i++)
		assert_true(x->sink.out[i - 1].time <= x->sink.out[i].time);
	assert_books(x);
	assert_int_equal(stats(x)->events_out, 20000);
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

	test_frame__begin(&x->frame, 1, 1, 1100); /* cut in its second event */
	test_frame__event(&x->frame, 1100, 1, 24);
	test_frame__event(&x->frame, 1110, 2, 24);
	len = test_frame__end(&x->frame);
	assert_int_equal(tw_merge__frame(x->merge, x->frame.buf, len - 8, NULL), 0);

	test_frame__begin(&x->frame, 1, 3, 1200); /* fewer numbers than events */
	test_frame__event(&x->frame, 1200, 3, 24);
	test_frame__event(&x->frame, 1210, 4, 24);
	x->frame.f.info.events = 1;
	put(x);

	assert_int_equal(tw_merge__frame(x->merge, "TWR1", 4, NULL), 0);
	assert_books(x);
	assert_int_equal(stats(x)->events_out, 3);
	assert_int_equal(stats(x)->gaps, 0);
	assert_int_equal(stats(x)->damaged, 1);
	assert_int_equal(stats(x)->malformed, 6);
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

/* A channel of the random test: events still to be sent. */
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

/* Send what one channel recorded before @now, in frames of random size. */
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
		cmocka_unit_test(silent_channel_is_waited_for_no_longer_than_told),
		cmocka_unit_test(gaps_are_counted_and_taken_off_when_filled),
		cmocka_unit_test(reordered_frames_fall_into_place),
		cmocka_unit_test(late_joiner_misses_nothing),
		cmocka_unit_test(late_joiner_heard_of_them),
		cmocka_unit_test(lost_and_filtered),
		cmocka_unit_test(control_frames_are_missed_too),
		cmocka_unit_test(control_precedes_what_came_after),
		cmocka_unit_test(control_about_the_past),
		cmocka_unit_test(control_holds_events_back),
		cmocka_unit_test(watermark_beside_others),
		cmocka_unit_test(parts_become_an_event),
		cmocka_unit_test(parts_with_a_hole_are_incomplete),
		cmocka_unit_test(parts_too_large_for_a_frame_pass),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(lies_are_refused),
		cmocka_unit_test(failure_ends_the_call),
		cmocka_unit_test(random_interleavings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
