/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock poller: decides when a capture host sends time synchronisation requests, to the sender of each stream's frames. It sends
 * eight requests a few ms apart when a stream is new, so that its first packets can be dated, and then one every thousand round-trip
 * times, 100 ms to a second: in that time, a drift of 500 ppm adds as much to the error bound as the round trip. Senders that never
 * answer get a request every ten seconds, silent streams none.
 *
 * A stream whose first frames are not metadata was joined late: its requests also ask for metadata (METADATA_REQUEST), repeated after
 * 10, 20, 40 ms and so on up to 320 ms, or after two round trips if these are longer, until metadata arrive.
 *
 * Nothing here sends frames or reads a clock: `now` is that of clocks/capture_clock.h. State is bounded, whatever strangers send.
 * Belongs to one thread.
 */
#ifndef TW_CLOCK_POLLER_H
#define TW_CLOCK_POLLER_H

#include "clocks/distance.h"
#include "stream/streams.h"
#include "transport/receiver.h"
#include "wire/time_sync.h"

/* A request, to be sent at once by tw_receiver__answer(), because it contains the time. */
struct tw_time_sync_request {
	const struct tw_peer *to; /* borrowed until the next call */
	size_t len;
	uint8_t frame[TW_TIME_SYNC_ROOM];
};

struct tw_clock_poller;

/**
 * tw_clock_poller__new() - @streams: borrowed; live streams get requests after their first frame. State of a stream is removed when it
 * leaves
 * @secret: makes request numbers hard to guess for hosts that do not see them
 * Return: NULL without memory.
 */
struct tw_clock_poller *tw_clock_poller__new(struct tw_streams *streams, uint64_t secret);

/** tw_clock_poller__free() - free it; NULL is fine */
void tw_clock_poller__free(struct tw_clock_poller *poller);

/** tw_clock_poller__saw() - record a frame that is not an answer; cheap for most frames */
void tw_clock_poller__saw(struct tw_clock_poller *poller, const struct tw_received_frame *frame, uint64_t now);

/** tw_clock_poller__due() - the time of the next request; UINT64_MAX = none */
uint64_t tw_clock_poller__due(const struct tw_clock_poller *poller);

/** tw_clock_poller__next() - the next request that is due; call again until there is none. Return: false if there is none */
bool tw_clock_poller__next(struct tw_clock_poller *poller, uint64_t now, struct tw_time_sync_request *ret);

/** tw_clock_poller__is_response() - whether a frame may be a response, for tw_clock_poller__response() */
static inline bool tw_clock_poller__is_response(const struct tw_received_frame *frame)
{
	return frame->len >= sizeof(struct tw_frame_hdr) &&
	       frame->data[offsetof(struct tw_frame_hdr, source)] == TW_SOURCE_OUT_OF_BAND;
}

/**
 * tw_clock_poller__response() - match a response with its request
 * @arrived: time of arrival in the capture clock, or later
 * @ret_stream: stream of the response
 * @ret: received and answered in that stream's clock
 *
 * Return: false if there is no such request, it was sent to another host, or it was answered before.
 */
bool tw_clock_poller__response(struct tw_clock_poller *poller, const struct tw_received_frame *frame, uint64_t arrived,
			       uint64_t *ret_stream, struct tw_time_sync_sample *ret);

struct tw_clock_poller_stats {
	uint64_t asked, answered;
	uint64_t strange; /* answers without a request */
	uint64_t crowded; /* frames of streams that get no requests, because memory is limited */
};

/** tw_clock_poller__stats() - totals of all streams */
void tw_clock_poller__stats(const struct tw_clock_poller *poller, struct tw_clock_poller_stats *ret);

#endif
