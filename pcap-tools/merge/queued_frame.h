/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queued frames of a merge, in pooled buffers or in borrowed ones. They are read one item at a time. */
#ifndef TW_MERGE_QUEUED_FRAME_H
#define TW_MERGE_QUEUED_FRAME_H

#include "pcap-tools/merge/merge.h"
#include "wire/decode.h"

/* Zeroed bytes after a copied frame, so that its last TLV can be copied in steps. A borrowed frame is followed by TW_MERGE_SLACK bytes. */
#define TW_QUEUED_FRAME_SLACK 64

/* A TLV that has a position in the order: any except PAD, WATERMARK and AUTH. */
struct tw_merge_item {
	uint64_t time;
	const uint8_t *tlv; /* begins with the header of the TLV */
	uint32_t len;       /* bytes, with header and padding */
	uint16_t type;
	bool numbered; /* has a sequence number */
};

/* Content of a frame, found in one walk. */
struct tw_queued_frame_content {
	uint32_t items;       /* number of items: TLVs with a position in the order */
	uint32_t events;      /* numbered items */
	uint32_t filtered;    /* FILTERED items */
	uint32_t len;         /* readable bytes from the frame header on */
	uint64_t last;        /* time of the last EVENT or FILTERED; the base time if there is none */
	uint64_t shed, tx;    /* events that LOST records of SHED and of TX report */
	uint64_t lost_before; /* the part of shed + tx that is reported before the first event of the frame */
	bool has_watermark, has_parts, has_lost, has_end;
	bool broken; /* a TLV is malformed */
};

struct tw_queued_frame {
	struct tw_queued_frame *next, *prev;
	struct tw_cursor rest;
	struct tw_merge_item item; /* the first item that is not emitted yet */
	uint64_t seq;              /* number of `item`; if it has none, number of the next item that has one */
	bool started;              /* a part of the frame was emitted */
	bool fills_gap;            /* its numbers were given up before it arrived */
	uint8_t size_class;
	uint32_t size;             /* allocated size of this struct with `copy`, bytes */
	struct tw_frame_info info; /* the header as received */
	struct tw_queued_frame_content content;
	uint64_t dropped; /* the receiver's drop counter on arrival */
	struct tw_merge_packet packet;
	const uint8_t *data;               /* the frame: in `copy`, or in the borrowed buffer */
	struct tw_borrowed_buffer *buffer; /* the borrowed buffer; NULL = the frame is in `copy` */
	uint32_t borrowed;                 /* bytes of the frame in the borrowed buffer; 0 = the frame is in `copy` */
	uint8_t copy[];
};

#define TW_FRAME_POOL_CLASSES 10 /* 256 bytes to 128 KiB */

struct tw_frame_pool {
	struct tw_queued_frame *unused[TW_FRAME_POOL_CLASSES];
	size_t unused_bytes;
	size_t queued_bytes;
};

/** tw_frame_pool__fini() - free the unused buffers, after all other buffers were returned */
void tw_frame_pool__fini(struct tw_frame_pool *pool);

/**
 * tw_frame_pool__take() - make a queued frame of @len bytes, whose header is @info
 * @buffer: the buffer that contains the frame and is borrowed; NULL = the frame is copied. The bytes of a borrowed buffer are not changed
 * Return: NULL without memory.
 */
struct tw_queued_frame *tw_frame_pool__take(struct tw_frame_pool *pool, const struct tw_frame_info *info,
					    const void *data, size_t len, struct tw_borrowed_buffer *buffer);

/** tw_frame_pool__give() - return a frame to the pool; tw_frame_pool__give_all(): also all frames after it; @frame may be NULL */
void tw_frame_pool__give(struct tw_frame_pool *pool, struct tw_queued_frame *frame);
void tw_frame_pool__give_all(struct tw_frame_pool *pool, struct tw_queued_frame *frame);

/** tw_queued_frame__look() - set the `content` of a frame, in one walk that does not change the read position */
void tw_queued_frame__look(struct tw_queued_frame *frame);

/** tw_queued_frame__next() - read the next item. Return: false at the end, if the rest is malformed, or if no number is left for it */
bool tw_queued_frame__next(struct tw_queued_frame *frame);

/**
 * tw_queued_frame__strip() - remove the malformed rest of a copied frame, of which no item was read yet
 * @of_all: also remove WATERMARK, PAD and AUTH
 */
void tw_queued_frame__strip(struct tw_queued_frame *frame, bool of_all);

/** tw_queued_frame__end() - the number after the last event of the frame, according to its header */
static inline uint64_t tw_queued_frame__end(const struct tw_queued_frame *frame)
{
	return frame->info.seq + frame->info.events;
}

#endif
