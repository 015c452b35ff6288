/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The responder of a producer: a thread, `tracewire-clock`, that answers requests for the stream's clock (TIME_SYNC). Its receiver gets
 * frames that arrive at the address from which the stream's frames are sent. Any host can send such frames, so the thread processes at most
 * TW_TIME_SYNC_RESPONSES_PER_SECOND of them per second on average, and the kernel drops the others. The thread answers only requests for
 * this stream, with no more bytes than the request had. Its latest response to each of a few receivers is remembered until the next
 * response, which has the transmit stamp of the former (wire/tracewire.h, struct tw_time_sync). The reader threads never wait for this
 * thread. Callbacks handle a METADATA_REQUEST or a REFUSED in a request; any host can send these, too.
 */
#ifndef TW_TIME_SYNC_RESPONDER_H
#define TW_TIME_SYNC_RESPONDER_H

#include <stdint.h>

#include "base/error.h"
#include "transport/receiver.h"

#define TW_TIME_SYNC_RESPONSES_PER_SECOND 400

struct tw_card_stamps;

struct tw_time_sync_responder_options {
	struct tw_receiver *rx;       /* closed by tw_time_sync_responder__stop() */
	struct tw_card_stamps *cards; /* for stamps of network cards; the thread uses it; NULL = none are used */
	uint64_t stream_id;
	uint64_t (*now)(void *ctx); /* reads the stream's clock; called in the thread, like all callbacks below */
	uint64_t slack;             /* error bound of @now, ns; the times of a response allow for it */
	bool (*stamp_by_cards)(
		void *ctx); /* whether to request transmit stamps of cards: tw_sync_state.card_stamps; NULL = no */
	void (*begin)(void *ctx); /* called once, when the thread starts; may be NULL */
	void (*wanted)(void *ctx,
		       uint16_t want); /* a METADATA_REQUEST arrived: enum tw_metadata_request; may be NULL */
	void (*refused)(void *ctx, uint16_t why); /* a REFUSED arrived: enum tw_refused_why, or unknown; may be NULL */
	void *ctx;
};

struct tw_time_sync_responder;

/** tw_time_sync_responder__start() - start the thread; options->rx is closed if this fails. Return: 0 or -errno */
int tw_time_sync_responder__start(const struct tw_time_sync_responder_options *options,
				  struct tw_time_sync_responder **ret, struct tw_error *error);

/** tw_time_sync_responder__ask_to_stop() - make the thread end within about 100 ms; does not wait for the end; @thread may be NULL */
void tw_time_sync_responder__ask_to_stop(struct tw_time_sync_responder *thread);

/* Number of received frames, by result. */
struct tw_time_sync_responder_stats {
	uint64_t answered;
	uint64_t unsent;  /* requests whose response could not be sent */
	uint64_t strange; /* frames that are not a request for this stream */
	uint64_t dropped; /* frames dropped by the kernel, because more arrived than the thread processes */
};

/** tw_time_sync_responder__stop() - end and free the thread, and close its receiver; if @thread is NULL, @ret stays unchanged */
void tw_time_sync_responder__stop(struct tw_time_sync_responder *thread, struct tw_time_sync_responder_stats *ret);

#endif
