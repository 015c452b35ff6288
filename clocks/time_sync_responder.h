/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers requests for the stream's clock (TIME_SYNC): a thread, `tracewire-clock`, with a receiver for what arrives where the stream's
 * frames are sent from. All of it is hostile: the thread looks at TW_TIME_SYNC_RESPONSES_PER_SECOND frames at most and leaves the rest to
 * the kernel to drop. It answers requests to this stream and nothing else, with no more bytes than it got. The readers never wait for
 * it. Callbacks hear of a METADATA_REQUEST or a REFUSED in a request; anybody can send either.
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
	/* The stream's clock; called in the thread, as all that follow. It may be off by @slack, ns: the times of a response allow for it. */
	uint64_t (*now)(void *ctx);
	uint64_t slack;
	void (*begin)(void *ctx);                 /* first thing in the thread; may be NULL */
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

/* What became of the frames that arrived. */
struct tw_time_sync_responder_stats {
	uint64_t answered;
	uint64_t unsent;  /* responses that could not be sent */
	uint64_t strange; /* frames that are no request to this stream */
	uint64_t dropped; /* by the kernel: more came than TW_TIME_SYNC_RESPONSES_PER_SECOND */
};

/** tw_time_sync_responder__stop() - end the thread; NULL is fine: @ret is untouched then */
void tw_time_sync_responder__stop(struct tw_time_sync_responder *thread, struct tw_time_sync_responder_stats *ret);

#endif
