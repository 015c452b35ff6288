/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The merge accepts frames of many streams and channels and emits them in time order. It is used by `tracewire record`, `live`, `capture`,
 * `convert` (for packed captures), `report`, `latency`, `info` and `filter explain`.
 *
 * A channel's frames wait in a queue, sorted by sequence number. A WATERMARK releases them: events that are not newer than the oldest
 * watermark of the stream's channels are emitted, oldest first. A silent channel, or a channel with a gap in its numbers, delays the other
 * channels for at most wait_ns of the stream's time. Memory is bounded: beyond the limit, the oldest events are emitted early.
 *
 * Without packed mode, the merge takes apart the frames of all channels except the control channel. Each resulting frame has one TLV:
 * - EVENT: the header has the event's own number, the event's time as base time, and events = 1; the time in the TLV is 0. An event in
 *   PARTs is reassembled if it fits a frame. An event that is older than an event emitted before carries TW_FLAG_LATE.
 * - PART of a value that does not fit a frame: unchanged. The header of the last PART of an event has events = 1, that of any other PART
 *   events = 0.
 * - LOST, or another record between events: events = 0.
 * PAD, AUTH, WATERMARK and FILTERED are not emitted.
 *
 * A control frame is emitted as received, unless it has a WATERMARK or is malformed: then WATERMARK, PAD, AUTH and the malformed rest are
 * removed. A control frame waits for its base time, but precedes each event of its stream that is emitted after the control frame arrived.
 * So formats and names precede the events that need them.
 *
 * In packed mode, all frames are emitted as received, with WATERMARK, FILTERED, PAD and AUTH; only a malformed rest is removed. Frames of
 * rings are ordered by their base times. The counters of events are the same as without packed mode.
 *
 * Each stream is ordered separately; with the option one_order, all streams are ordered together, on a common time line. The common time
 * of an event is its time by the stream's clock plus the stream's offset. The bound of a stream is the time up to which its own watermarks
 * release events. Events that are not newer than the oldest bound of all streams are emitted. A stream that is silent for wait_ns of
 * CLOCK_MONOTONIC delays no other stream. A stream that ended delays others only while it has queued events and no offset. No stream delays
 * events that are older than the newest watermark of all streams by wait_ns or more. A stream whose offset is wrong by more than wait_ns
 * causes LATE events, but no loss.
 *
 * The caller may pass two times of this machine:
 * - The arrival time of each frame, by CLOCK_MONOTONIC (struct tw_arrival). With it, no frame waits longer than 1.5 times wait_ns.
 * - The present common time (tw_merge__set_present()): the common time of an event that happens now. The merge compares it with the newest
 *   common time of each stream, that is, the common time of the stream's newest event or watermark.
 *
 * If the offset of a stream does not arrive in time, the merge chooses an offset in one of two ways:
 * - By arrival: the stream's newest event gets the common time of its arrival. This requires the present common time. If other streams have
 *   watermarks, at least one stream must also confirm the present common time (see below).
 * - By other streams: the stream's newest event or watermark gets the common time of the newest watermark of all other streams. If there is
 *   no other watermark, the offset is 0.
 *
 * A stream is ahead if its newest common time is later than the present common time by more than wait_ns. The clock of such a stream is
 * wrong, or the stream is forged. Therefore it does not release or delay events of other streams, and does not make them LATE. Its own
 * events are emitted when they have waited long enough; they are LATE only after newer events of streams that are ahead.
 *
 * The present common time may be wrong, too. Therefore a stream counts as ahead only while at least one stream confirms the present common
 * time (defined next). A stream confirms the present common time if the stream's offset was not chosen by arrival, and the stream's newest
 * common time is not later than the present common time by more than wait_ns. If some of the streams with such an offset answered a request
 * (tw_merge__set_answered()), only the streams that answered can confirm the present common time, because the others may be forged.
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

#define TW_MERGE_COPY_STEP 32 /* bytes that tw_merged__copy() copies at a time: copies of constant size are fast */
#define TW_MERGE_SLACK     TW_MERGE_COPY_STEP

/* The packet of a file that had a frame. The merge passes it on with all that it emits from the frame. */
struct tw_merge_packet {
	uint64_t time;    /* packet time, ns since 1970; 0 = unknown */
	uint64_t offsets; /* number of OFFSET records of the stream that precede the packet in the file */
};

/* One emitted frame; valid only during the call of emit(). tw_merged__copy() builds the whole frame and copies each byte once. */
struct tw_merged {
	uint64_t stream_id;
	uint64_t time;       /* by the stream's clock: time of the event; without an event, position in the order */
	uint64_t last;       /* time of the last event of the frame; @time if there is none */
	uint64_t frame_time; /* base time of the received frame */
	struct tw_merge_packet packet; /* of the received frame, as in its tw_arrival */
	const uint8_t *head; /* header of the received frame that had the TLVs; tw_merged__copy() changes a copy */
	const uint8_t *body; /* the TLVs, padded to whole words; TW_MERGE_SLACK more bytes are readable */
	size_t body_len;
	uint64_t seq, base_time;
	uint32_t delivered; /* events in the frame that are emitted for the first time, without FILTERED ones */
	uint16_t events;
	uint8_t flags;
	bool is_event;   /* exactly one EVENT */
	bool is_control; /* a whole control frame; without WATERMARK unless packed */
	bool has_lost;   /* the frame contains a LOST */
	bool at_base;    /* the TLV begins with a time relative to the base time, which tw_merged__copy() sets to 0 */
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

/* Totals of all streams, including retired ones. The equations in stream/counters.h hold for these totals, too. */
struct tw_merge_stats {
#define X(name, what) uint64_t name;
	TW_STREAM_NUMBERS(X)
#undef X
	uint64_t unreadable;     /* frames without a readable stream id; `malformed` includes them */
	uint64_t refused;        /* frames of streams and channels for which there was no room */
	uint64_t refused_events; /* events in these frames */
	uint64_t retired;        /* number of retired streams */
	size_t streams;          /* current number of streams */
	size_t queued;           /* bytes queued now */
};

/* Takes an emitted frame; must not change the merge. Return: 0, or -errno, which ends the calling function and becomes its result. */
typedef int tw_merge_emit(void *ctx, const struct tw_merged *out);

/* Called when a stream is retired, after all its frames were emitted. A stream that appears later with the same id is a new one. */
typedef void tw_merge_retired(void *ctx, uint64_t stream_id, const struct tw_stream_numbers *stats);

struct tw_merge_options {
	size_t memory;      /* limit of the queued bytes; 0 = 64 MiB */
	uint64_t wait_ns;   /* longest wait for a silent channel or stream, or for missing numbers; 0 = 1 s */
	uint64_t retire_ns; /* a stream that was silent for this time, by CLOCK_MONOTONIC, is retired; 0 = 5 min */
	bool from_start; /* the producer starts after the merge: channels begin with number 0, as if control frame 0 had arrived */
	bool one_order; /* one order for all streams; a stream waits for its offset, but at most wait_ns */
	bool packed;    /* emit frames whole */
	/*
	 * Emit a LOST record (WIRE or RECEIVER) for each gap in the numbers. It precedes the event after the gap, and has the time of this
	 * event. Losses that a LOST of SHED or TX reports at the same place are not reported again. A missing event may still arrive after
	 * it was reported.
	 */
	bool report_gaps;
	/*
	 * The table of streams; NULL = the merge makes its own table. Each stream is live in the table from its first frame on. Frames
	 * of streams for which the table has no room are refused.
	 */
	struct tw_streams *streams;
	tw_merge_emit *emit;
	tw_merge_retired *retired; /* NULL = no callback */
	void *ctx;                 /* context of emit and retired */
};

/*
 * Memory with frames, which its owner lends to the merge: the merge may read the frames there until they are emitted, instead of copying
 * them. The lender and the merge run in one thread.
 */
struct tw_borrowed_buffer {
	uint32_t users; /* number of queued frames in it; plus 1 until the lender has passed all frames to the merge */
	void (*released)(struct tw_borrowed_buffer *buffer); /* called when `users` becomes 0 */
};

static inline void tw_borrowed_buffer__return(struct tw_borrowed_buffer *buffer)
{
	if (!--buffer->users)
		buffer->released(buffer);
}

/* When and how a frame arrived. */
struct tw_arrival {
	uint64_t now;                  /* CLOCK_MONOTONIC of this machine on arrival, ns; 0 = read from a file */
	uint64_t dropped;              /* the receiver's drop counter on arrival, as in struct tw_received_frame */
	struct tw_merge_packet packet; /* if it was read from a file */
	/*
	 * The buffer that contains the frame, with TW_MERGE_SLACK bytes after the frame. The merge may read the frame there until it is
	 * emitted, or until tw_merge__free(). The lender counts itself in `users` until tw_merge__frame() returns, and must outlive the
	 * merge. NULL = the frame is copied.
	 */
	struct tw_borrowed_buffer *buffer;
};

struct tw_merge;

/** tw_merge__new() - make a merge. Return: 0, -ENOMEM */
int tw_merge__new(const struct tw_merge_options *options, struct tw_merge **ret, struct tw_error *error);

/** tw_merge__free() - free the merge; frames that were not emitted are lost; NULL is fine */
void tw_merge__free(struct tw_merge *m);

/**
 * tw_merge__frame() - accept one frame, which may release queued frames
 * @data: from the frame header on; padding of the link may follow; copied, unless @arrival lends its buffer
 * @arrival: NULL = read from a file
 *
 * A frame that cannot be read is counted; it is no error. Out-of-band frames are ignored. If the table of streams is full, a new stream
 * evicts one that ended, that never sent consecutive numbers, or that was silent for the `silence` of the table (stream/eviction.h). In
 * the merge's own table, `silence` is TW_STREAMS_SILENT_FRAMES frames.
 *
 * Return: 0, -ENOMEM, or the result of emit.
 */
int tw_merge__frame(struct tw_merge *m, const void *data, size_t len, const struct tw_arrival *arrival);

/**
 * tw_merge__admit() - make room for a stream whose first frame follows
 *
 * For callers that keep their own data of each stream: an admitted stream exists until `retired` is called for it. A stream that is
 * evicted to make room is retired immediately. If there is no room, the merge refuses the stream's frames.
 *
 * Return: 0; -ENOSPC without room for one more stream; -ENOMEM; the result of emit.
 */
int tw_merge__admit(struct tw_merge *m, uint64_t stream_id);

/**
 * tw_merge__retire() - emit the queued frames of a stream that admission evicted, and retire the stream
 *
 * Return: 0, also if there is no such stream; or the result of emit.
 */
int tw_merge__retire(struct tw_merge *m, uint64_t stream_id);

/**
 * tw_merge__set_offset() - set the offset of a stream's clock; call it again when the offset changes
 * @offset: added to times of the stream's clock, in ns
 *
 * May be called before the stream's first frame. No effect without one_order.
 *
 * Return: 0; -ENOSPC without room for one more stream; -ENOMEM; the result of emit.
 */
int tw_merge__set_offset(struct tw_merge *m, uint64_t stream_id, int64_t offset);

/**
 * tw_merge__placed_by_arrival() - get the offset that the merge chose for a stream whose own offset did not arrive in time
 * @ret: the offset, as for tw_merge__set_offset(). With it, the event that was the newest when the merge chose the offset has the common
 * time of its arrival
 *
 * Return: false if the stream's offset is unknown, or was not chosen by arrival, or if there is no such stream.
 */
bool tw_merge__placed_by_arrival(const struct tw_merge *m, uint64_t stream_id, int64_t *ret);

/**
 * tw_merge__set_scale() - set the unit of a stream's clock, from its HOST
 *
 * Waiting times and the order of all streams use ns. Emitted times are in the unit of the stream's clock.
 *
 * Return: as tw_merge__set_offset().
 */
int tw_merge__set_scale(struct tw_merge *m, uint64_t stream_id, const struct tw_clock_scale *scale);

/**
 * tw_merge__tick() - emit what has waited too long, and retire streams; called from time to time when no frame arrives
 * @now: CLOCK_MONOTONIC, ns; all frames that arrived before were passed to the merge
 *
 * Return: 0, or the result of emit.
 */
int tw_merge__tick(struct tw_merge *m, uint64_t now);

/**
 * tw_merge__set_present() - set the present common time
 * @now: the present moment by CLOCK_MONOTONIC, ns
 * @time: the same moment on the common time line, ns: by the capture clock if streams are aligned to it, otherwise by the wall clock. The
 * wall clock may be set to another time, so call this function repeatedly.
 *
 * Not for a merge that reads files: the clocks of this machine are unrelated to the times in the files.
 */
void tw_merge__set_present(struct tw_merge *m, uint64_t now, uint64_t time);

/**
 * tw_merge__hold() - emit no event that is newer than a common time, except at the end or for lack of memory. Later calls replace the time
 *
 * For a caller that orders something else among the events. Return: 0, or the result of emit.
 */
int tw_merge__hold(struct tw_merge *m, uint64_t until);

/** tw_merge__bound() - the common time up to which all events are emitted; with one_order. 0 = none are */
uint64_t tw_merge__bound(const struct tw_merge *m);

/** tw_merge__set_answered() - note that a stream answered a request, so that its address is not forged. Ignores unknown ids */
void tw_merge__set_answered(struct tw_merge *m, uint64_t stream_id);

/** tw_merge__flush() - emit all queued frames without waiting, at the end. Return: 0, or the result of emit */
int tw_merge__flush(struct tw_merge *m);

/** tw_merge__stats() - totals of all streams so far */
void tw_merge__stats(const struct tw_merge *m, struct tw_merge_stats *ret);

/** tw_merge__stream_stats() - numbers of a stream so far; all 0 for an unknown or retired stream */
void tw_merge__stream_stats(const struct tw_merge *m, uint64_t stream_id, struct tw_stream_numbers *ret);

#endif
