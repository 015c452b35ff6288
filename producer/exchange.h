/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers those who ask for the stream's clock (TIME_SYNC): a thread of its own, `tracewire-clock`, on a receiver that gets what comes
 * to where the stream's frames are sent from. What it takes is hostile: it looks at ANSWERS_A_SECOND frames at most, answers what
 * is a question to this stream and nothing else, with no more bytes than it got, and leaves the rest to the kernel to drop. The
 * readers never wait for it. What a question wants besides (METADATA_REQUEST), others say.
 * That the receiver does not take the stream (REFUSED) is only told: anybody can say so.
 */
#ifndef TW_TIME_SYNC_THREAD_H
#define TW_TIME_SYNC_THREAD_H

#include <stdint.h>

#include "base/error.h"
#include "producer/clock.h"
#include "transport/receiver.h"

#define TW_TIME_SYNC_A_SECOND 400

struct tw_time_sync_options {
	struct tw_receiver *rx; /* closed by tw_time_sync__stop() */
	const struct tw_trace_clock *clock;
	uint64_t stream_id;
	void (*begin)(void *ctx); /* called first thing in the thread */
	void (*wanted)(
		void *ctx,
		uint16_t
			want); /* called in the thread: a question has a METADATA_REQUEST, enum tw_metadata_request; may be NULL */
	void (*refused)(
		void *ctx,
		uint16_t why); /* the same: a question has a REFUSED, enum tw_refused_why or unknown; may be NULL */
	void *ctx;
};

struct tw_time_sync_thread;

/** tw_time_sync__start() - answer from now on; the options' rx is closed also after a failure. Return: 0 or -errno */
int tw_time_sync__start(const struct tw_time_sync_options *options, struct tw_time_sync_thread **ret,
			struct tw_error *error);

/** tw_time_sync__ask_to_stop() - the thread ends within 100 ms; NULL is fine */
void tw_time_sync__ask_to_stop(struct tw_time_sync_thread *thread);

/* What became of the frames that came in there. */
struct tw_time_sync_stats {
	uint64_t answered;
	uint64_t unsent;  /* answers that could not be sent */
	uint64_t strange; /* frames that are no question to this stream */
	uint64_t dropped; /* by the kernel: more came than TW_TIME_SYNC_A_SECOND */
};

/** tw_time_sync__stop() - end the thread; NULL is fine: @ret is untouched then */
void tw_time_sync__stop(struct tw_time_sync_thread *thread, struct tw_time_sync_stats *ret);

#endif
