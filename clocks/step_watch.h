/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notices at once that CLOCK_REALTIME was set: a timer that the kernel cancels then (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET). */
#ifndef TW_STEP_WATCH_H
#define TW_STEP_WATCH_H

#include <stdbool.h>

/** tw_step_watch__open() - Return: a descriptor that becomes readable when the clock is set; -errno */
int tw_step_watch__open(void);

/** tw_step_watch__take() - begin to wait for the next step; @fd may be negative. Return: whether the clock was set since the last call */
bool tw_step_watch__take(int fd);

#endif
