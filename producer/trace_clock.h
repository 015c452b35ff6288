/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace clock of the stream. The functions choose the clock, read its current time, and read all clocks of the host at one instant. */
#ifndef TW_TRACE_CLOCK_H
#define TW_TRACE_CLOCK_H

#include <stdint.h>

#include "base/error.h"
#include "producer/instance.h"
#include "wire/decode.h"

struct tw_trace_clock {
	const char *name;          /* name in the file trace_clock */
	int id;                    /* the clock's clockid_t; -1 = only the kernel's rings have this clock */
	struct tw_instance *probe; /* for id -1: an instance with this clock and no events; borrowed */
	_Atomic int64_t
		offset; /* for id -1: this clock minus CLOCK_MONOTONIC in the last sample, ns; other threads read it */
	/*
	 * ns. Events that the kernel commits after a call of tw_trace_clock__now() are at most this much older than the time that the call
	 * returned; events that are still older are late.
	 */
	uint64_t slack;
};

/**
 * tw_trace_clock__init() - choose a trace clock
 * @name: NULL = "mono"
 * Return: 0; -EINVAL for a clock that is unknown or does not count nanoseconds; @error lists the possible clocks.
 */
int tw_trace_clock__init(struct tw_trace_clock *clock, const char *name, struct tw_error *error);

/**
 * tw_trace_clock__now() - the current time. Events that are committed later, on any CPU, are at most @slack older than it, except late
 * events
 */
uint64_t tw_trace_clock__now(const struct tw_trace_clock *clock);

/** tw_trace_clock__sample() - read all clocks but PHCs at one instant, with an error bound; also updates @clock->offset */
void tw_trace_clock__sample(struct tw_trace_clock *clock, struct tw_clock_view *ret);

#endif
