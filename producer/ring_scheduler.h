/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads rings in step, for a sink that takes less than is recorded. To send one ring to its end would take longer there than a receiver
 * waits for the events of the others. So each round takes from all rings what happened in one step of time, and as much of that
 * as leaves in a fraction of a second; the watermark after it says that it is complete. Within a step the rings take turns of a few
 * frames each, so that none gets far ahead of another. Threads with sinks to the same receiver wait for the one that is furthest
 * behind.
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
	uint64_t others, since; /* until when the others had read, and since when, CLOCK_MONOTONIC */
};

/** tw_ring_scheduler__start() - until the rings are found empty */
void tw_ring_scheduler__start(struct tw_ring_scheduler *scheduler);

/** tw_ring_scheduler__round() - one round, in place of reading one ring after the other to its end. Return: bytes of events sent */
size_t tw_ring_scheduler__round(struct tw_reader *reader);

#endif
