/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detects from a producer's CLOCK samples that its wall clock was set, that there was a leap second, that the TAI offset was changed, or
 * that the machine was suspended.
 *
 * REALTIME and BOOTTIME have the same rate, even when NTP adjusts it, and both continue during a suspend, while MONOTONIC stops. So if the
 * difference REALTIME - BOOTTIME changes, the wall clock was set. If BOOTTIME gains on MONOTONIC, there was a suspend. Changes that
 * error_ns of the samples can explain are ignored. If REALTIME was set by exactly one second, while TAI was not set, this was a leap
 * second: the kernel changes its TAI offset at the same instant. If the difference TAI - REALTIME changes otherwise, a program has set the
 * TAI offset, which is a whole number of seconds; it is 0 until a program sets it. If a sample lacks BOOTTIME, REALTIME is compared with
 * MONOTONIC, or else with the stream's clock, which may have drifted.
 */
#ifndef TW_WALL_CLOCK_H
#define TW_WALL_CLOCK_H

#include "wire/decode.h"

struct tw_wall_clock {
	struct tw_clock_view last;
	bool any; /* @last is valid */
};

/* The changes between two samples. */
struct tw_wall_change {
	int64_t step; /* amount by which the wall clock was set, ns, other than by a leap second; 0 = it was not set */
	int64_t leap; /* amount by which a leap second set the wall clock, ns: a second, back or forward; 0 = there was none */
	int64_t tai;     /* change of the TAI offset, ns, which is not that of a leap second; 0 = it was not changed */
	int64_t suspend; /* duration of the suspend, ns; 0 = no suspend */
	bool jumped; /* the stream's clock stopped or was set: its distance from BOOTTIME changed, and its drift is not the reason */
};

/**
 * tw_wall_clock__take() - add a sample
 * @sample: its TRACE is in ns
 * @ret: changes since the previous sample
 * Return: false, with @wall unchanged, if the sample is not newer than the previous sample.
 */
bool tw_wall_clock__take(struct tw_wall_clock *wall, const struct tw_clock_view *sample, struct tw_wall_change *ret);

#endif
