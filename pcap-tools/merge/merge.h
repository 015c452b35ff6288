/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of many streams and channels in, in the order of time out: what record, live, report and the capture host have in common.
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
 * Or, packed: frames come out whole, as they were received, in the order of their base times; WATERMARK and FILTERED are in them.
 * Counted is the same.
 *
 * Streams are ordered each in itself, or across: by time in each stream's clock plus the stream's offset. Then what is not newer
 * than the oldest of all streams' bounds goes out. A stream whose offset does not come in time is placed by when its newest came, where this
 * machine's time is told, else as if its newest were the newest of all. A stream that says nothing for wait_ns of this machine's time, or that
 * ended, holds nobody up; none holds the others up for more than wait_ns of their time. One whose offset is wrong by more
 * than that makes events LATE, none is lost by it.
 *
 * Where this machine's time is told (struct tw_arrival), nothing waits longer than one and a half wait_ns of it. Where its place on the common
 * time line is told, too (tw_merge__set_present()), a stream that is ahead of it by more than wait_ns lets nothing out of others, holds nobody
 * up, and makes nobody's events LATE: its clock is wrong, or a stranger made it up. Its own events go out when they have waited, LATE only
 * behind newer ones of streams that are ahead, too. If all
 * streams are ahead, this machine's time is wrong, and none counts as ahead. If some of the streams answered (tw_merge__set_answered()), only
 * those decide that: forged frames do not. One stream that answers and is not ahead is enough.
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

#define TW_MERGE_COPY_STEP 32 /* bytes; short copies of known size are the fast ones */
#define TW_MERGE_SLACK     TW_MERGE_COPY_STEP

/* One frame coming out; borrowed during the call. tw_merged__copy() makes it whole, with one copy of its bytes. */
struct tw_merged {
	uint64_t stream_id;
	uint64_t time;       /* in the stream's clock: of the event; of other frames where they stand in the order */
	const uint8_t *head; /* header of the frame that it came in; what differs is below */
	const uint8_t *body; /* the TLVs, whole words; TW_MERGE_SLACK more bytes can be read */
	size_t body_len;
	uint64_t seq, base_time;
	uint32_t delivered; /* events in it that come out for the first time, FILTERED ones not counted */
	uint16_t events;
	uint8_t flags;
	bool is_event;   /* exactly one EVENT */
	bool is_control; /* a control frame, whole as it came */
	bool has_lost;   /* there is a LOST in it */
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

/* Of all streams, those that were retired included; so the sums above hold here too. */
struct tw_merge_stats {
#define X(name, what) uint64_t name;
	TW_STREAM_NUMBERS(X)
#undef X
	uint64_t unreadable;     /* frames that say not even of which stream they are; among the malformed */
	uint64_t refused;        /* frames of streams and channels for which there was no room */
	uint64_t refused_events; /* in them, as their headers say */
	uint64_t retired;        /* streams */
	size_t streams;          /* now */
	size_t queued;           /* bytes in the queues now */
};

/* Return: 0, or -errno, which ends the call that led here and is returned by it. The merge may not be called from here. */
typedef int tw_merge_emit(void *ctx, const struct tw_merged *out);

/* A stream is forgotten, all of it is out. One that comes again under the same id is a new one to the merge. */
typedef void tw_merge_retired(void *ctx, uint64_t stream_id, const struct tw_stream_numbers *stats);

struct tw_merge_options {
	size_t memory;      /* bytes queued; 0 = 64 MiB */
	uint64_t wait_ns;   /* longest wait for a silent channel or stream, or for missing numbers; 0 = 1 s */
	uint64_t retire_ns; /* a stream that was silent for so long of this machine's time is retired; 0 = 5 min */
	bool from_start; /* the producer starts with us: channels begin with number 0, as where a stream's control frame 0 comes */
	bool one_order; /* one order for all streams; a stream waits for its offset, wait_ns at most */
	bool packed;    /* frames come out whole */
	/*
	 * A LOST record comes out before the event behind a hole in the numbers, of WIRE or RECEIVER, with the time of that event; what
	 * a LOST of SHED or TX there tells is not told again. If a missing event comes after all, that was told already.
	 */
	bool report_gaps;
	/*
	 * The table that its streams are in; NULL = one of its own. It has each stream live from its first frame on. Frames of streams for which
	 * there is no place are refused.
	 */
	struct tw_streams *streams;
	tw_merge_emit *emit;
	tw_merge_retired *retired; /* NULL = nobody wants to know */
	void *ctx;                 /* for emit and retired */
};

/* Memory with frames in it that the merge may keep until they are out, instead of copying them. One thread has all its users. */
struct tw_borrowed_buffer {
	uint32_t users; /* who lends is one, until all of it was given to the merge */
	void (*released)(struct tw_borrowed_buffer *buffer); /* the last user has finished */
};

static inline void tw_borrowed_buffer__return(struct tw_borrowed_buffer *buffer)
{
	if (!--buffer->users)
		buffer->released(buffer);
}

/* How a frame came. */
struct tw_arrival {
	uint64_t now; /* CLOCK_MONOTONIC of this machine when it came, ns; 0 = out of a file */
	uint64_t
		dropped; /* frames that the receiver had dropped when this one came, as struct tw_received_frame has it */
	/*
	 * What the frame lies in, with TW_MERGE_SLACK bytes behind it: it may be kept there until it is out. NULL = it is copied. The lender
	 * is one of its users during the call, and outlives the merge.
	 */
	struct tw_borrowed_buffer *buffer;
};

struct tw_merge;

/** tw_merge__new() - Return: 0, -ENOMEM */
int tw_merge__new(const struct tw_merge_options *options, struct tw_merge **ret, struct tw_error *error);

/** tw_merge__free() - what was not flushed is lost; NULL is fine */
void tw_merge__free(struct tw_merge *m);

/**
 * tw_merge__frame() - take one frame, which may release others
 * @data: from the frame header on; padding of the link may follow; copied, unless its buffer is lent
 * @arrival: NULL = out of a file
 *
 * Frames that cannot be read are counted, not an error. Frames of source ASIDE are not the merge's, and ignored. When the table of
 * streams is full, one makes room as stream/eviction.h has it: one that ended, that never sent consecutive numbers, or, in a
 * table of the merge's own, that was silent while TW_STREAMS_SILENT_FRAMES of others came.
 *
 * Return: 0, -ENOMEM, or what emit returned.
 */
int tw_merge__frame(struct tw_merge *m, const void *data, size_t len, const struct tw_arrival *arrival);

/**
 * tw_merge__admit() - make room for a stream of which a frame is about to come
 *
 * For who keeps a table of streams beside this one: what is not admitted is refused as a frame, too, and what is admitted stays until
 * `retired` is told of it. Others that make room are retired at once.
 *
 * Return: 0; -ENOSPC without room for one more stream; -ENOMEM; what emit returned.
 */
int tw_merge__admit(struct tw_merge *m, uint64_t stream_id);

/**
 * tw_merge__retire() - forget a stream now: whoever admits streams has given its place away. What it still holds goes out
 *
 * Return: 0, also if there is no such stream; or what emit returned.
 */
int tw_merge__retire(struct tw_merge *m, uint64_t stream_id);

/**
 * tw_merge__set_offset() - how far a stream's clock is from the common time line; again when that changes
 * @offset: added to times of the stream's clock, in ns
 *
 * May come before the stream's first frame. Only the order across streams needs it.
 *
 * Return: 0; -ENOSPC without room for one more stream; -ENOMEM; what emit returned.
 */
int tw_merge__set_offset(struct tw_merge *m, uint64_t stream_id, int64_t offset);

/**
 * tw_merge__placed_by_arrival() - where a stream stands whose offset did not come in time: its newest was given the time at which it came
 * @ret: its offset, as tw_merge__set_offset() has it
 *
 * Return: false if this machine's time was not told, or the stream has an offset, still waits for one, or is not there.
 */
bool tw_merge__placed_by_arrival(const struct tw_merge *m, uint64_t stream_id, int64_t *ret);

/**
 * tw_merge__set_scale() - a stream's clock counts ticks, as its HOST says
 *
 * What is waited for, and the order across streams, are by ns; times that come out are the clock's.
 *
 * Return: as tw_merge__set_offset().
 */
int tw_merge__set_scale(struct tw_merge *m, uint64_t stream_id, const struct tw_clock_scale *scale);

/**
 * tw_merge__tick() - let out what has waited too long, and retire streams; now and then when no frame comes
 * @now: CLOCK_MONOTONIC, ns; frames that came before were given to the merge
 *
 * Return: 0, or what emit returned.
 */
int tw_merge__tick(struct tw_merge *m, uint64_t now);

/**
 * tw_merge__set_present() - how this machine's time relates to the common time line
 * @now: CLOCK_MONOTONIC, ns
 * @time: the same moment on the common time line. That is the wall clock's time where streams keep their own wall clocks, which
 * somebody may set: so it is told again and again. It is the capture clock's where streams are put on that
 *
 * A merge that reads files is never given it: this machine's time says nothing about theirs.
 */
void tw_merge__set_present(struct tw_merge *m, uint64_t now, uint64_t time);

/** tw_merge__set_answered() - a stream answered a question: it has a say in whether this machine's time is right. Ignored if there is none of that id */
void tw_merge__set_answered(struct tw_merge *m, uint64_t stream_id);

/** tw_merge__flush() - let everything out: the end, or nothing more is to be waited for */
int tw_merge__flush(struct tw_merge *m);

void tw_merge__stats(const struct tw_merge *m, struct tw_merge_stats *ret);

/** tw_merge__stream_stats() - as far as known; all 0 for an unknown stream, as those are that were retired */
void tw_merge__stream_stats(const struct tw_merge *m, uint64_t stream_id, struct tw_stream_numbers *ret);

#endif
