/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stream's clock: which trace clocks can be one, what time it is, and samples of all clocks at one instant. */
#ifndef TW_TRACE_CLOCK_H
#define TW_TRACE_CLOCK_H

#include <stdint.h>

#include "base/error.h"
#include "producer/instance.h"
#include "wire/decode.h"

struct tw_trace_clock {
	const char *name;          /* as in trace_clock */
	int id;                    /* the clockid_t that reads the same, or -1: only the kernel's rings tell */
	struct tw_instance *probe; /* for id -1: an instance on the same clock that traces nothing; borrowed */
	int64_t offset;            /* of the clock to CLOCK_MONOTONIC, as last sampled; for id -1 */
	uint64_t slack;            /* how far tw_trace_clock__now() may run ahead of an event being recorded now, ns */
};

/**
 * tw_trace_clock__init() - choose a trace clock
 * @name: NULL = "mono"
 * Return: 0; -EINVAL for one that is unknown or does not count nanoseconds, with @error saying which do.
 */
int tw_trace_clock__init(struct tw_trace_clock *clock, const char *name, struct tw_error *error);

/** tw_trace_clock__now() - a time that no event recorded from now on on any CPU precedes, but for @slack */
uint64_t tw_trace_clock__now(const struct tw_trace_clock *clock);

/** tw_trace_clock__sample() - all clocks at one instant, with the error bound; also renews the offset */
void tw_trace_clock__sample(struct tw_trace_clock *clock, struct tw_clock_view *ret);

#endif
