/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sink that keeps every frame in memory. The sinks of one run share this memory, so that all frames have one order. It can
 * be told to have no room, to be slow, or to break, at any moment.
 */
#ifndef MEMORY_SINK_H
#define MEMORY_SINK_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "transport/sink.h"

#define MEMORY_SINK_ENDLESS (-1)

struct memory_sink_frame {
	uint8_t *bytes;
	size_t len;
};

struct memory_sink {
	size_t frame_max;
	_Atomic long room;         /* frames it takes yet; ARCHIVE_ENDLESS = any number */
	_Atomic int broken;        /* what flush returns when there is no room; 0 = -EAGAIN */
	_Atomic uint64_t frame_ns; /* the next frame has room that long after the last one, ns */
	_Atomic uint64_t last_ns;  /* when that was */
	_Atomic uint64_t refused;  /* how often there was no room */
	_Atomic uint64_t held;     /* how often flush said so */
	pthread_mutex_t lock;
	struct memory_sink_frame *frames;
	size_t n, cap;
};

void memory_sink__init(struct memory_sink *memory, size_t frame_max);

/** memory_sink__open() - for tw_producer_options.open_sink; @ctx is the memory */
int memory_sink__open(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error);

void memory_sink__fini(struct memory_sink *memory);

#endif
