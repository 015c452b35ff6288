/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of the merge. merge.c accepts frames and keeps streams and channels; channel.c has the frames that a channel has queued;
 * order.c decides which frame is next; out.c makes and counts the output.
 */
#ifndef TW_MERGE_STATE_H
#define TW_MERGE_STATE_H

#include "pcap-tools/merge/channel.h"
#include "pcap-tools/merge/heap.h"
#include "pcap-tools/merge/merge.h"
#include "stream/clock_scale.h"
#include "stream/eviction.h"
#include "wire/parts.h"

#define TW_MERGE_CHANNEL_PAGE 256 /* channel numbers of one page of the look-up table */

/* What is known of a stream's place on the common time line. */
enum tw_merge_placed {
	TW_UNPLACED,          /* its frames stay queued */
	TW_PLACED_BY_GUESS,   /* its offset did not come in time: as if its newest were the newest of all */
	TW_PLACED_BY_ARRIVAL, /* the same, and this machine's time is told: its newest stands where it came */
	TW_PLACED,
};

struct tw_merge_stream {
	struct tw_merge_heap_node node; /* in the order across streams; its id is the stream's */
	uint64_t id;
	struct tw_stream *stream; /* in the table */
	struct tw_stream_numbers stats;
	bool from_start; /* its first control frame came, or we were there before it: its channels begin with number 0 */
	uint64_t start_dropped; /* what the receiver had dropped by then */

	/* Its order in itself. All times are those of its clock. */
	struct tw_clock_scale scale;
	uint64_t wait;                                  /* the longest wait, as its clock counts */
	struct tw_queued_frame *control, **control_end; /* not out yet, in the order in which they came */
	struct tw_control_numbers control_numbers;
	struct tw_merge_channel **channels;
	size_t n_channels;
	struct tw_merge_heap heap;  /* of the channels that have something */
	uint64_t newest;            /* time of the newest watermark */
	uint64_t control_watermark; /* the control channel's: its frames that are yet to come may belong behind that */
	bool has_control_watermark;
	bool moved;            /* a watermark came or began to hold: bound is to be computed anew */
	uint64_t bound;        /* nothing older comes, or it is waited for no longer */
	uint64_t last;         /* time of the newest event that went out */
	uint64_t last_control; /* time of the last control frame that did */

	/* Its place in the order across streams. */
	enum tw_merge_placed placed;
	bool answered; /* it answers at an address: its frames are not forged */
	int64_t offset;
	uint64_t first; /* time of its first watermark */

	/* This machine's time. */
	uint64_t heard, joined;
	uint64_t queued;     /* time of the newest that was queued */
	uint64_t came;       /* when that came, by this machine's time */
	uint64_t samples[2]; /* what that was at the last look, and at the one before */
	uint64_t overdue;    /* and at the one before that, a wait ago: all up to there goes out */
	bool silent;

	struct tw_merge_channel **by_id[65536 / TW_MERGE_CHANNEL_PAGE]; /* channels by their numbers, in pages */
};

struct tw_merge {
	struct tw_merge_options options;
	struct tw_frame_pool pool;
	struct tw_parts *parts;
	struct tw_streams *streams;
	unsigned int user; /* where the streams have struct tw_merge_stream */
	size_t n_shared_channels;
	struct tw_merge_stream *latest; /* the one looked up last */
	struct tw_merge_stats stats;    /* of retired streams, and what is of no stream */
	uint64_t turn;                  /* frames taken */

	/* The order across streams, on the common time line. */
	struct tw_merge_heap order;
	struct tw_merge_stream
		*slowest; /* whose bound is the least of the live streams'; NULL = there are none, or look again */
	uint64_t least;   /* that bound */
	uint64_t newest, overdue; /* the largest of the streams' */
	uint64_t bound;           /* everything up to here goes out */
	uint64_t last;            /* time of the newest event that went out; none that was ahead */
	uint64_t last_ahead;      /* the same of those that were; only their own are late by it */
	uint64_t plausible;       /* what is later than now by more than that is ahead; 0 = not known */
	bool judged;              /* this machine's time is right: a stream that has a say is not ahead */

	bool forcing;            /* what goes out does so for want of memory */
	uint64_t now, next_look; /* this machine's time, and when it is looked at again */

	uint8_t reassembled[TW_FRAME_MAX + TW_QUEUED_FRAME_SLACK]; /* an event put together */
	uint8_t hole_head[sizeof(struct tw_frame_hdr)];
	uint8_t hole[sizeof(struct tw_lost) + TW_QUEUED_FRAME_SLACK];
};

static inline uint64_t tw_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* merge.c */

/** tw_merge__n() - its streams, and tw_merge__at() one of them, by its number below that */
static inline size_t tw_merge__n(const struct tw_merge *m)
{
	return tw_streams__n_live(m->streams);
}

static inline struct tw_merge_stream *tw_merge__at(const struct tw_merge *m, size_t i)
{
	return tw_streams__at_live(m->streams, i)->user[m->user];
}

/** tw_merge_streams__look_up() - the slow part of tw_merge_streams__find() */
struct tw_merge_stream *tw_merge_streams__look_up(const struct tw_merge *m, uint64_t id);

/** tw_merge_streams__find() - Return: NULL if there is none of that id */
static inline struct tw_merge_stream *tw_merge_streams__find(const struct tw_merge *m, uint64_t id)
{
	struct tw_merge_stream *s = m->latest;

	return s && s->id == id ? s : tw_merge_streams__look_up(m, id);
}

/** tw_merge_streams__begin() - a stream that is not there yet. Return: 0; -ENOSPC beyond the limit, -ENOMEM, what emit returned */
int tw_merge_streams__begin(struct tw_merge *m, uint64_t id, struct tw_merge_stream **ret);

/** tw_merge_streams__get() - find or begin a stream. Return: as tw_merge_streams__begin() */
static inline int tw_merge_streams__get(struct tw_merge *m, uint64_t id, struct tw_merge_stream **ret)
{
	struct tw_merge_stream *s = tw_merge_streams__find(m, id);
	const int err = s ? 0 : tw_merge_streams__begin(m, id, &s);

	if (err)
		return err;
	*ret = m->latest = s;
	return 0;
}

/* order.c */

/** tw_release__stream() - what the stream's watermarks let out goes out. Return: 0, or what emit returned */
int tw_release__stream(struct tw_merge *m, struct tw_merge_stream *s);

/** tw_release__up_to() - all of a stream up to @bound, or until no more than @keep bytes are queued */
int tw_release__up_to(struct tw_merge *m, struct tw_merge_stream *s, uint64_t bound, size_t keep);

/** tw_release__relieve() - if memory is used up, the oldest go out early. Return: 0, or what emit returned */
int tw_release__relieve(struct tw_merge *m, struct tw_merge_stream *s);

/** tw_release__end() - the stream's end: what was announced and did not come is missing */
int tw_release__end(struct tw_merge *m, struct tw_merge_stream *s);

/* Of several streams: all times of the common line. */

/** tw_order__time() - a time of the stream's clock on the common time line */
static inline uint64_t tw_order__time(const struct tw_merge_stream *s, uint64_t time)
{
	const uint64_t ns = tw_clock_scale__ns(&s->scale, time), common = ns + (uint64_t)s->offset;

	if (s->offset < 0)
		return common < ns ? common : 0;
	return common >= ns ? common : UINT64_MAX;
}

/** tw_order__is_ahead() - whether a time is later than events can be by now */
static inline bool tw_order__is_ahead(const struct tw_merge *m, uint64_t common)
{
	return m->judged && common > m->now + m->plausible;
}

/** tw_order__release_ahead() - what waited too long of streams that are ahead goes out. Return: 0, or what emit returned */
int tw_order__release_ahead(struct tw_merge *m);

/** tw_order__look_again() - streams came, went, fell silent or were placed anew: the common bound is to be found anew */
static inline void tw_order__look_again(struct tw_merge *m)
{
	m->slowest = NULL;
}

/** tw_order__guess() - a stream's offset is waited for no longer */
void tw_order__guess(struct tw_merge *m, struct tw_merge_stream *s);

/** tw_order__forget_last() - a stream went: what is late is decided by the others' events */
void tw_order__forget_last(struct tw_merge *m);

/* out.c: what comes out is made and counted. All return 0, or what emit returned. */

/**
 * tw_out__head() - the head's next item, or all of it if frames come out whole, goes out, is counted and gone, or is dropped
 * A hole before it is given up first.
 */
int tw_out__head(struct tw_merge *m, struct tw_merge_stream *s, struct tw_merge_channel *c);

/** tw_out__rest() - nothing more of the head goes out: numbers that it did not use are damaged */
int tw_out__rest(struct tw_merge *m, struct tw_merge_stream *s, struct tw_merge_channel *c);

/** tw_out__control() - the first control frame goes out, as of @time */
int tw_out__control(struct tw_merge *m, struct tw_merge_stream *s, uint64_t time);

/** tw_out__announced() - the end: what was announced and did not come is missing */
int tw_out__announced(struct tw_merge *m, struct tw_merge_stream *s, struct tw_merge_channel *c);

#endif
