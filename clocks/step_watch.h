/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notices at once that the clocks of this machine were set against each other: CLOCK_REALTIME was set, by a program or a leap second; a
 * program has set the TAI offset; or the machine was suspended.
 *
 * A timer that the kernel cancels then ends a wait (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET). The kernel cancels it shortly after the
 * end of a suspend, and not if only the TAI offset was set. Therefore tw_step_watch__take() also compares the clocks. It notices each
 * difference that is larger than the error of the readings, which is about a microsecond. A thread that waits for events of the kernel, and
 * calls it before it reads them, thus notices a change before it reads later events.
 *
 * A step watch is used by one thread at a time.
 */
#ifndef TW_STEP_WATCH_H
#define TW_STEP_WATCH_H

#include <stdbool.h>

#include "clocks/wall_clock.h"

/* All zero = not open. */
struct tw_step_watch {
	bool is_open;
	int fd;                      /* the timer; -1 = there is none, so that waits are not ended */
	struct tw_wall_clock clocks; /* the last readings */
};

/** tw_step_watch__open() - begin to watch; without the timer, the clocks are still compared */
void tw_step_watch__open(struct tw_step_watch *watch);

/** tw_step_watch__fd() - a descriptor that becomes readable when a clock is set, until tw_step_watch__take(); -1 */
int tw_step_watch__fd(const struct tw_step_watch *watch);

/** tw_step_watch__take() - whether a clock was set since the last call, or since the watch was opened; takes less than a microsecond */
bool tw_step_watch__take(struct tw_step_watch *watch);

/** tw_step_watch__close() - end to watch */
void tw_step_watch__close(struct tw_step_watch *watch);

#endif
