/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The capture host's clock, against which streams are measured: CLOCK_REALTIME as it was when the capture began, going on with
 * CLOCK_BOOTTIME. So it keeps to what NTP does to the rate, runs on through suspends, and is never set. Belongs to one thread.
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
 * tw_capture_clock__at() - of a CLOCK_REALTIME time stamp that the kernel has just given a frame, ns
 *
 * Later by what that cannot tell exactly, never earlier, so that bounds made of it are bounds. If REALTIME was set since the last call,
 * or the stamp makes no sense, it is now.
 */
uint64_t tw_capture_clock__at(struct tw_capture_clock *clock, uint64_t realtime);

/** tw_capture_clock__stepped() - what REALTIME was set by since the capture began, as of the last tw_capture_clock__at(), ns */
int64_t tw_capture_clock__stepped(const struct tw_capture_clock *clock);

#endif
