/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock poller: decides when a capture host sends time synchronisation requests to the sender of each stream's frames. A new stream
 * gets eight requests 3 ms apart, so that the times of its first packets can be computed soon. Later, it gets a request every thousand
 * round-trip times, but at least one a second and at most one (or one run, see below) in 50 ms. With this interval, drift and delays add
 * the same amount to the error bound after the newest exchange: in a thousand round-trip times, a drift of 500 ppm adds half a round trip,
 * and the delays of a request and its response also add half a round trip. A longer interval would not do, although the drift is learnt,
 * because the rate of a clock may change at any time (clocks/distance.h). If requests wait at the producer for more than 5 ms, because
 * other capture hosts send many, too, the pause becomes longer, up to a second: a producer answers only TW_TIME_SYNC_RESPONSES_PER_SECOND.
 * Sixteen capture hosts nearby thus get about 25 responses a second each, without gaps of more than half a second. After more than 16
 * consecutive requests without a response, a stream gets a request every ten seconds. A stream without control frames for 3 s gets no
 * requests.
 *
 * The requests go to the address from which the stream's control frames come. While that address answers, control frames from other
 * addresses do not change it, because every host that knows the stream's id can forge them. It is replaced if it has not answered for 3 s
 * and at least four consecutive requests: a producer behind NAT can get another address. A host that forges the address, too, gets no
 * requests, and cannot guess their ids.
 *
 * Until HOST and the formats of a stream arrive, some of its requests also ask for metadata (METADATA_REQUEST), because the capture may
 * have joined late. If HOST arrives before the first request, the poller waits 10 ms for the formats before it requests metadata. The
 * METADATA_REQUEST is repeated after 10, 20, 40 ms and so on up to 320 ms, or after two round trips if that is longer. After that, the
 * metadata are not requested again, because producers repeat them each second.
 *
 * The capture host passes transmit stamps of requests to the poller, and producers send those of earlier responses in later responses.
 * Because these stamps exclude delays in the hosts, the poller makes a better sample of an exchange when it gets them. The stamp of a
 * network card may arrive after the response. A producer that
 * sends stamps therefore gets its requests in runs of four, each as soon as the previous one is answered. The later ones of a run are also
 * more exact, because their way is in the caches of both hosts.
 *
 * The poller neither sends frames nor reads clocks. The caller passes the time of the capture clock (clocks/capture_clock.h) as `now`. The
 * size of the poller's state is bounded, whatever frames arrive. A poller belongs to one thread.
 */
#ifndef TW_CLOCK_POLLER_H
#define TW_CLOCK_POLLER_H

#include "clocks/distance.h"
#include "clocks/stamps.h"
#include "stream/streams.h"
#include "transport/receiver.h"
#include "wire/time_sync.h"

/* A request. The caller sends it immediately, with tw_receiver__answer(), because it contains the current time. */
struct tw_time_sync_request {
	const struct tw_peer *to; /* borrowed until the next call with this poller */
	uint32_t cookie;          /* for the transmit stamp of the request; 0 = none is needed */
	uint64_t asked;           /* when the request was made, in the capture clock */
	size_t len;               /* length of @frame, bytes */
	uint8_t frame[TW_TIME_SYNC_ROOM];
};

struct tw_clock_poller;

/**
 * tw_clock_poller__new() - make a poller for the live streams of a table
 * @streams: borrowed; when a stream leaves the table, the poller frees its own state of that stream
 * @secret: makes the ids of requests hard to guess for hosts that do not see the requests
 * Return: NULL if out of memory.
 */
struct tw_clock_poller *tw_clock_poller__new(struct tw_streams *streams, uint64_t secret);

/** tw_clock_poller__free() - free @poller, which may be NULL */
void tw_clock_poller__free(struct tw_clock_poller *poller);

/** tw_clock_poller__saw() - note a received frame that is not a response; cheap for frames with events */
void tw_clock_poller__saw(struct tw_clock_poller *poller, const struct tw_received_frame *frame, uint64_t now);

/** tw_clock_poller__due() - when to call tw_clock_poller__next(); UINT64_MAX = not until a stream becomes active */
uint64_t tw_clock_poller__due(const struct tw_clock_poller *poller);

/** tw_clock_poller__next() - get the next due request; call it again until it returns false. Return: false if no request is due */
bool tw_clock_poller__next(struct tw_clock_poller *poller, uint64_t now, struct tw_time_sync_request *ret);

/**
 * tw_clock_poller__asked() - when a recent request was made
 * @cookie: of the request
 * Return: time of the capture clock; 0 if the request is unknown, or no better sample of its exchange can follow.
 */
uint64_t tw_clock_poller__asked(const struct tw_clock_poller *poller, uint32_t cookie);

/** tw_clock_poller__sent() - add the transmit stamp of a request, in the capture clock; it is not too late. Several may be added */
void tw_clock_poller__sent(struct tw_clock_poller *poller, uint32_t cookie, struct tw_stamped_time sent);

/** tw_clock_poller__is_response() - whether a frame may be a response, for tw_clock_poller__response() */
static inline bool tw_clock_poller__is_response(const struct tw_received_frame *frame)
{
	return frame->len >= sizeof(struct tw_frame_hdr) &&
	       frame->data[offsetof(struct tw_frame_hdr, source)] == TW_SOURCE_OUT_OF_BAND;
}

/** tw_clock_poller__expects() - whether a frame is a response that tw_clock_poller__response() will match */
bool tw_clock_poller__expects(const struct tw_clock_poller *poller, const struct tw_received_frame *frame);

/**
 * tw_clock_poller__response() - match a response with its request
 * @arrived: time of the frame's arrival in the capture clock, or a later time
 * @ret_stream: stream id of the response
 * @ret: the times of request and response; received and answered are in units of the stream's clock
 * Return: false if the frame is not a response, or its request is unknown, was sent to another host, or was answered before.
 */
bool tw_clock_poller__response(struct tw_clock_poller *poller, const struct tw_received_frame *frame,
			       struct tw_stamped_time arrived, uint64_t *ret_stream, struct tw_time_sync_sample *ret);

/**
 * tw_clock_poller__better() - get a better sample of an earlier exchange with the same producer
 *
 * To be called after tw_clock_poller__response() has returned true. The better sample is to be used instead of the sample of that response,
 * whose own better sample follows with a later response.
 *
 * Return: false if the response has no transmit stamp of an earlier response.
 */
bool tw_clock_poller__better(struct tw_clock_poller *poller, struct tw_time_sync_sample *ret);

struct tw_clock_poller_stats {
	uint64_t asked, answered; /* requests made, responses matched */
	uint64_t strange;         /* responses without a matching request */
	uint64_t crowded;         /* frames ignored because there was no memory for the state of their stream */
};

/** tw_clock_poller__stats() - get the totals of all streams */
void tw_clock_poller__stats(const struct tw_clock_poller *poller, struct tw_clock_poller_stats *ret);

#endif
