/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the frames of a reader thread to its sink. At most one frame is open; it belongs to one channel. Shed events also use numbers of
 * their channel, so each missing event is visible as a gap in the numbers.
 *
 * Back-pressure: while the sink has no room, the thread waits, and the kernel's ring buffers the events. After 2 s (PATIENCE_NS), or if the
 * sink fails, events are shed and counted. A LOST record reports them as soon as frames can be sent again. A signal sets a deadline for the
 * run. After the deadline, the writer waits for room only for the last frames, which report the shed events. One time limit applies to all
 * last frames together.
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

/* The parts of the frame header that are the same in all frames of a stream. */
struct tw_producer_stream {
	uint64_t id;
	_Atomic uint64_t schema_id;
	uint8_t flags;
	const struct tw_hashed_pointers *pointers; /* NULL = addresses are sent unchanged */
};

/* A channel: one ordered sequence of events, or the control channel. */
struct tw_producer_channel {
	uint16_t number;
	uint16_t cpu;
	uint8_t source;
	uint64_t next_seq;
	_Atomic uint64_t shed; /* number of shed events; in the control channel: of shed records (producer/counter.h) */
	uint64_t pending[TW_LOST_TX + 1]; /* lost events that no LOST record has reported yet, by enum tw_lost_where */
};

struct tw_frame_writer {
	struct tw_sink *sink;
	const struct tw_producer_stream *stream;
	uint32_t events_per_frame;
	struct tw_frame frame;
	struct tw_producer_channel *channel; /* channel of the open frame; NULL = no frame is open */
	uint64_t waited;                     /* time spent waiting for room in this round of the reader, ns */
	bool shedding;  /* the last wait found no room: from time to time, look for room without waiting */
	uint64_t retry; /* when to try again, CLOCK_MONOTONIC */
	int err;        /* -errno of the failed sink; 0 = it has not failed */
	const struct tw_deadline *deadline; /* NULL = no deadline */
	bool stopped_waiting;               /* wait for room only for the last frames */
	uint64_t last_until; /* end of the wait for the last frames, CLOCK_MONOTONIC; 0 = they have not begun */
	uint64_t given_up;   /* number of frames that got no slot because the deadline had passed */
	uint32_t part_id;
	uint8_t flags;           /* flags of the next frames, in addition to the stream's flags */
	_Atomic uint64_t events; /* number of events in committed frames (producer/counter.h) */
	uint64_t bytes;          /* bytes of committed frames */
};

/** tw_frame_writer__init() - initialise; @sink: borrowed; @events_per_frame: 0 = as many as fit */
void tw_frame_writer__init(struct tw_frame_writer *writer, struct tw_sink *sink,
			   const struct tw_producer_stream *stream, uint32_t events_per_frame);

/**
 * tw_frame_writer__begin() - commit the open frame and begin a frame of @channel
 * Return: false if the sink has failed, or has no room even after waiting
 */
bool tw_frame_writer__begin(struct tw_frame_writer *writer, struct tw_producer_channel *channel, uint64_t base_time);

/** tw_frame_writer__end() - commit the open frame, if any */
void tw_frame_writer__end(struct tw_frame_writer *writer);

/** tw_frame_writer__set_flags() - commit the open frame and set the flags of the next frames, in addition to the stream's flags */
void tw_frame_writer__set_flags(struct tw_frame_writer *writer, uint8_t flags);

/** tw_frame_writer__flush() - commit the open frame and flush the sink. Return: 0; -EAGAIN if frames stay unsent; the error of the sink */
int tw_frame_writer__flush(struct tw_frame_writer *writer);

/**
 * tw_frame_writer__drain() - flush until all frames are sent
 * The time limit is 2 s. If a deadline is set, the limit is 1 s after the deadline or 0.5 s from now, whichever is later. The last frames
 * have their own limit: tw_frame_writer__begin_last(). After tw_frame_writer__stop_waiting(), frames other than the last ones are flushed
 * only once.
 * Return: 0; -EAGAIN if not all frames were sent; the error of the sink
 */
int tw_frame_writer__drain(struct tw_frame_writer *writer);

/** tw_frame_writer__stop_waiting() - from now on, wait for room only for the last frames, because the sink accepts nothing */
void tw_frame_writer__stop_waiting(struct tw_frame_writer *writer);

/**
 * tw_frame_writer__begin_last() - treat the following frames as the last ones. Wait at most 2 s for all of them together, even if the
 * deadline has passed. Wait at most 0.5 s if the sink has failed, or after tw_frame_writer__stop_waiting()
 */
void tw_frame_writer__begin_last(struct tw_frame_writer *writer);

/** tw_frame_writer__event() - send a kernel record in a new frame, or shed and count it; arguments as for tw_frame__add_event() */
void tw_frame_writer__event(struct tw_frame_writer *writer, struct tw_producer_channel *channel, const uint8_t *record,
			    uint32_t len, uint64_t time);

/**
 * tw_frame_writer__borrow_frame() - copy the struct of the open frame, to add events to the frame. Return: the copy; an empty frame without
 * room if the open frame is not of @channel
 */
static inline struct tw_frame tw_frame_writer__borrow_frame(const struct tw_frame_writer *writer,
							    const struct tw_producer_channel *channel)
{
	return writer->channel == channel ? writer->frame : (struct tw_frame){ 0 };
}

/** tw_frame_writer__return_frame() - store a borrowed frame back; call it before any other function of the writer */
static inline void tw_frame_writer__return_frame(struct tw_frame_writer *writer,
						 const struct tw_producer_channel *channel,
						 const struct tw_frame *frame)
{
	if (writer->channel == channel)
		writer->frame = *frame;
}

/**
 * tw_frame_writer__lost() - begin a frame of @channel with a LOST record for @count events
 * @time: time of the event after the gap
 * @where: enum tw_lost_where
 * @unknown: some of the lost events may have been lost earlier, not directly before the event at @time
 * If the record cannot be sent, a later frame of the channel reports the loss.
 */
void tw_frame_writer__lost(struct tw_frame_writer *writer, struct tw_producer_channel *channel, uint64_t time,
			   uint16_t where, bool unknown, uint64_t count);

/** tw_frame_writer__report_pending() - report the losses of @channel that are not reported yet; for the end of a run */
void tw_frame_writer__report_pending(struct tw_frame_writer *writer, struct tw_producer_channel *channel,
				     uint64_t time);

#endif
