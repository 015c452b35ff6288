/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the frames of a reader thread: a sink and one open frame. Channels take turns. Each channel numbers its events before anything
 * can be shed, so each missing event is visible as a gap.
 *
 * Back-pressure: while the sink has no room the thread waits, and the kernel's ring buffers the events. After PATIENCE, or if the sink
 * fails, events are shed, counted, and reported by a LOST record as soon as frames can be sent again. After the deadline the writer
 * waits only for the last frames, which report the shed events. One time limit applies to all waits for the last frames.
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

/* Shared by all frames of a stream. */
struct tw_producer_stream {
	uint64_t id;
	_Atomic uint64_t schema_id;
	uint8_t flags;
	const struct tw_hashed_pointers *pointers; /* NULL = addresses are sent unchanged */
};

/* One ordered sequence of events. */
struct tw_producer_channel {
	uint16_t number;
	uint16_t cpu;
	uint8_t source;
	uint64_t next_seq;
	_Atomic uint64_t shed;            /* number of events; of frames on the control channel (producer/counter.h) */
	uint64_t pending[TW_LOST_TX + 1]; /* lost events by enum tw_lost_where, not yet reported by a LOST record */
};

struct tw_frame_writer {
	struct tw_sink *sink;
	const struct tw_producer_stream *stream;
	uint32_t events_per_frame;
	struct tw_frame frame;
	struct tw_producer_channel *channel; /* of the open frame; NULL = none is open */
	uint64_t waited;                     /* waiting time for room, ns; the reader resets it */
	bool shedding;                       /* gave up waiting; tries again from time to time, without waiting */
	uint64_t retry;                      /* when, CLOCK_MONOTONIC */
	int err;                             /* the sink has failed */
	const struct tw_deadline *deadline;  /* NULL = none */
	bool stopped_waiting;                /* waits for nothing except the last frames */
	uint64_t last_until;                 /* until when it waits for the last frames; 0 = not the last frames yet */
	uint64_t given_up;                   /* frames that it did not wait for because the deadline was over */
	uint32_t part_id;
	uint8_t flags;           /* of the next frames, in addition to the stream's flags */
	_Atomic uint64_t events; /* committed (producer/counter.h) */
	uint64_t bytes;          /* the same, of frames */
};

/** tw_frame_writer__init() - @sink is the caller's; @events_per_frame 0 = as many as fit */
void tw_frame_writer__init(struct tw_frame_writer *writer, struct tw_sink *sink,
			   const struct tw_producer_stream *stream, uint32_t events_per_frame);

/**
 * tw_frame_writer__begin() - close the open frame and begin one of that channel
 * Return: false if the sink has no room even after waiting.
 */
bool tw_frame_writer__begin(struct tw_frame_writer *writer, struct tw_producer_channel *channel, uint64_t base_time);

/** tw_frame_writer__end() - commit the open frame, if any */
void tw_frame_writer__end(struct tw_frame_writer *writer);

/** tw_frame_writer__set_flags() - flags of the next frames, in addition to the stream's flags; ends the open frame */
void tw_frame_writer__set_flags(struct tw_frame_writer *writer, uint8_t flags);

/** tw_frame_writer__flush() - commit the open frame and flush the sink. Return: 0, -EAGAIN, or the sink's error */
int tw_frame_writer__flush(struct tw_frame_writer *writer);

/**
 * tw_frame_writer__drain() - flush until all frames are out, or PATIENCE ends; if a deadline is set, until shortly after it
 * Return: 0, -EAGAIN if not all frames are out, or the sink's error
 */
int tw_frame_writer__drain(struct tw_frame_writer *writer);

/** tw_frame_writer__stop_waiting() - the sink accepts nothing: wait only for the last frames from now on */
void tw_frame_writer__stop_waiting(struct tw_frame_writer *writer);

/**
 * tw_frame_writer__begin_last() - the last frames follow
 *
 * The writer waits for them whatever the deadline is: PATIENCE in all, less if the sink failed or after __stop_waiting().
 */
void tw_frame_writer__begin_last(struct tw_frame_writer *writer);

/**
 * tw_frame_writer__event() - send one kernel record of a channel in a new frame, or shed and count it; arguments as
 * tw_frame__add_event()
 */
void tw_frame_writer__event(struct tw_frame_writer *writer, struct tw_producer_channel *channel, const uint8_t *record,
			    uint32_t len, uint64_t time);

/**
 * tw_frame_writer__borrow_frame() - a copy of the open frame if it is of that channel, to add events to it; otherwise a frame without
 * room
 */
static inline struct tw_frame tw_frame_writer__borrow_frame(const struct tw_frame_writer *writer,
							    const struct tw_producer_channel *channel)
{
	return writer->channel == channel ? writer->frame : (struct tw_frame){ 0 };
}

/** tw_frame_writer__return_frame() - return a borrowed frame, before any other call */
static inline void tw_frame_writer__return_frame(struct tw_frame_writer *writer,
						 const struct tw_producer_channel *channel,
						 const struct tw_frame *frame)
{
	if (writer->channel == channel)
		writer->frame = *frame;
}

/**
 * tw_frame_writer__lost() - write a LOST record of the channel before the event of that time; reported later if it cannot be sent now
 */
void tw_frame_writer__lost(struct tw_frame_writer *writer, struct tw_producer_channel *channel, uint64_t time,
			   uint16_t where, bool unknown, uint64_t count);

/** tw_frame_writer__report_pending() - report losses of the channel that could not be reported yet; for the end of a run */
void tw_frame_writer__report_pending(struct tw_frame_writer *writer, struct tw_producer_channel *channel,
				     uint64_t time);

#endif
