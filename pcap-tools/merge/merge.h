/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of many channels in, one-event frames in time order out: what record and live have in common, and later the
 * capture host.
 *
 * A channel's frames wait in a queue, sorted by sequence number. A WATERMARK releases them: what is not newer than the oldest of
 * all channels' watermarks goes out, oldest first. A channel that says nothing, or whose numbers have a hole, holds the others
 * up for wait_ns of the stream's time at most. Memory is bounded: beyond it the oldest events go out early.
 *
 * Out come frames of one TLV each:
 *  - EVENT: header with the event's own number, base time = event time, delta 0, events = 1; put together from PARTs if a frame
 *    holds it. Events older than one that went out before carry TW_FLAG_LATE.
 *  - LOST and whatever else was between the events: events = 0. PARTs of larger values pass as they are.
 * Control frames pass whole, in the order of their base times among the events, but never behind an event that arrived after them:
 * formats and names precede what they explain. WATERMARK, PAD and FILTERED do not come out.
 *
 * Streams are ordered each in itself.
 */
#ifndef TW_MERGE_H
#define TW_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "wire/tracewire.h"

#define TW_MERGE_STREAMS_MAX  256  /* of one merge; frames of more are refused */
#define TW_MERGE_CHANNELS_MAX 8192 /* of all streams */
#define TW_MERGE_COPY_STEP    32   /* bytes; short copies of known size are the fast ones */
#define TW_MERGE_SLACK        TW_MERGE_COPY_STEP

/* One frame coming out; borrowed during the call. tw_merged__copy() makes it whole, with one copy of its bytes. */
struct tw_merged {
	uint64_t stream_id;
	uint64_t time;       /* in the stream's clock: of the event; of other frames where they stand in the order */
	const uint8_t *head; /* header of the frame that it came in; what differs is below */
	const uint8_t *body; /* the TLVs, whole words; TW_MERGE_SLACK more bytes can be read */
	size_t body_len;
	uint64_t seq, base_time;
	uint16_t events;
	uint8_t flags;
	bool is_event;   /* exactly one EVENT */
	bool is_control; /* a control frame, whole as it came */
	bool at_base;    /* the TLV begins with a time, which is to be 0 from the base time */
};

/** tw_merged__len() - of the whole frame, bytes */
static inline size_t tw_merged__len(const struct tw_merged *out)
{
	return sizeof(struct tw_frame_hdr) + out->body_len;
}

/** tw_merged__copy() - the whole frame; @to has room for it and TW_MERGE_SLACK bytes */
static inline void tw_merged__copy(const struct tw_merged *out, uint8_t *to)
{
	uint8_t *body = to + sizeof(struct tw_frame_hdr);

	memcpy(to, out->head, sizeof(struct tw_frame_hdr));
	for (size_t at = 0; at < out->body_len; at += TW_MERGE_COPY_STEP)
		memcpy(body + at, out->body + at, TW_MERGE_COPY_STEP);
	if (out->is_control)
		return;
	to[offsetof(struct tw_frame_hdr, flags)] = out->flags;
	tw_store_be16(to + offsetof(struct tw_frame_hdr, length), (uint16_t)tw_merged__len(out));
	tw_store_be64(to + offsetof(struct tw_frame_hdr, seq), out->seq);
	tw_store_be64(to + offsetof(struct tw_frame_hdr, base_time), out->base_time);
	tw_store_be16(to + offsetof(struct tw_frame_hdr, events), out->events);
	if (out->at_base)
		tw_store_be32(body + sizeof(struct tw_tlv), 0);
}

/* Return: 0, or -errno, which ends the call that led here and is returned by it. */
typedef int tw_merge_emit(void *ctx, const struct tw_merged *out);

struct tw_merge_options {
	size_t memory;    /* bytes held; 0 = 64 MiB */
	uint64_t wait_ns; /* longest wait for a silent channel or missing numbers; 0 = 1 s */
	bool from_start; /* the producer starts with us: channels begin with number 0 and what is missing there is a gap */
	tw_merge_emit *emit;
	void *ctx; /* for emit */
};

/* Totals. events_in = events_out + filtered + duplicates + incomplete + malformed_events, once all is flushed. */
struct tw_merge_stats {
	uint64_t frames; /* taken, control frames included */
	uint64_t frames_out;
	uint64_t events_in; /* EVENT, FILTERED and last PARTs of an EVENT */
	uint64_t events_out;
	uint64_t filtered;         /* rejected by a classifier in place */
	uint64_t gaps;             /* events missing by their numbers; those that came after all are taken off again */
	uint64_t duplicates;       /* events that had come before */
	uint64_t late;             /* events that came out behind a newer one */
	uint64_t forced;           /* events let out early for want of memory */
	uint64_t malformed;        /* frames that cannot be read, or in part, or whose numbers cannot be */
	uint64_t malformed_events; /* events in them, as far as they can be counted */
	uint64_t stale;            /* frames without events that came too late to be placed; dropped */
	uint64_t incomplete;       /* events in PARTs of which one is missing; among the gaps too */
	uint64_t control_gaps;     /* control frames missing by their numbers */
	size_t held;               /* bytes in the queues now */
};

struct tw_merge;

/** tw_merge__new() - Return: 0, -ENOMEM */
int tw_merge__new(const struct tw_merge_options *options, struct tw_merge **ret, struct tw_error *err);

/** tw_merge__free() - what was not flushed is lost; NULL is fine */
void tw_merge__free(struct tw_merge *m);

/**
 * tw_merge__frame() - take one frame, which may release others
 * @data: from the frame header on; padding of the link may follow; copied
 *
 * Frames that cannot be read are counted, not an error.
 *
 * Return: 0, -ENOMEM, or what emit returned.
 */
int tw_merge__frame(struct tw_merge *m, const void *data, size_t len);

/** tw_merge__flush() - let everything out: the end, or nothing more is to be waited for */
int tw_merge__flush(struct tw_merge *m);

void tw_merge__stats(const struct tw_merge *m, struct tw_merge_stats *ret);

/* Of one stream; see struct tw_merge_stats. */
struct tw_merge_stream_stats {
	uint64_t gaps, late, control_gaps, filtered;
};

/** tw_merge__stream_stats() - as far as known; all 0 for an unknown stream */
void tw_merge__stream_stats(const struct tw_merge *m, uint64_t stream_id, struct tw_merge_stream_stats *ret);

#endif
