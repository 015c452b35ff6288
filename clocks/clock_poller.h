/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whom a capture host asks for its clock, and when: the sender of each stream's frames; eight times some ms apart when the
 * stream is first seen, so that its first packets can be dated, then every thousand round trips, 100 ms to a second: in that time
 * clocks that drift apart by 500 ppm add to the bound what the way had left of it. Who never answers is asked every ten seconds, who
 * sends nothing not at all.
 *
 * A stream of which something else came than what explains it was joined late: it is asked for that too (METADATA_REQUEST), and again after 10, 20, 40 ms and
 * so on up to 320, until it comes; where the way is long, after two round trips. All streams of a capture may have been joined late.
 *
 * Nothing here sends or reads a clock: `now` is clocks/capture_clock.h's. State is bounded, whatever strangers send. Belongs to one
 * thread.
 */
#ifndef TW_CLOCK_POLLER_H
#define TW_CLOCK_POLLER_H

#include "clocks/distance.h"
#include "stream/streams.h"
#include "transport/receiver.h"
#include "wire/time_sync.h"

/* To be sent at once, by tw_receiver__answer(): the time of asking is in it. */
struct tw_time_sync_request {
	const struct tw_peer *to; /* borrowed until the next call */
	size_t len;
	uint8_t frame[TW_TIME_SYNC_ROOM];
};

struct tw_clock_poller;

/**
 * tw_clock_poller__new() - nobody to ask yet
 * @streams: live ones are asked, once a frame of theirs was seen; borrowed. What is known of a stream goes when it leaves
 * @secret: what makes the numbers of questions hard to guess for who does not see them
 * Return: NULL without memory.
 */
struct tw_clock_poller *tw_clock_poller__new(struct tw_streams *streams, uint64_t secret);

/** tw_clock_poller__free() - NULL is fine */
void tw_clock_poller__free(struct tw_clock_poller *poller);

/** tw_clock_poller__saw() - a frame came that is not an answer; of most a glance is enough */
void tw_clock_poller__saw(struct tw_clock_poller *poller, const struct tw_received_frame *frame, uint64_t now);

/** tw_clock_poller__due() - when there will be something to ask: not before that; UINT64_MAX = nobody to ask */
uint64_t tw_clock_poller__due(const struct tw_clock_poller *poller);

/** tw_clock_poller__next() - a question that is due; call again until there is none. Return: false if there is none */
bool tw_clock_poller__next(struct tw_clock_poller *poller, uint64_t now, struct tw_time_sync_request *ret);

/** tw_clock_poller__is_response() - whether a frame may be one, and is for tw_clock_poller__response() */
static inline bool tw_clock_poller__is_response(const struct tw_received_frame *frame)
{
	return frame->len >= sizeof(struct tw_frame_hdr) &&
	       frame->data[offsetof(struct tw_frame_hdr, source)] == TW_SOURCE_OUT_OF_BAND;
}

/**
 * tw_clock_poller__response() - an answer, matched with its question
 * @arrived: when it came, by the capture host's clock, not earlier than that
 * @ret_stream: whose it is
 * @ret: received and answered as that stream's clock counts
 *
 * Return: false for what was not asked, was asked of somebody else, or was answered before.
 */
bool tw_clock_poller__response(struct tw_clock_poller *poller, const struct tw_received_frame *frame, uint64_t arrived,
			       uint64_t *ret_stream, struct tw_time_sync_sample *ret);

struct tw_clock_poller_stats {
	uint64_t asked, answered;
	uint64_t strange; /* answers to nothing that was asked */
	uint64_t crowded; /* frames of streams that are not asked for want of memory */
};

/** tw_clock_poller__stats() - totals of all streams */
void tw_clock_poller__stats(const struct tw_clock_poller *poller, struct tw_clock_poller_stats *ret);

#endif
