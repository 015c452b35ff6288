/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of the merge: makes frames as a producer does, and keeps what the merge emits. */
#ifndef MERGING_H
#define MERGING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frames.h"
#include "lent.h"
#include "pcap-tools/merge/merge.h"

#define OUT_MAX     100000
#define RETIRED_MAX 16 /* number of retired streams that are remembered; all are counted */

/* A frame that the merge emitted. */
struct seen {
	uint64_t stream; /* as in struct test_frame */
	uint64_t time, seq;
	uint16_t channel, type, events;
	uint32_t tag; /* pid of an event */
	uint32_t len; /* length of the TLV, bytes */
	uint32_t delivered;
	bool late, control;
	uint16_t lost_where;
	uint64_t lost_count;
};

struct sink {
	struct seen out[OUT_MAX];
	size_t n;
	bool packed; /* frames may have more than one TLV */
	int fail_at; /* emit returns -ENOSPC at this number; 0 = never */
};

/* Read the content of the first TLV, which is mostly the only one. */
static inline void seen__read(struct seen *seen, const struct tw_merged *out, const struct tw_tlv_view *tlv)
{
	struct tw_event_view event;
	struct tw_lost_view lost;

	seen->type = tlv->type;
	seen->len = (uint32_t)tlv->len;
	if (tlv->type == TW_TLV_LOST && tw_lost__parse(tlv, out->base_time, &lost)) {
		assert_true(!out->at_base || lost.time == out->time);
		seen->lost_where = lost.where;
		seen->lost_count = lost.count;
	}
	if (!out->is_event)
		return;
	assert_true(tw_event__parse(tlv, out->base_time, &event));
	assert_int_equal(event.time, out->time);
	assert_int_equal(out->events, 1);
	seen->tag = event.pid;
}

static inline void sink__look(struct sink *sink, const struct tw_merged *out, const uint8_t *frame)
{
	struct seen *seen = &sink->out[sink->n];
	struct tw_frame_info info;
	enum tw_frame_status status;
	struct tw_tlv_view tlv;
	struct tw_cursor rest;

	assert_int_equal(tw_frame__parse(frame, tw_merged__len(out), &info, &rest), TW_FRAME_OK);
	assert_int_equal(info.length, tw_merged__len(out));
	assert_true(tw_cursor__next_tlv(&rest, &tlv, &status));
	assert_int_equal(out->stream_id, info.stream_id);
	assert_true(out->is_control || (info.base_time == out->base_time && info.events == out->events));
	assert_true(out->is_control || sink->packed || !rest.left);
	*seen = (struct seen){
		.stream = info.stream_id - TEST_STREAM,
		.time = out->time,
		.seq = info.seq,
		.channel = info.channel,
		.events = info.events,
		.delivered = out->delivered,
		.late = info.flags & TW_FLAG_LATE,
		.control = out->is_control,
	};
	seen__read(seen, out, &tlv);
}

static inline int emit(void *ctx, const struct tw_merged *out)
{
	struct sink *sink = ctx;
	uint8_t *frame;

	assert_true(sink->n < OUT_MAX);
	if (sink->fail_at && (size_t)sink->fail_at == sink->n + 1)
		return -28;
	frame = malloc(tw_merged__len(out) + TW_MERGE_SLACK);
	assert_non_null(frame);
	tw_merged__copy(out, frame);
	sink__look(sink, out, frame);
	sink->n++;
	free(frame);
	return 0;
}

/* Retired streams, in the order in which they were retired. */
struct retirements {
	uint64_t stream[RETIRED_MAX];
	struct tw_stream_numbers stats[RETIRED_MAX];
	size_t n;
};

struct fixture {
	struct sink sink; /* must be first: @ctx of emit() is used as the sink and as the fixture */
	struct retirements retired;
	struct tw_merge *merge;
	struct test_frame frame; /* the frame that is being made; its @stream is that of the next frames */
	struct tw_arrival arrival;
	bool live; /* frames are passed with @arrival, and lent to the merge */
	struct tw_merge_stats stats;
};

static inline void retired(void *ctx, uint64_t stream_id, const struct tw_stream_numbers *stats)
{
	struct retirements *r = &((struct fixture *)ctx)->retired;

	if (r->n < RETIRED_MAX) {
		r->stream[r->n] = stream_id - TEST_STREAM;
		r->stats[r->n] = *stats;
	}
	r->n++;
}

static inline struct fixture *fixture__new(struct tw_merge_options options)
{
	struct fixture *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	options.emit = emit;
	options.retired = retired;
	options.ctx = x;
	x->sink.packed = options.packed;
	assert_int_equal(tw_merge__new(&options, &x->merge, NULL), 0);
	return x;
}

static inline void fixture__free(struct fixture *x)
{
	tw_merge__free(x->merge);
	free(x);
}

static inline void take(void *merge, const uint8_t *frame, size_t len, const struct tw_arrival *arrival)
{
	assert_int_equal(tw_merge__frame(merge, frame, len, arrival), 0);
}

static inline void put_bytes(struct fixture *x, const void *bytes, size_t len)
{
	if (x->live)
		lend(take, x->merge, bytes, len, x->arrival);
	else
		take(x->merge, bytes, len, NULL);
}

static inline void put(struct fixture *x)
{
	put_bytes(x, x->frame.buf, test_frame__end(&x->frame));
}

/* Put a frame of @n events, 10 ns apart. */
static inline void put_events(struct fixture *x, uint16_t channel, uint64_t seq, uint64_t time, uint32_t n)
{
	test_frame__begin(&x->frame, channel, seq, time);
	for (uint32_t i = 0; i < n; i++)
		assert_true(test_frame__event(&x->frame, time + 10 * i, (uint32_t)(seq + i), 24));
	put(x);
}

static inline void put_watermark(struct fixture *x, uint64_t time, const uint16_t *channels, const uint64_t *next_seqs,
				 size_t n)
{
	put_bytes(x, x->frame.buf, test_frame__watermark(&x->frame, time, channels, next_seqs, n));
}

/* Put a watermark of one or two channels. */
static inline void mark1(struct fixture *x, uint64_t time, uint64_t next_seq)
{
	put_watermark(x, time, (const uint16_t[]){ 1 }, (const uint64_t[]){ next_seq }, 1);
}

static inline void mark2(struct fixture *x, uint64_t time, uint64_t next1, uint64_t next2)
{
	put_watermark(x, time, (const uint16_t[]){ 1, 2 }, (const uint64_t[]){ next1, next2 }, 2);
}

static inline const struct tw_merge_stats *stats(struct fixture *x)
{
	const struct tw_merge_stats *s = &x->stats;

	tw_merge__stats(x->merge, &x->stats);
	return s;
}

static inline void put_control(struct fixture *x, uint64_t seq)
{
	test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, seq, 1000);
	put(x);
}

static inline void put_end(struct fixture *x, uint64_t time)
{
	test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, TEST_CONTROL, time);
	assert_true(tw_end__emit(&x->frame.f));
	put(x);
}

static inline void put_hello(struct fixture *x, uint64_t time)
{
	put_bytes(x, x->frame.buf, test_frame__hello(&x->frame, "host", "instance", time, 1));
}

static inline void set_offset(struct fixture *x, uint64_t stream, int64_t offset)
{
	assert_int_equal(tw_merge__set_offset(x->merge, TEST_STREAM + stream, offset), 0);
}

/* Advance this machine's time. */
static inline void tick(struct fixture *x, uint64_t ns)
{
	x->arrival.now += ns;
	assert_int_equal(tw_merge__tick(x->merge, x->arrival.now), 0);
}

/* Check the equations in merge.h, for one stream or the sum of all. */
#define assert_sums(s)                                                                                                 \
	do {                                                                                                           \
		assert_int_equal((s)->events_in, (s)->events_out + (s)->filtered + (s)->duplicates + (s)->incomplete + \
							 (s)->malformed_events);                                       \
		assert_int_equal((s)->numbers, (s)->before + (s)->received + (s)->gaps);                               \
		assert_int_equal((s)->received, (s)->events_out + (s)->filtered + (s)->incomplete + (s)->damaged);     \
		assert_int_equal((s)->gaps, (s)->gaps_wire + (s)->gaps_receiver + (s)->gaps_reported);                 \
	} while (0)

static inline struct tw_stream_numbers stream_stats(const struct fixture *x, uint64_t stream)
{
	struct tw_stream_numbers s;

	tw_merge__stream_stats(x->merge, TEST_STREAM + stream, &s);
	return s;
}

static inline void assert_books(struct fixture *x)
{
	const struct tw_merge_stats *s;

	assert_int_equal(tw_merge__flush(x->merge), 0);
	s = stats(x);
	assert_sums(s);
	assert_int_equal(s->queued, 0);
}

#endif
