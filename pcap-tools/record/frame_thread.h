/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that takes the frames of a live run's producer threads, each of which has its own sink. The frames wait in a bounded pool of
 * slots. If the pool is used up, the sinks have no room, so that the producer waits, and no frame is lost here.
 */
#ifndef TW_FRAME_THREAD_H
#define TW_FRAME_THREAD_H

#include "base/error.h"
#include "transport/sink.h"

/* Takes a frame, in the thread. Return: 0; or -errno with @error filled, which is final */
typedef int tw_frame_thread_take(void *ctx, const void *data, size_t len, struct tw_error *error);

struct tw_frame_thread;

/** tw_frame_thread__new() - start the thread. Return: 0, -ENOMEM, errors of eventfd() and pthread_create() */
int tw_frame_thread__new(tw_frame_thread_take *take, void *ctx, struct tw_frame_thread **ret, struct tw_error *error);

/** tw_frame_thread__tid() - the kernel's id of the thread, to exclude it from the trace */
int tw_frame_thread__tid(const struct tw_frame_thread *t);

/**
 * tw_frame_thread__sink() - make a sink for one producer thread; the caller closes it before tw_frame_thread__finish()
 * After a failure, the flush of the sink returns the failure, whose text tw_frame_thread__finish() returns.
 * Return: 0 or -ENOMEM.
 */
int tw_frame_thread__sink(struct tw_frame_thread *t, struct tw_sink **ret, struct tw_error *error);

/** tw_frame_thread__lock() - let the thread wait before the next frames, until tw_frame_thread__unlock() */
void tw_frame_thread__lock(struct tw_frame_thread *t);
void tw_frame_thread__unlock(struct tw_frame_thread *t);

/** tw_frame_thread__finish() - take all frames, and end the thread. Return: 0, or the first failure with its text in @error */
int tw_frame_thread__finish(struct tw_frame_thread *t, struct tw_error *error);

/** tw_frame_thread__free() - end the thread if needed; NULL is fine */
void tw_frame_thread__free(struct tw_frame_thread *t);

#endif
