/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sink that keeps every frame in memory. The sinks of one run share this memory, so that all frames have one order. A test can make the
 * memory full or slow, or make it fail, at any time.
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
	_Atomic long room;         /* number of frames until the memory is full; MEMORY_SINK_ENDLESS = no limit */
	_Atomic int broken;        /* result of flush while the memory is full; 0 = -EAGAIN */
	_Atomic uint64_t frame_ns; /* time from one frame until there is room for the next frame, ns */
	_Atomic uint64_t last_ns;  /* time of the last frame */
	_Atomic uint64_t refused;  /* number of refused reservations */
	_Atomic uint64_t held;     /* number of times that flush failed because the memory was full */
	pthread_mutex_t lock;
	struct memory_sink_frame *frames;
	size_t n, cap;
};

void memory_sink__init(struct memory_sink *memory, size_t frame_max);

/** memory_sink__open() - the function for tw_producer_options.open_sink; @ctx is a struct memory_sink */
int memory_sink__open(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error);

void memory_sink__fini(struct memory_sink *memory);

#endif
