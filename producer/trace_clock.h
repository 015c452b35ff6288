/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stream's clock: which trace clocks are possible, its time, and samples of all clocks at one instant. */
#ifndef TW_TRACE_CLOCK_H
#define TW_TRACE_CLOCK_H

#include <stdint.h>

#include "base/error.h"
#include "producer/instance.h"
#include "wire/decode.h"

struct tw_trace_clock {
	const char *name;          /* as in trace_clock */
	int id;                    /* the equivalent clockid_t, or -1: only the kernel's rings have this clock */
	struct tw_instance *probe; /* for id -1: an instance without events on the same clock; borrowed */
	int64_t offset;            /* offset of the clock to CLOCK_MONOTONIC in the last sample; for id -1 */
	uint64_t slack;            /* how far tw_trace_clock__now() may be ahead of an event being recorded now, ns */
};

/**
 * tw_trace_clock__init() - choose a trace clock
 * @name: NULL = "mono"
 * Return: 0; -EINVAL for a clock that is unknown or does not count nanoseconds; @error lists the possible ones.
 */
int tw_trace_clock__init(struct tw_trace_clock *clock, const char *name, struct tw_error *error);

/** tw_trace_clock__now() - a time; no event recorded from now on, on any CPU, is older by more than @slack */
uint64_t tw_trace_clock__now(const struct tw_trace_clock *clock);

/** tw_trace_clock__sample() - all clocks at one instant, with the error bound; also updates the offset */
void tw_trace_clock__sample(struct tw_trace_clock *clock, struct tw_clock_view *ret);

#endif
