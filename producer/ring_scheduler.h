/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the rings in equal steps of time ("in step") while the sink accepts fewer events than the kernel records. If the rings were read
 * one after the other, sending the events of one full ring could take longer than a receiver waits for the events of the other rings.
 * Therefore each round reads the events of one time step from all rings. A step is so short that its events can be sent in a fraction of a
 * second. The watermark after a step reports that the step is complete. Within a step the rings take short turns, so that no ring is far
 * ahead of another. A reader that is more than a step ahead of the slowest reader waits.
 */
#ifndef TW_RING_SCHEDULER_H
#define TW_RING_SCHEDULER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct tw_reader;

struct tw_ring_scheduler {
	atomic_bool on;
	atomic_bool slow;       /* this reader's own frames had to wait, so the other readers also read in step */
	uint64_t step;          /* length of the time step, ns */
	uint64_t others, since; /* earliest read_until of the other readers; when it changed, CLOCK_MONOTONIC */
};

/** tw_ring_scheduler__start() - read the rings in step until all of them are empty */
void tw_ring_scheduler__start(struct tw_ring_scheduler *scheduler);

/** tw_ring_scheduler__round() - read one time step of all rings. Return: bytes of events sent */
size_t tw_ring_scheduler__round(struct tw_reader *reader);

#endif
