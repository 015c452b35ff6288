/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One channel of a merge: its waiting frames in order of their numbers, what its watermarks promise, what is missing. */
#ifndef TW_MERGE_CHANNEL_H
#define TW_MERGE_CHANNEL_H

#include "pcap-tools/merge/frame.h"

#define TW_CHANNEL_MARKS   8            /* watermarks that wait for events */
#define TW_CHANNEL_GAPS    16           /* latest gaps remembered, in case they are filled after all */
#define TW_CHANNEL_REORDER 256          /* frames that one may come behind its place */
#define TW_CHANNEL_JUMP    (1ull << 32) /* numbers; no loss is as large, a frame that says so lies */

struct tw_mark {
	uint64_t time, next_seq;
};

struct tw_range {
	uint64_t from, to; /* not including to */
};

struct tw_channel {
	struct tw_held *head, *tail;
	struct tw_range missing[TW_CHANNEL_GAPS];
	struct tw_mark marks[TW_CHANNEL_MARKS];
	uint64_t mark;     /* nothing older comes */
	uint64_t next;     /* the number expected next to go out */
	uint64_t seen;     /* all numbers before it are queued or out, or were given up */
	uint64_t promised; /* the largest next_seq of a watermark */
	uint64_t gaps;     /* numbers given up */
	size_t heap_at;    /* place in the heap, SIZE_MAX = not in it */
	uint16_t id;
	uint8_t n_marks, next_missing;
	bool known; /* next and seen are meaningful */
	bool begun; /* and next can't be lowered any more */
};

/** tw_channel__new() - @from_start: its numbers begin with 0. Return: NULL without memory */
struct tw_channel *tw_channel__new(uint16_t id, bool from_start);

/** tw_channel__free() - and gives what is queued back to the pool */
void tw_channel__free(struct tw_channel *c, struct tw_frame_pool *pool);

enum tw_queued {
	TW_QUEUED,
	TW_QUEUED_LATE,   /* at the head: it fills a gap that was given up */
	TW_QUEUED_REPEAT, /* not: all of it came before */
	TW_QUEUED_STALE,  /* not: without events, and its place has gone by */
	TW_QUEUED_LIE,    /* not: its numbers cannot be */
};

/** tw_channel__queue() - put a frame at its place; taken with TW_QUEUED and TW_QUEUED_LATE */
enum tw_queued tw_channel__queue(struct tw_channel *c, struct tw_held *held);

/** tw_channel__use() - the head's numbered item goes out. Return: false if that number was out already */
bool tw_channel__use(struct tw_channel *c, struct tw_held *held);

/** tw_channel__drop_head() - the head is used up: its unread numbers are missing. Return: it, unlinked */
struct tw_held *tw_channel__drop_head(struct tw_channel *c);

/** tw_channel__promise() - a watermark names this channel. Return: false if its number cannot be */
bool tw_channel__promise(struct tw_channel *c, uint64_t time, uint64_t next_seq);

/** tw_channel__settle() - the end: what was promised and did not come is missing */
void tw_channel__settle(struct tw_channel *c);

#endif
