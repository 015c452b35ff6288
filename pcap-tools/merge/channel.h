/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One channel of a merge: its queued frames in the order of their numbers, its watermarks, its missing numbers. */
#ifndef TW_MERGE_CHANNEL_H
#define TW_MERGE_CHANNEL_H

#include "pcap-tools/merge/heap.h"
#include "pcap-tools/merge/merge.h"
#include "pcap-tools/merge/queued_frame.h"
#include "stream/channels.h"

struct tw_merge_watermark {
	uint64_t time, next_seq;
};

/* Packed mode: the next expected piece of an event in PARTs. Pieces are not reassembled, but events that lack a piece are counted. */
struct tw_merge_pieces {
	uint32_t id, offset;
	bool whole_so_far;
};

/* The members that are used for each event are adjacent: the last members, up to `numbers.next`, the first member of `numbers`. */
struct tw_merge_channel {
	uint16_t id;
	uint8_t n_watermarks;
	bool begun;         /* a frame was emitted, or the first number is 0: numbers.next cannot become lower */
	uint64_t first;     /* the channel's first number if it is known, otherwise the lowest known number */
	uint64_t highest;   /* the largest first number of all frames queued so far */
	uint64_t announced; /* the largest next_seq of a watermark */
	uint64_t announced_dropped; /* the receiver's drop counter when the watermark with `announced` arrived */
	uint64_t dropped;           /* the receiver's drop counter when the frame before numbers.next arrived */
	struct tw_merge_pieces piece;
	struct tw_frame_info last; /* header of the last frame that was emitted completely */
	struct tw_merge_watermark watermarks[TW_STREAM_CHANNEL_WATERMARKS_MAX];
	uint64_t watermark; /* time: no older event of this channel follows */
	uint64_t seen;      /* all numbers before it were queued, emitted or given up; valid if numbers.known */
	struct tw_queued_frame *head, *tail;
	struct tw_merge_heap_node node;   /* node in the heap of the stream; the node's id is the channel's */
	struct tw_stream_numbers *counts; /* the counters of the channel's stream */
	uint64_t lost_reported;           /* events reported by LOST records since the last emitted number */
	struct tw_stream_channel numbers; /* numbers.next is emitted next; numbers missing before it were given up */
};

static inline struct tw_merge_channel *tw_merge_channel__of(struct tw_merge_heap_node *node)
{
	return (struct tw_merge_channel *)((uint8_t *)node - offsetof(struct tw_merge_channel, node));
}

/** tw_merge_channel__new() - make a channel that begins with its first known number. @counts: borrowed. Return: NULL without memory */
struct tw_merge_channel *tw_merge_channel__new(uint16_t id, struct tw_stream_numbers *counts);

/**
 * tw_merge_channel__start() - note that the channel begins with number 0: the numbers before its first known number are missing
 * @dropped: the receiver's drop counter at the beginning of the stream
 *
 * No effect if the first known number is above TW_STREAM_CHANNEL_JUMP_MAX.
 */
void tw_merge_channel__start(struct tw_merge_channel *c, uint64_t dropped);

/** tw_merge_channel__free() - free the channel and return its queued frames to the pool */
void tw_merge_channel__free(struct tw_merge_channel *c, struct tw_frame_pool *pool);

enum tw_queue_result {
	TW_QUEUED,            /* in the order of numbers, or at the head if it fills a gap that was given up */
	TW_QUEUED_DUPLICATE,  /* not queued: all its events have arrived before */
	TW_QUEUED_STALE,      /* not queued: it has no events, and its position in the order has passed */
	TW_QUEUED_IMPOSSIBLE, /* not queued: its numbers are impossible, or too many queued frames follow it */
};

/** tw_merge_channel__queue() - insert a frame at its place. If the result is TW_QUEUED, the channel owns the frame */
enum tw_queue_result tw_merge_channel__queue(struct tw_merge_channel *c, struct tw_queued_frame *frame);

/** tw_merge_channel__has_hole() - whether numbers are missing before the head */
static inline bool tw_merge_channel__has_hole(const struct tw_merge_channel *c)
{
	return c->head->seq > c->numbers.next && !c->head->fills_gap;
}

/** tw_merge_channel__report_lost() - note that a LOST of SHED or TX reported @count lost events, which may explain the next gap */
static inline void tw_merge_channel__report_lost(struct tw_merge_channel *c, uint64_t count)
{
	c->lost_reported = c->lost_reported > UINT64_MAX - count ? UINT64_MAX : c->lost_reported + count;
}

/* A gap whose numbers were just given up. */
struct tw_merge_hole {
	uint64_t count; /* number of events, without those that LOST records reported */
	bool receiver;  /* the receiver dropped frames between the arrivals of the frames before and after the gap */
};

/** tw_merge_channel__give_up() - give up the missing numbers before @to. @dropped: drop counter when the frame after the gap arrived */
struct tw_merge_hole tw_merge_channel__give_up(struct tw_merge_channel *c, uint64_t to, uint64_t dropped);

/**
 * tw_merge_channel__use() - count the next @n numbers of the head frame as emitted; call it when no gap precedes the head frame
 * Return: how many of these numbers were not emitted before; they count as received
 */
uint32_t tw_merge_channel__use(struct tw_merge_channel *c, uint32_t n);

/**
 * tw_merge_channel__use_expected() - a fast path of tw_merge_channel__use() for one number, if it is the next number of the channel.
 * Return: false, with nothing counted, if it is another number: then call tw_merge_channel__use()
 */
static inline bool tw_merge_channel__use_expected(struct tw_merge_channel *c)
{
	if (c->head->seq != c->numbers.next || c->head->fills_gap)
		return false;
	c->head->seq++;
	c->numbers.next++;
	c->lost_reported = 0;
	c->counts->received++;
	return true;
}

/** tw_merge_channel__drop_head() - unlink the head, after all its numbers were used. Return: the head, which the caller now owns */
struct tw_queued_frame *tw_merge_channel__drop_head(struct tw_merge_channel *c);

/** tw_merge_channel__watermark() - store a watermark of this channel. Return: false if its number is impossible */
bool tw_merge_channel__watermark(struct tw_merge_channel *c, uint64_t time, uint64_t next_seq, uint64_t dropped);

/* The numbers of a stream's control frames that have arrived. Missing control frames are only counted: no other frame waits for them. */
struct tw_control_numbers {
	uint64_t next;
	uint64_t recent; /* bit n: frame next - 1 - n has arrived, or does not count as missing */
	bool known;      /* next is valid */
};

#endif
