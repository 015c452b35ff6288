/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The merge accepts frames of many streams and channels and emits them in time order, for record, live, capture, convert (of packed
 * captures), report, info and filter explain.
 *
 * A channel's frames wait in a queue, sorted by sequence number. A WATERMARK releases them: events that are not newer than the oldest of
 * all channels' watermarks are emitted, oldest first. A silent channel, or one with a gap in its numbers, delays the others for at most
 * wait_ns of the stream's time. Memory is bounded: beyond the limit the oldest events are emitted early.
 *
 * The merge emits frames of one TLV each:
 * - EVENT: header with the event's own number, base time = event time, delta 0, events = 1; reassembled from PARTs if it fits a frame.
 * Events older than an event emitted before carry TW_FLAG_LATE.
 * - LOST and other records between events: events = 0. PARTs of larger values are emitted unchanged.
 *
 * Control frames are emitted whole, at their base times among the events, but never after an event that arrived later: formats and names
 * precede the events that need them. WATERMARK and FILTERED are not emitted, nor are PAD and AUTH between events.
 *
 * In packed mode frames are emitted whole, as received, in the order of their base times, including WATERMARK and FILTERED. The counters
 * are the same.
 *
 * Each stream can be ordered separately, or all together by the time of each stream's clock plus the stream's offset. Then events that
 * are not newer than the oldest of all streams' bounds are emitted. A stream whose offset does not arrive in time is placed by the
 * arrival of its newest event if this machine's time is known, otherwise as if its newest event were the newest of all. A stream that is
 * silent for wait_ns of this machine's time, or that ended, delays no other; none delays the others for more than wait_ns of their time.
 * A stream whose offset is wrong by more than that causes LATE events, but no loss.
 *
 * If this machine's time is known (struct tw_arrival), nothing waits longer than 1.5 times wait_ns of it. If its place on the common
 * time line is known too (tw_merge__set_present()), a stream can be ahead of it by more than wait_ns: its clock is wrong, or a stranger
 * invented the stream. Such a stream does not release or delay events of other streams, and does not make them LATE. Its own events
 * are emitted after they have waited; they are LATE only after newer events of other streams that are ahead. If all streams are ahead,
 * this machine's time is wrong, and none counts as ahead. If some of the streams answered (tw_merge__set_answered()), only those are
 * compared, because forged frames must not decide. One stream that answered and is not ahead shows that this machine's time is right.
 */
#ifndef TW_MERGE_H
#define TW_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "stream/counters.h"
#include "stream/streams.h"
#include "wire/tracewire.h"

#define TW_MERGE_COPY_STEP 32 /* bytes; short copies of constant size are fast */
#define TW_MERGE_SLACK     TW_MERGE_COPY_STEP

/* One emitted frame; valid only during the call of emit(). tw_merged__copy() builds the whole frame and copies each byte once. */
struct tw_merged {
	uint64_t stream_id;
	uint64_t time;       /* by the stream's clock: of the event; of other frames their place in the order */
	const uint8_t *head; /* header of the frame with which it arrived; see tw_merged__copy() */
	const uint8_t *body; /* the TLVs, padded to whole words; TW_MERGE_SLACK more bytes are readable */
	size_t body_len;
	uint64_t seq, base_time;
	uint32_t delivered; /* events in it that are emitted for the first time, without FILTERED ones */
	uint16_t events;
	uint8_t flags;
	bool is_event;   /* exactly one EVENT */
	bool is_control; /* a whole control frame; without WATERMARK unless packed */
	bool has_lost;   /* it contains a LOST */
	bool at_base;    /* the TLV begins with a time relative to the base time, which must be written as 0 */
};

/** tw_merged__len() - size of the whole frame, bytes */
static inline size_t tw_merged__len(const struct tw_merged *out)
{
	return sizeof(struct tw_frame_hdr) + out->body_len;
}

/** tw_merged__copy() - build the whole frame; @to has room for it and TW_MERGE_SLACK bytes */
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

/* Totals of all streams, including retired ones, so the equations in stream/counters.h hold for them too. */
struct tw_merge_stats {
#define X(name, what) uint64_t name;
	TW_STREAM_NUMBERS(X)
#undef X
	uint64_t unreadable;     /* frames without a readable stream id; a part of the malformed ones */
	uint64_t refused;        /* frames of streams and channels for which there was no room */
	uint64_t refused_events; /* events in these frames */
	uint64_t retired;        /* streams */
	size_t streams;          /* current number */
	size_t queued;           /* bytes queued now */
};

/* Return: 0, or -errno, which ends the calling function and becomes its result. It must not call the merge. */
typedef int tw_merge_emit(void *ctx, const struct tw_merged *out);

/* Called when a stream is retired, after all of it was emitted. A stream that appears again with the same id is a new one. */
typedef void tw_merge_retired(void *ctx, uint64_t stream_id, const struct tw_stream_numbers *stats);

struct tw_merge_options {
	size_t memory;      /* bytes queued; 0 = 64 MiB */
	uint64_t wait_ns;   /* longest wait for a silent channel or stream, or for missing numbers; 0 = 1 s */
	uint64_t retire_ns; /* a stream that was silent for this time of this machine is retired; 0 = 5 min */
	bool from_start; /* the producer starts after the merge: channels begin with number 0, as if control frame 0 had arrived */
	bool one_order; /* one order for all streams; a stream waits for its offset, at most wait_ns */
	bool packed;    /* emit frames whole */
	/*
	 * Emit a LOST record, WIRE or RECEIVER, before the event after a gap in the numbers, with the time of that event. Losses that a
	 * LOST of SHED or TX at that place reports are not reported again. A missing event may still arrive after it was reported.
	 */
	bool report_gaps;
	/*
	 * The table of its streams; NULL = the merge has its own. The table has each stream as live from its first frame on. Frames of
	 * streams for which there is no place are refused.
	 */
	struct tw_streams *streams;
	tw_merge_emit *emit;
	tw_merge_retired *retired; /* NULL = no callback */
	void *ctx;                 /* context of emit and retired */
};

/* Memory with frames that the merge may keep until they are emitted, instead of copying them. All its users run in one thread. */
struct tw_borrowed_buffer {
	uint32_t users; /* the lender is one of the users until it has passed all of it to the merge */
	void (*released)(struct tw_borrowed_buffer *buffer); /* called when the last user has finished */
};

static inline void tw_borrowed_buffer__return(struct tw_borrowed_buffer *buffer)
{
	if (!--buffer->users)
		buffer->released(buffer);
}

/* When and how a frame arrived. */
struct tw_arrival {
	uint64_t now;     /* CLOCK_MONOTONIC of this machine on arrival, ns; 0 = read from a file */
	uint64_t dropped; /* the receiver's drop counter on arrival, as in struct tw_received_frame */
	/*
	 * The buffer that contains the frame, with TW_MERGE_SLACK bytes after it: the merge may keep it there until it is emitted. NULL
	 * = the frame is copied. The lender is one of its users during the call, and must outlive the merge.
	 */
	struct tw_borrowed_buffer *buffer;
};

struct tw_merge;

/** tw_merge__new() - Return: 0, -ENOMEM */
int tw_merge__new(const struct tw_merge_options *options, struct tw_merge **ret, struct tw_error *error);

/** tw_merge__free() - free it; frames that were not flushed are lost; NULL is fine */
void tw_merge__free(struct tw_merge *m);

/**
 * tw_merge__frame() - take one frame, which may release others
 * @data: from the frame header on; padding of the link may follow; copied, unless its buffer is lent
 * @arrival: NULL = read from a file
 *
 * Frames that cannot be read are counted, not an error. Out-of-band frames are ignored. If the table of streams is full, one stream is
 * evicted as described in stream/eviction.h: one that ended, that never sent consecutive numbers, or that was silent for the `silence`
 * of the table. In a table of the merge's own, that is TW_STREAMS_SILENT_FRAMES frames.
 *
 * Return: 0, -ENOMEM, or the result of emit.
 */
int tw_merge__frame(struct tw_merge *m, const void *data, size_t len, const struct tw_arrival *arrival);

/**
 * tw_merge__admit() - make room for a stream whose first frame follows
 *
 * For callers that keep a table of streams in addition: frames of a stream that is not admitted are refused, and an admitted stream
 * stays until `retired` is called for it. Streams that make room are retired at once.
 *
 * Return: 0; -ENOSPC without room for one more stream; -ENOMEM; the result of emit.
 */
int tw_merge__admit(struct tw_merge *m, uint64_t stream_id);

/**
 * tw_merge__retire() - end a stream now, because admission has given its place to another. Its queued frames are emitted
 *
 * Return: 0, also if there is no such stream; or the result of emit.
 */
int tw_merge__retire(struct tw_merge *m, uint64_t stream_id);

/**
 * tw_merge__set_offset() - set the offset of a stream's clock; call it again when the offset changes
 * @offset: added to times of the stream's clock, in ns
 *
 * May be called before the stream's first frame. Only the order of all streams needs it.
 *
 * Return: 0; -ENOSPC without room for one more stream; -ENOMEM; the result of emit.
 */
int tw_merge__set_offset(struct tw_merge *m, uint64_t stream_id, int64_t offset);

/**
 * tw_merge__placed_by_arrival() - the place of a stream whose offset did not arrive in time: its newest event got the time of its
 * arrival
 * @ret: its offset, as for tw_merge__set_offset()
 *
 * Return: false if this machine's time is unknown, or if the stream has an offset, still waits for one, or does not exist.
 */
bool tw_merge__placed_by_arrival(const struct tw_merge *m, uint64_t stream_id, int64_t *ret);

/**
 * tw_merge__set_scale() - set the ticks of a stream's clock, from its HOST
 *
 * Waiting times and the order of all streams use ns; emitted times are the clock's.
 *
 * Return: as tw_merge__set_offset().
 */
int tw_merge__set_scale(struct tw_merge *m, uint64_t stream_id, const struct tw_clock_scale *scale);

/**
 * tw_merge__tick() - emit what has waited too long, and retire streams; call it from time to time when no frame arrives
 * @now: CLOCK_MONOTONIC, ns; all frames that arrived before were passed to the merge
 *
 * Return: 0, or the result of emit.
 */
int tw_merge__tick(struct tw_merge *m, uint64_t now);

/**
 * tw_merge__set_present() - relate this machine's time to the common time line
 * @now: CLOCK_MONOTONIC, ns
 * @time: the same moment on the common time line: by the capture clock if streams are aligned to it, otherwise by the wall clock. The wall
 * clock may be set to another time, so call this function repeatedly.
 *
 * Not called for a merge that reads files: this machine's time is unrelated to theirs.
 */
void tw_merge__set_present(struct tw_merge *m, uint64_t now, uint64_t time);

/** tw_merge__set_answered() - note that a stream answered a question: its clock may confirm this machine's time. An unknown id is ignored */
void tw_merge__set_answered(struct tw_merge *m, uint64_t stream_id);

/** tw_merge__flush() - emit everything: at the end, or if nothing is to be waited for any more. Return: 0, or the result of emit */
int tw_merge__flush(struct tw_merge *m);

/** tw_merge__stats() - totals of all streams so far */
void tw_merge__stats(const struct tw_merge *m, struct tw_merge_stats *ret);

/** tw_merge__stream_stats() - numbers of a stream so far; all 0 for an unknown or retired stream */
void tw_merge__stream_stats(const struct tw_merge *m, uint64_t stream_id, struct tw_stream_numbers *ret);

#endif
