/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The capture clock, with which the clocks of all streams are compared: CLOCK_REALTIME at the start of the capture, continued by
 * CLOCK_BOOTTIME. It follows NTP's rate corrections, continues during suspends, and is never set. A capture clock belongs to one thread.
 */
#ifndef TW_CAPTURE_CLOCK_H
#define TW_CAPTURE_CLOCK_H

#include <stdint.h>

#include "base/time.h"
#include "clocks/stamps.h"

struct tw_capture_clock {
	int64_t begun; /* REALTIME - BOOTTIME when the capture began, ns */
	struct tw_stamps stamps;
};

/** tw_capture_clock__begin() - initialise the clock at the start of the capture */
static inline void tw_capture_clock__begin(struct tw_capture_clock *clock)
{
	clock->stamps = tw_stamps__measure();
	clock->begun = clock->stamps.distance;
}

/** tw_capture_clock__now() - read the capture clock, ns since 1970 */
static inline uint64_t tw_capture_clock__now(const struct tw_capture_clock *clock)
{
	return tw_time__now(CLOCK_BOOTTIME) + (uint64_t)clock->begun;
}

/**
 * tw_capture_clock__at() - convert the CLOCK_REALTIME time stamp of a recently received frame to the capture clock, ns
 *
 * The result is never too early, so that bounds derived from it are valid; it may be too late by the error of the conversion. If REALTIME
 * was set since the last call, or the time stamp is invalid, the result is the current time.
 */
static inline uint64_t tw_capture_clock__at(struct tw_capture_clock *clock, uint64_t realtime)
{
	const uint64_t age = tw_stamps__age(&clock->stamps, realtime);

	return tw_capture_clock__now(clock) - age;
}

/** tw_capture_clock__stepped() - sum of the steps of REALTIME from the start of the capture to the last tw_capture_clock__at(), ns */
static inline int64_t tw_capture_clock__stepped(const struct tw_capture_clock *clock)
{
	return clock->stamps.distance - clock->begun;
}

#endif
