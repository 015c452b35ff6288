/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames that wait in a merge, in pooled buffers or where they came, read one item at a time. */
#ifndef TW_MERGE_QUEUED_FRAME_H
#define TW_MERGE_QUEUED_FRAME_H

#include "pcap-tools/merge/merge.h"
#include "wire/decode.h"

#define TW_QUEUED_FRAME_SLACK \
	64 /* zeroed bytes behind a copy, so that its last TLV can be copied in steps; a lender leaves TW_MERGE_SLACK */

/* A TLV that has a place in the order: anything but PAD and WATERMARK. */
struct tw_merge_item {
	uint64_t time;
	const uint8_t *tlv; /* from its header on */
	uint32_t len;       /* whole words */
	uint16_t type;
	bool numbered; /* uses up a sequence number */
};

/* What a frame holds, found by walking it once. */
struct tw_queued_frame_content {
	uint32_t items;       /* with a place in the order */
	uint32_t events;      /* numbered items */
	uint32_t filtered;    /* of them FILTERED */
	uint32_t len;         /* from the frame header on, as far as it can be read; bytes */
	uint64_t last;        /* time of the last EVENT or FILTERED; without one the base time */
	uint64_t shed, tx;    /* that LOST records tell of */
	uint64_t lost_before; /* the same, before the first event */
	bool has_watermark, has_parts, has_lost, has_host, has_end;
	bool broken; /* a TLV can't be read */
};

struct tw_queued_frame {
	struct tw_queued_frame *next, *prev;
	struct tw_cursor rest;
	struct tw_merge_item item; /* the first that is not out yet */
	uint64_t seq;              /* of that item, or of the next that has one */
	bool started;              /* some of it is out */
	bool fills_gap;            /* that was given up */
	uint8_t size_class;
	uint32_t size;             /* of this buffer, bytes */
	struct tw_frame_info info; /* as it came */
	struct tw_queued_frame_content content;
	uint64_t dropped;                  /* by the receiver when it came */
	const uint8_t *data;               /* in copy, or borrowed */
	struct tw_borrowed_buffer *buffer; /* NULL = in copy */
	uint32_t borrowed;                 /* bytes of it */
	uint8_t copy[];
};

#define TW_FRAME_POOL_CLASSES 10 /* 256 bytes to 128 KiB */

struct tw_frame_pool {
	struct tw_queued_frame *unused[TW_FRAME_POOL_CLASSES];
	size_t unused_bytes;
	size_t queued_bytes;
};

/** tw_frame_pool__fini() - frees what is unused; what is in use was given back before */
void tw_frame_pool__fini(struct tw_frame_pool *pool);

/**
 * tw_frame_pool__take() - @len bytes of a frame whose header is @info
 * @buffer: what it lies in, where it stays; NULL = it is copied. A borrowed one is not changed
 * Return: NULL without memory.
 */
struct tw_queued_frame *tw_frame_pool__take(struct tw_frame_pool *pool, const struct tw_frame_info *info,
					    const void *data, size_t len, struct tw_borrowed_buffer *buffer);

/** tw_frame_pool__give() - back into the pool */
void tw_frame_pool__give(struct tw_frame_pool *pool, struct tw_queued_frame *frame);

/** tw_queued_frame__look() - walk the frame once, without reading on in it: sets its content */
void tw_queued_frame__look(struct tw_queued_frame *frame);

/** tw_queued_frame__next() - read on to the next item. Return: false at the end, or where the rest can't be read */
bool tw_queued_frame__next(struct tw_queued_frame *frame);

/**
 * tw_queued_frame__strip() - take what can't be read out of a copied frame nothing was read of, as if it had come so
 * @of_all: WATERMARK, PAD and AUTH too
 */
void tw_queued_frame__strip(struct tw_queued_frame *frame, bool of_all);

/** tw_queued_frame__end() - the number after its last event, as its header says */
static inline uint64_t tw_queued_frame__end(const struct tw_queued_frame *frame)
{
	return frame->info.seq + frame->info.events;
}

#endif
