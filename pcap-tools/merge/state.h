/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A merge's insides: merge.c keeps them, merge_in.c takes frames in, merge_out.c lets them out. */
#ifndef TW_MERGE_STATE_H
#define TW_MERGE_STATE_H

#include "pcap-tools/merge/heap.h"
#include "pcap-tools/merge/merge.h"
#include "wire/parts.h"

#define TW_CHANNEL_PAGE 256 /* channel numbers of one page of the look-up table */

/* Which control frames came. What is missing is only counted: no other frame waits for it. */
struct tw_merge_numbers {
	uint64_t next;
	uint64_t recent; /* bit n: next - 1 - n came, or was never to come */
	uint64_t gaps;
	bool known; /* next is meaningful */
};

struct tw_merge_stream {
	uint64_t id;
	struct tw_held *control, **control_end; /* not out yet, in the order in which they came */
	struct tw_merge_numbers control_numbers;
	struct tw_channel **channels;
	size_t n_channels;
	struct tw_channel **by_id[65536 / TW_CHANNEL_PAGE];
	struct tw_heap heap;   /* of the channels that have something */
	uint64_t newest;       /* time of the newest watermark */
	uint64_t control_mark; /* the control channel's: its frames that are yet to come may belong behind that */
	bool control_marked;
	uint64_t released; /* everything up to here went out */
	uint64_t last;     /* time of the newest event that went out */
	uint64_t told;     /* time of the last control frame that did */
	uint64_t late;     /* events that went out behind a newer one */
	uint64_t filtered; /* numbers of FILTERED that went by */
	bool moved;        /* a watermark came or began to hold: released is to be computed anew */
};

struct tw_merge {
	struct tw_merge_options options;
	struct tw_frame_pool pool;
	struct tw_parts *parts;
	struct tw_merge_stream *streams[TW_MERGE_STREAMS_MAX];
	size_t n_streams, n_channels;
	struct tw_merge_stream *latest; /* the one looked up last */
	struct tw_merge_stats stats;
	uint8_t whole[TW_FRAME_MAX + TW_HELD_SLACK]; /* an event put together */
};

/* Find or begin a stream, or a channel of one. Return: 0; -E2BIG beyond the limit, -ENOMEM */
int tw_merge__stream(struct tw_merge *m, uint64_t id, struct tw_merge_stream **ret);
int tw_merge__channel(struct tw_merge *m, struct tw_merge_stream *s, uint16_t id, struct tw_channel **ret);

/** tw_merge__release() - what the stream's watermarks let out goes out. Return: 0, or what emit returned */
int tw_merge__release(struct tw_merge *m, struct tw_merge_stream *s);

/** tw_merge__relieve() - if memory is used up, the oldest go out early. Return: 0, or what emit returned */
int tw_merge__relieve(struct tw_merge *m, struct tw_merge_stream *s);

#endif
