/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One channel of a merge: its waiting frames in order of their numbers, what its watermarks promise, what is missing. */
#ifndef TW_MERGE_CHANNEL_H
#define TW_MERGE_CHANNEL_H

#include "pcap-tools/merge/heap.h"
#include "pcap-tools/merge/merge.h"
#include "pcap-tools/merge/queued_frame.h"
#include "stream/channels.h"

struct tw_merge_watermark {
	uint64_t time, next_seq;
};

/* An event in pieces, when frames come out whole: which piece is next. */
struct tw_merge_pieces {
	uint32_t id, offset;
	bool whole_so_far;
};

/* What is looked at for each event is at its end: numbers begins with the next one. */
struct tw_merge_channel {
	uint16_t id;
	uint8_t n_watermarks;
	bool begun;                 /* the next number can't be lowered any more */
	uint64_t first;             /* the first number, or the first that was heard of */
	uint64_t highest;           /* number of a frame that was queued */
	uint64_t announced;         /* the largest next_seq of a watermark */
	uint64_t announced_dropped; /* what the receiver had dropped when that came */
	uint64_t dropped;           /* the same, when the frame before the next number came */
	struct tw_merge_pieces piece;
	struct tw_frame_info last; /* header of the frame that was used up last */
	struct tw_merge_watermark watermarks[TW_STREAM_CHANNEL_WATERMARKS_MAX];
	uint64_t watermark; /* nothing older comes */
	uint64_t seen;      /* all numbers before it are queued or out, or were given up; if numbers are known */
	struct tw_queued_frame *head, *tail;
	struct tw_merge_heap_node node;   /* in its stream's heap; its id is the channel's */
	struct tw_stream_numbers *counts; /* of its stream */
	uint64_t lost_reported;           /* events that LOST records told of since the last number went out */
	struct tw_stream_channel numbers; /* its next is to go out; gaps were given up, counted in counts */
};

static inline struct tw_merge_channel *tw_merge_channel__of(struct tw_merge_heap_node *node)
{
	return (struct tw_merge_channel *)((uint8_t *)node - offsetof(struct tw_merge_channel, node));
}

/**
 * tw_merge_channel__new() - its numbers begin with the first that is heard of
 * @counts: of the stream that it is of; borrowed
 * Return: NULL without memory
 */
struct tw_merge_channel *tw_merge_channel__new(uint16_t id, struct tw_stream_numbers *counts);

/** tw_merge_channel__start() - no, with 0: what is missing from there on is a gap; @dropped: by the receiver until the stream began */
void tw_merge_channel__start(struct tw_merge_channel *c, uint64_t dropped);

/** tw_merge_channel__free() - and gives what is queued back to the pool */
void tw_merge_channel__free(struct tw_merge_channel *c, struct tw_frame_pool *pool);

enum tw_queue_result {
	TW_QUEUED,
	TW_QUEUED_LATE,       /* at the head: it fills a gap that was given up */
	TW_QUEUED_DUPLICATE,  /* not: all of it came before */
	TW_QUEUED_STALE,      /* not: without events, and its place has gone by */
	TW_QUEUED_IMPOSSIBLE, /* not: its numbers cannot be */
};

/** tw_merge_channel__queue() - put a frame at its place; taken with TW_QUEUED and TW_QUEUED_LATE */
enum tw_queue_result tw_merge_channel__queue(struct tw_merge_channel *c, struct tw_queued_frame *frame);

/** tw_merge_channel__has_hole() - whether numbers are missing before the head's next one */
static inline bool tw_merge_channel__has_hole(const struct tw_merge_channel *c)
{
	return c->head->seq > c->numbers.next && !c->head->fills_gap;
}

/** tw_merge_channel__report_lost() - a LOST of SHED or TX told of @count events, which may be the hole before the next number */
static inline void tw_merge_channel__report_lost(struct tw_merge_channel *c, uint64_t count)
{
	c->lost_reported = c->lost_reported > UINT64_MAX - count ? UINT64_MAX : c->lost_reported + count;
}

/* Numbers that were just given up, without those that LOST records tell of. */
struct tw_merge_hole {
	uint64_t count;
	bool receiver; /* the receiver dropped frames while they were on their way */
};

/** tw_merge_channel__give_up() - what is missing before number @to; @dropped: by the receiver until what is behind it came */
struct tw_merge_hole tw_merge_channel__give_up(struct tw_merge_channel *c, uint64_t to, uint64_t dropped);

/**
 * tw_merge_channel__use() - the next @n numbers of the head, behind which there is no hole any more, go out
 * Return: how many of them were not out before, counted as received
 */
uint32_t tw_merge_channel__use(struct tw_merge_channel *c, uint32_t n);

/** tw_merge_channel__use_expected() - the same for one number, where it is the one that is next. Return: false if it is not */
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

/** tw_merge_channel__drop_head() - all numbers of the head are used. Return: it, unlinked */
struct tw_queued_frame *tw_merge_channel__drop_head(struct tw_merge_channel *c);

/** tw_merge_channel__watermark() - a watermark names this channel. Return: false if its number cannot be */
bool tw_merge_channel__watermark(struct tw_merge_channel *c, uint64_t time, uint64_t next_seq, uint64_t dropped);

/** tw_merge_channel__lacks_announced() - whether numbers were announced that are not even queued; asked at the end, when nothing is */
bool tw_merge_channel__lacks_announced(const struct tw_merge_channel *c);

/* Which control frames of a stream came. What is missing is only counted: no other frame waits for it. */
struct tw_control_numbers {
	uint64_t next;
	uint64_t recent; /* bit n: next - 1 - n came, or was never to come */
	bool known;      /* next is meaningful */
};

/** tw_control_numbers__add() - frame @seq came; @gaps: how many are missing, kept up. Return: false if the number cannot be */
bool tw_control_numbers__add(struct tw_control_numbers *n, uint64_t seq, uint64_t *gaps);

#endif
