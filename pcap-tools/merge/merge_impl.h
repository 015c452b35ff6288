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
	TW_UNPLACED,          /* its frames stay queued */
	TW_PLACED_BY_GUESS,   /* its offset did not arrive in time: computed from the watermarks of other streams */
	TW_PLACED_BY_ARRIVAL, /* its offset did not arrive in time: computed from the arrival of its newest event */
	TW_PLACED,            /* its own offset is used */
};

struct tw_merge_stream {
	struct tw_merge_heap_node node; /* node in the order of all streams; its id is the stream's */
	uint64_t id;
	struct tw_stream *stream; /* the stream in the table */
	struct tw_stream_numbers stats;
	bool from_start; /* its control frame 0 arrived, or the merge started before it: channels begin with number 0 */
	uint64_t start_dropped; /* the receiver's drop counter when control frame 0 arrived */

	/* The order within the stream. All times are by its clock. */
	struct tw_clock_scale scale;
	uint64_t wait;                                  /* the longest wait, in units of its clock */
	struct tw_queued_frame *control, **control_end; /* queued control frames, in order of arrival */
	struct tw_control_numbers control_numbers;
	struct tw_merge_channel **channels;
	size_t n_channels;
	struct tw_merge_heap heap;  /* of the channels with queued frames */
	uint64_t newest;            /* time of the newest watermark */
	uint64_t control_watermark; /* newest watermark of the control channel: later control frames are not older */
	bool has_control_watermark;
	bool moved;            /* a watermark arrived or became valid: `bound` must be computed again */
	uint64_t bound;        /* no older event follows, or the merge does not wait for it */
	uint64_t last;         /* time of the newest emitted event */
	uint64_t last_control; /* time of the last emitted control frame */

	/* Its place in the order of all streams. */
	enum tw_merge_placed placed;
	bool answered; /* it answered a request, so its address is not forged */
	int64_t offset;
	uint64_t first; /* time of its first watermark */

	/* Arrival of the newest and of the first frame, by this machine's time. */
	uint64_t heard, joined;
	uint64_t queued;     /* time of the newest queued event */
	uint64_t came;       /* arrival of that event, by this machine's time */
	uint64_t samples[2]; /* `queued` at the last check, and at the one before */
	uint64_t overdue;    /* `queued` at the check before that: everything up to it is emitted */
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
	struct tw_merge_stats stats;    /* of retired streams, and of frames without a stream */
	uint64_t turn;                  /* number of readable frames, with refused ones, without out-of-band ones */

	/* The order of all streams, on the common time line. */
	struct tw_merge_heap order;
	struct tw_merge_stream *slowest; /* the live stream with the smallest bound; NULL = none, or not up to date */
	uint64_t least;                  /* its bound */
	uint64_t newest, overdue;        /* largest `newest` and `overdue` of the streams that are not ahead */
	uint64_t bound;                  /* everything up to here is emitted */
	uint64_t last;                   /* time of the newest emitted event of streams that were not ahead */
	uint64_t last_ahead; /* the same for streams that were ahead; determines LATE only for these streams */
	uint64_t plausible;  /* times of the common time line after now + plausible are ahead; 0 = unknown */
	bool judged;         /* this machine's time is trusted, because a stream that may decide agrees with it */

	bool forcing;            /* emitting because of the memory limit */
	uint64_t now, next_look; /* this machine's time, and the time of the next check */

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

/** tw_merge__find() - Return: NULL if there is no such stream */
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

/** tw_order__time() - converts a time of the stream's clock to the common time line */
static inline uint64_t tw_order__time(const struct tw_merge_stream *s, uint64_t time)
{
	const uint64_t ns = tw_clock_scale__ns(&s->scale, time), common = ns + (uint64_t)s->offset;

	if (s->offset < 0)
		return common < ns ? common : 0;
	return common >= ns ? common : UINT64_MAX;
}

/** tw_order__is_ahead() - whether a time is later than any event can be by now */
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

/** tw_order__forget_last() - compute the newest emitted times again, after a stream was removed or placed anew, or `judged` changed */
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
