/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that measures pairs in the frames of the producers of a live run. Each producer thread passes its frames through its own sink.
 * The frames wait in a bounded pool of slots. If the pool is used up, the sinks have no room, so that the producer waits, and no frame is
 * lost here.
 */
#ifndef TW_LATENCY_LIVE_H
#define TW_LATENCY_LIVE_H

#include "pcap-tools/latency/latency.h"
#include "transport/sink.h"

struct tw_latency_live;

/** tw_latency_live__new() - start the thread. Return: 0; as tw_latency__new(), or errors of pthread_create() */
int tw_latency_live__new(const struct tw_latency_options *options, struct tw_latency_live **ret,
			 struct tw_error *error);

/** tw_latency_live__tid() - the kernel's id of the thread, to exclude it from the trace */
int tw_latency_live__tid(const struct tw_latency_live *live);

/**
 * tw_latency_live__sink() - make a sink for one producer thread; the caller closes it before tw_latency_live__finish()
 * After the thread has failed, the flush of the sink returns the failure, whose text tw_latency_live__finish() returns.
 * Return: 0 or -ENOMEM.
 */
int tw_latency_live__sink(struct tw_latency_live *live, struct tw_sink **ret, struct tw_error *error);

/**
 * tw_latency_live__lock() - the figures so far. The thread waits until tw_latency_live__unlock()
 * tw_latency_live__unlock() - @clear: begin new figures, as tw_latency__clear()
 */
const struct tw_latency_result *tw_latency_live__lock(struct tw_latency_live *live);
void tw_latency_live__unlock(struct tw_latency_live *live, bool clear);

/** tw_latency_live__finish() - measure all frames, and end the thread; called once. Return: 0, or as tw_latency__end() */
int tw_latency_live__finish(struct tw_latency_live *live, struct tw_error *error);

/** tw_latency_live__free() - end the thread if needed; NULL is fine */
void tw_latency_live__free(struct tw_latency_live *live);

#endif
