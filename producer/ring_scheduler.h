/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads rings in step, if the sink takes less than is recorded. Sending one whole ring would take longer than a receiver waits for the
 * events of the others. Therefore each round takes from all rings the events of one step of time. A step is as long as can be sent in a
 * fraction of a second; the watermark after it says that it is complete. Within a step the rings take turns of a few frames each, so
 * that none is far ahead of another. Threads with sinks to the same receiver wait for the one that is furthest behind.
 */
#ifndef TW_RING_SCHEDULER_H
#define TW_RING_SCHEDULER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tw_reader;

struct tw_ring_scheduler {
	atomic_bool on;
	atomic_bool slow;       /* its own frames had to wait: the other readers read in step too */
	uint64_t step;          /* ns */
	uint64_t others, since; /* time up to which the others had read, and since when, CLOCK_MONOTONIC */
};

/** tw_ring_scheduler__start() - read in step until the rings are found empty */
void tw_ring_scheduler__start(struct tw_ring_scheduler *scheduler);

/** tw_ring_scheduler__round() - one round, instead of reading one ring after the other to its end. Return: bytes of events sent */
size_t tw_ring_scheduler__round(struct tw_reader *reader);

#endif
