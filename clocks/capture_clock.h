/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The capture clock, to which streams are compared: CLOCK_REALTIME at the start of the capture, continued by CLOCK_BOOTTIME. It follows
 * NTP's rate corrections, continues during suspends, and is never set. Belongs to one thread.
 */
#ifndef TW_CAPTURE_CLOCK_H
#define TW_CAPTURE_CLOCK_H

#include <stdint.h>

#include "clocks/stamps.h"

struct tw_capture_clock {
	int64_t begun; /* REALTIME less BOOTTIME when the capture began, ns */
	struct tw_stamps stamps;
};

/** tw_capture_clock__begin() - the capture begins now */
void tw_capture_clock__begin(struct tw_capture_clock *clock);

/** tw_capture_clock__now() - ns since 1970 */
uint64_t tw_capture_clock__now(const struct tw_capture_clock *clock);

/**
 * tw_capture_clock__at() - convert a recent CLOCK_REALTIME time stamp of a frame, ns
 *
 * The result is never too early, so that bounds derived from it are valid; it may be late by the uncertainty. If REALTIME was set since
 * the last call, or the stamp is invalid, the result is the current time.
 */
uint64_t tw_capture_clock__at(struct tw_capture_clock *clock, uint64_t realtime);

/** tw_capture_clock__stepped() - sum of the steps of REALTIME since the capture began, as of the last tw_capture_clock__at(), ns */
int64_t tw_capture_clock__stepped(const struct tw_capture_clock *clock);

#endif
