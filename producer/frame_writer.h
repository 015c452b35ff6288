/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a reader thread writes frames with: its sink and the one frame that it is filling. Channels take turns; each numbers its own
 * events before anything can be shed, so what does not arrive shows as a gap.
 *
 * Back-pressure: while the sink has no room the thread waits, and the kernel's ring buffers the events. Only after PATIENCE, or when
 * the sink broke, events are shed, counted, and reported by a LOST record as soon as frames go out again. After the deadline the writer
 * waits for nothing but the last frames, which report what was shed. These have one time limit for all of their waits.
 */
#ifndef TW_FRAME_WRITER_H
#define TW_FRAME_WRITER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"
#include "producer/hashed_pointers.h"
#include "transport/sink.h"
#include "wire/encode.h"

/* What all frames of a stream share. */
struct tw_producer_stream {
	uint64_t id;
	_Atomic uint64_t schema_id;
	uint8_t flags;
	const struct tw_hashed_pointers *pointers; /* NULL = addresses are sent as they are */
};

/* One ordered sequence of events. */
struct tw_producer_channel {
	uint16_t number;
	uint16_t cpu;
	uint8_t source;
	uint64_t next_seq;
	_Atomic uint64_t shed;            /* events, in all; frames on the control channel (producer/counter.h) */
	uint64_t pending[TW_LOST_TX + 1]; /* lost events by enum tw_lost_where, not yet reported by a LOST record */
};

struct tw_frame_writer {
	struct tw_sink *sink;
	const struct tw_producer_stream *stream;
	uint32_t events_per_frame;
	struct tw_frame frame;
	struct tw_producer_channel *channel; /* of the open frame; NULL = none is open */
	uint64_t waited;                     /* for room, ns; the reader resets it */
	bool shedding;                       /* gave up waiting; tries again now and then, without patience */
	uint64_t retry;                      /* when, CLOCK_MONOTONIC */
	int err;                             /* the sink broke for good */
	const struct tw_deadline *deadline;  /* NULL = none */
	bool stopped_waiting;                /* waits for nothing any more but the last frames */
	uint64_t last_until;                 /* until when it waits for the last frames; 0 = they do not follow yet */
	uint64_t given_up;                   /* frames that it did not wait for, as the deadline was over */
	uint32_t part_id;
	uint8_t flags;           /* of the frames to come, besides the stream's */
	_Atomic uint64_t events; /* committed (producer/counter.h) */
	uint64_t bytes;          /* the same, of frames */
};

/** tw_frame_writer__init() - @sink is the caller's, @events_per_frame 0 = as many as fit */
void tw_frame_writer__init(struct tw_frame_writer *writer, struct tw_sink *sink,
			   const struct tw_producer_stream *stream, uint32_t events_per_frame);

/**
 * tw_frame_writer__begin() - close the open frame, begin one of that channel
 * Return: false if the sink has no room even after waiting.
 */
bool tw_frame_writer__begin(struct tw_frame_writer *writer, struct tw_producer_channel *channel, uint64_t base_time);

/** tw_frame_writer__end() - commit the open frame, if any */
void tw_frame_writer__end(struct tw_frame_writer *writer);

/** tw_frame_writer__set_flags() - frame flags from here on, besides the stream's; ends the open frame */
void tw_frame_writer__set_flags(struct tw_frame_writer *writer, uint8_t flags);

/** tw_frame_writer__flush() - commit and push out. Return: 0, -EAGAIN, or the sink's error */
int tw_frame_writer__flush(struct tw_frame_writer *writer);

/**
 * tw_frame_writer__drain() - flush until all is out, or PATIENCE ends; with a deadline set, until shortly after that
 * Return: 0, -EAGAIN if not all is out, or the sink's error
 */
int tw_frame_writer__drain(struct tw_frame_writer *writer);

/** tw_frame_writer__stop_waiting() - the sink takes nothing: from now on wait for the last frames only */
void tw_frame_writer__stop_waiting(struct tw_frame_writer *writer);

/**
 * tw_frame_writer__begin_last() - the last frames follow
 *
 * The writer waits for them whatever the deadline is: for PATIENCE in all, and less if the sink broke or after __stop_waiting().
 */
void tw_frame_writer__begin_last(struct tw_frame_writer *writer);

/** tw_frame_writer__event() - send one kernel record on a channel in a new frame, or shed and count it; as tw_frame__add_event() */
void tw_frame_writer__event(struct tw_frame_writer *writer, struct tw_producer_channel *channel, const uint8_t *record,
			    uint32_t len, uint64_t time);

/** tw_frame_writer__borrow_frame() - a copy of the open frame if it is that channel's, to add events to it; else one without room */
static inline struct tw_frame tw_frame_writer__borrow_frame(const struct tw_frame_writer *writer,
							    const struct tw_producer_channel *channel)
{
	return writer->channel == channel ? writer->frame : (struct tw_frame){ 0 };
}

/** tw_frame_writer__return_frame() - before any other call */
static inline void tw_frame_writer__return_frame(struct tw_frame_writer *writer,
						 const struct tw_producer_channel *channel,
						 const struct tw_frame *frame)
{
	if (writer->channel == channel)
		writer->frame = *frame;
}

/** tw_frame_writer__lost() - a LOST record on the channel, before the event of that time; reported later if it cannot be sent now */
void tw_frame_writer__lost(struct tw_frame_writer *writer, struct tw_producer_channel *channel, uint64_t time,
			   uint16_t where, bool unknown, uint64_t count);

/** tw_frame_writer__report_pending() - report what was lost on the channel and could not be reported yet: for the end of a run */
void tw_frame_writer__report_pending(struct tw_frame_writer *writer, struct tw_producer_channel *channel,
				     uint64_t time);

#endif
