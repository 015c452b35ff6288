/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of the merge. merge.c accepts frames and keeps streams and channels; channel.c keeps the queued frames of a channel; order.c
 * decides which frame is next; out.c builds, emits and counts frames.
 */
#ifndef TW_MERGE_STATE_H
#define TW_MERGE_STATE_H

#include "base/time.h"
#include "pcap-tools/merge/channel.h"
#include "pcap-tools/merge/heap.h"
#include "pcap-tools/merge/merge.h"
#include "stream/clock_scale.h"
#include "stream/eviction.h"
#include "wire/parts.h"

#define TW_MERGE_CHANNEL_PAGE 256 /* channels in one page of the look-up table by_id */

/* How the offset of a stream, which places it on the common time line, was determined. */
enum tw_merge_placed {
	TW_UNPLACED,          /* the offset is unknown, and the stream's frames stay queued */
	TW_PLACED_BY_GUESS,   /* offset computed from watermarks of other streams: its own did not arrive in time */
	TW_PLACED_BY_ARRIVAL, /* offset computed from the arrival of its newest event: its own did not arrive in time */
	TW_PLACED,            /* its own offset, from tw_merge__set_offset() */
};

struct tw_merge_stream {
	struct tw_merge_heap_node node; /* node in the order of all streams; its id is the stream's */
	uint64_t id;
	struct tw_stream *stream; /* the stream in the table */
	struct tw_stream_numbers stats;
	bool from_start; /* control frame 0 arrived, or options.from_start is set: channels begin with number 0 */
	uint64_t start_dropped; /* the receiver's drop counter when control frame 0 arrived */

	/* The order within the stream. All times are by its clock. */
	struct tw_clock_scale scale;
	uint64_t wait;                                  /* wait_ns in units of the stream's clock */
	struct tw_queued_frame *control, **control_end; /* queued control frames, in order of arrival */
	struct tw_control_numbers control_numbers;
	struct tw_merge_channel **channels;
	size_t n_channels;
	struct tw_merge_heap heap;  /* the channels with queued frames */
	uint64_t newest;            /* time of the newest watermark */
	uint64_t control_watermark; /* newest watermark of the control channel: later control frames are not older */
	bool has_control_watermark;
	bool moved;     /* `bound` must be computed again: a watermark may have become valid, or `overdue` grew */
	uint64_t bound; /* events up to this time are due: no older one follows, or the merge does not wait for it */
	uint64_t last;  /* time of the newest emitted event */
	uint64_t last_control; /* time of the last emitted control frame */

	/* The position of the stream in the order of all streams. */
	enum tw_merge_placed placed;
	bool answered; /* it answered a request, so its address is not forged */
	int64_t offset;
	uint64_t first; /* time of its first watermark */

	/* Arrival of the newest and of the first frame, by CLOCK_MONOTONIC. */
	uint64_t heard, joined;
	uint64_t queued;     /* time of the newest queued event */
	uint64_t came;       /* arrival of the event with the time `queued`, by CLOCK_MONOTONIC */
	uint64_t samples[2]; /* `queued` at the last check (merge__look()), and at the check before it */
	uint64_t overdue;    /* `queued` two checks before the last one: everything up to this time is emitted */
	bool silent;

	struct tw_merge_channel **by_id[65536 / TW_MERGE_CHANNEL_PAGE]; /* channels by number, in pages */
};

struct tw_merge {
	struct tw_merge_options options;
	struct tw_frame_pool pool;
	struct tw_parts *parts;
	struct tw_streams *streams;
	unsigned int user; /* index in tw_stream.user of the struct tw_merge_stream */
	size_t n_shared_channels;
	struct tw_merge_stream *latest; /* the last stream that was looked up */
	struct tw_merge_stats stats;    /* counters of retired streams, and of frames without a stream */
	uint64_t turn; /* number of readable frames, including refused ones, excluding out-of-band ones */

	/* The order of all streams, on the common time line. */
	struct tw_merge_heap order;
	/* The stream with the smallest bound, of the streams that delay others (order.c). NULL = there is none, or not up to date. */
	struct tw_merge_stream *slowest;
	uint64_t least;           /* the bound of `slowest`; without such a stream, `newest` */
	uint64_t newest, overdue; /* largest `newest` and `overdue` of the streams that are not ahead */
	uint64_t due;             /* everything up to this time can be emitted */
	uint64_t hold;            /* from tw_merge__hold(); without a call, UINT64_MAX */
	uint64_t bound;           /* everything up to this time is emitted: the earlier of the two */
	uint64_t last;            /* time of the newest emitted event of streams that were not ahead */
	uint64_t last_ahead;      /* newest emitted event of streams that were ahead: makes only such streams LATE */
	uint64_t plausible;       /* present common time - CLOCK_MONOTONIC + wait_ns; 0 = present common time unknown */
	bool judged;              /* a stream confirms the present common time, so streams may be ahead */

	bool forcing;            /* events are being emitted because of the memory limit */
	uint64_t now, next_look; /* the latest known CLOCK_MONOTONIC; time of the next check (merge__look()) */

	uint8_t reassembled[TW_FRAME_MAX + TW_QUEUED_FRAME_SLACK]; /* buffer for reassembled events */
	uint8_t hole_head[sizeof(struct tw_frame_hdr)];
	uint8_t hole[sizeof(struct tw_lost) + TW_QUEUED_FRAME_SLACK];
};

/* merge.c */

/** tw_merge__n() - number of streams in the merge; tw_merge__at(): the stream with an index below that number */
static inline size_t tw_merge__n(const struct tw_merge *m)
{
	return tw_streams__n_live(m->streams);
}

static inline struct tw_merge_stream *tw_merge__at(const struct tw_merge *m, size_t i)
{
	return tw_streams__at_live(m->streams, i)->user[m->user];
}

/** tw_merge__find() - find a stream. Return: NULL if there is no such stream */
struct tw_merge_stream *tw_merge__find(const struct tw_merge *m, uint64_t id);

/** tw_merge__get() - find or begin a stream. Return: 0; -ENOSPC beyond the limit, -ENOMEM, the result of emit */
int tw_merge__get(struct tw_merge *m, uint64_t id, struct tw_merge_stream **ret);

/* order.c */

/**
 * tw_release__stream() - emit the events that a change of the stream releases; with one order for all streams, also those of other streams
 * Return: 0, or the result of emit
 */
int tw_release__stream(struct tw_merge *m, struct tw_merge_stream *s);

/**
 * tw_release__up_to() - emit everything of a stream up to @bound, or until at most @keep bytes are queued
 * Return: 0, or the result of emit
 */
int tw_release__up_to(struct tw_merge *m, struct tw_merge_stream *s, uint64_t bound, size_t keep);

/** tw_release__relieve() - emit the oldest events early if the memory limit is reached. Return: 0, or the result of emit */
int tw_release__relieve(struct tw_merge *m, struct tw_merge_stream *s);

/* The common time line, on which the events of all streams are ordered. */

/** tw_order__time() - convert a time of the stream's clock to the common time line */
static inline uint64_t tw_order__time(const struct tw_merge_stream *s, uint64_t time)
{
	const uint64_t ns = tw_clock_scale__ns(&s->scale, time), common = ns + (uint64_t)s->offset;

	if (s->offset < 0)
		return common < ns ? common : 0;
	return common >= ns ? common : UINT64_MAX;
}

/** tw_order__is_ahead() - whether a common time is later than the present common time by more than wait_ns; false unless judged */
static inline bool tw_order__is_ahead(const struct tw_merge *m, uint64_t common)
{
	return m->judged && common > m->now + m->plausible;
}

/** tw_order__release_ahead() - for each stream that is ahead, emit what has waited too long. Return: 0, or the result of emit */
int tw_order__release_ahead(struct tw_merge *m);

/** tw_order__look_again() - let the common bound be computed again, after a change of a stream that may affect it */
static inline void tw_order__look_again(struct tw_merge *m)
{
	m->slowest = NULL;
}

/** tw_order__guess() - choose an offset for a stream whose own offset did not arrive in time */
void tw_order__guess(struct tw_merge *m, struct tw_merge_stream *s);

/** tw_order__forget_last() - compute `last` and `last_ahead` again, after a stream was removed or placed anew, or `judged` changed */
void tw_order__forget_last(struct tw_merge *m);

/* out.c: builds, emits and counts frames. All functions return 0, or the result of emit. */

/**
 * tw_out__next() - emit or drop the next item of a channel's first queued frame, or in packed mode the whole frame, and count it. A gap
 * before the frame is given up first. At the end of the frame, its unused numbers count as damaged, and the frame is removed
 */
int tw_out__next(struct tw_merge *m, struct tw_merge_stream *s, struct tw_merge_channel *c);

/** tw_out__control() - emit the stream's first queued control frame; @time: its position in the order */
int tw_out__control(struct tw_merge *m, struct tw_merge_stream *s, uint64_t time);

/**
 * tw_out__end() - at the end of a stream, when no frame is queued, count as missing the numbers that its watermarks announced and that did
 * not arrive
 */
int tw_out__end(struct tw_merge *m, struct tw_merge_stream *s);

#endif
