/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a producer's CLOCK samples say of its own clocks: that the wall clock was set, that the machine was suspended.
 *
 * REALTIME and BOOTTIME run at one rate, whatever NTP does to it, and both go on in a suspend, in which MONOTONIC stops. So
 * REALTIME gaining on BOOTTIME was set, and BOOTTIME gaining on MONOTONIC is a suspend. What the samples' error_ns may explain
 * is no change. Where a sample lacks those, the stream's clock has to serve, and may have drifted.
 */
#ifndef TW_WALL_CLOCK_H
#define TW_WALL_CLOCK_H

#include "wire/decode.h"

struct tw_wall_clock {
	struct tw_clock_view last;
	bool any;
};

/* Between two samples, ns; 0 = none. */
struct tw_wall_change {
	int64_t step;
	int64_t suspend;
	bool jumped; /* the stream's clock itself stood still or was set, as a clock that runs on through suspends sees it */
};

/**
 * tw_wall_clock__take() - the next sample
 * @sample: reading TRACE in ns
 * @ret: what happened since the one before
 *
 * Return: false if it is not newer than the one before, and changes nothing.
 */
bool tw_wall_clock__take(struct tw_wall_clock *wall, const struct tw_clock_view *sample, struct tw_wall_change *ret);

#endif
