/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detects in a producer's CLOCK samples that its wall clock was set or the machine was suspended.
 *
 * REALTIME and BOOTTIME have the same rate, whatever NTP does to it, and both continue in a suspend, while MONOTONIC stops. So if
 * REALTIME gains on BOOTTIME it was set, and if BOOTTIME gains on MONOTONIC there was a suspend. A change that error_ns of the samples
 * can explain does not count. If a sample lacks these clocks, the stream's clock is used, which may have drifted.
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
	bool jumped; /* the stream's clock stopped or was set, compared with a clock that continues in suspends */
};

/**
 * tw_wall_clock__take() - the next sample
 * @sample: with TRACE in ns
 * @ret: what happened since the one before
 *
 * Return: false if it is not newer than the one before; nothing is changed then.
 */
bool tw_wall_clock__take(struct tw_wall_clock *wall, const struct tw_clock_view *sample, struct tw_wall_change *ret);

#endif
