/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/step_watch.h"

#include <errno.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/time.h"

/* Arms the timer for a time that is never reached. Return: false if this fails, but not because REALTIME was set in between */
static bool arm(int fd)
{
	const struct itimerspec never = { .it_value.tv_sec = INT64_MAX / 1000000000 };

	return !timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) || errno == ECANCELED;
}

static int open_timer(void)
{
	const int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0 || arm(fd))
		return fd;
	close(fd);
	return -1;
}

/* Reads the clocks between two readings of MONOTONIC, and compares them with the last readings. Return: whether one was set */
static bool compare(struct tw_wall_clock *clocks)
{
	struct tw_clock_view now = { .valid = 1u << TW_CLOCK_MONO | 1u << TW_CLOCK_BOOT | 1u << TW_CLOCK_REAL |
					      1u << TW_CLOCK_TAI };
	struct tw_wall_change change;
	uint64_t window;

	now.reading[TW_CLOCK_MONO] = tw_time__now(CLOCK_MONOTONIC);
	now.reading[TW_CLOCK_BOOT] = tw_time__now(CLOCK_BOOTTIME);
	now.reading[TW_CLOCK_REAL] = tw_time__now(CLOCK_REALTIME);
	now.reading[TW_CLOCK_TAI] = tw_time__now(CLOCK_TAI);
	window = tw_time__now(CLOCK_MONOTONIC) - now.reading[TW_CLOCK_MONO];
	now.error_ns = (uint32_t)tw_time__earlier(window, UINT32_MAX - 1) + 1; /* 1: readings are rounded */
	return tw_wall_clock__take(clocks, &now, &change) &&
	       (change.step || change.leap || change.tai || change.suspend);
}

void tw_step_watch__open(struct tw_step_watch *watch)
{
	*watch = (struct tw_step_watch){ .is_open = true, .fd = open_timer() };
	compare(&watch->clocks);
}

int tw_step_watch__fd(const struct tw_step_watch *watch)
{
	return watch->is_open ? watch->fd : -1;
}

/* Whether the kernel has cancelled the timer; waits for the next time. */
static bool was_cancelled(int fd)
{
	uint64_t unused;

	if (fd < 0 || read(fd, &unused, sizeof(unused)) >= 0 || errno != ECANCELED)
		return false;
	arm(fd);
	return true;
}

bool tw_step_watch__take(struct tw_step_watch *watch)
{
	const bool cancelled = was_cancelled(tw_step_watch__fd(watch));

	return compare(&watch->clocks) || cancelled;
}

void tw_step_watch__close(struct tw_step_watch *watch)
{
	if (tw_step_watch__fd(watch) >= 0)
		close(watch->fd);
	*watch = (struct tw_step_watch){ .is_open = false };
}
