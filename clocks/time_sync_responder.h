/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers requests for the stream's clock (TIME_SYNC): a thread, `tracewire-clock`, with a receiver for frames that arrive at the
 * address from which the stream's frames are sent. All of them are hostile: the thread processes at most
 * TW_TIME_SYNC_RESPONSES_PER_SECOND frames, and the kernel drops the others. It answers only requests to this stream, with no more bytes
 * than the request had. The readers never wait for it. Callbacks get a METADATA_REQUEST or a REFUSED of a request; anybody can send
 * either.
 */
#ifndef TW_TIME_SYNC_RESPONDER_H
#define TW_TIME_SYNC_RESPONDER_H

#include <stdint.h>

#include "base/error.h"
#include "transport/receiver.h"

#define TW_TIME_SYNC_RESPONSES_PER_SECOND 400

struct tw_time_sync_responder_options {
	struct tw_receiver *rx; /* closed by tw_time_sync_responder__stop() */
	uint64_t stream_id;
	/*
	 * The stream's clock; called in the thread, like all callbacks below. Its error is at most @slack, ns: the times of a response
	 * include it.
	 */
	uint64_t (*now)(void *ctx);
	uint64_t slack;
	void (*begin)(void *ctx);                 /* called first in the thread; may be NULL */
	void (*wanted)(void *ctx, uint16_t want); /* enum tw_metadata_request; may be NULL */
	void (*refused)(void *ctx, uint16_t why); /* enum tw_refused_why or unknown; may be NULL */
	void *ctx;
};

struct tw_time_sync_responder;

/** tw_time_sync_responder__start() - answer from now on; the options' rx is closed also after a failure. Return: 0 or -errno */
int tw_time_sync_responder__start(const struct tw_time_sync_responder_options *options,
				  struct tw_time_sync_responder **ret, struct tw_error *error);

/** tw_time_sync_responder__ask_to_stop() - the thread ends within 100 ms; NULL is fine */
void tw_time_sync_responder__ask_to_stop(struct tw_time_sync_responder *thread);

/* Numbers of received frames, by result. */
struct tw_time_sync_responder_stats {
	uint64_t answered;
	uint64_t unsent;  /* responses that could not be sent */
	uint64_t strange; /* frames that are not a request to this stream */
	uint64_t dropped; /* dropped by the kernel, beyond TW_TIME_SYNC_RESPONSES_PER_SECOND */
};

/** tw_time_sync_responder__stop() - end the thread; NULL is fine: @ret is unchanged then */
void tw_time_sync_responder__stop(struct tw_time_sync_responder *thread, struct tw_time_sync_responder_stats *ret);

#endif
