/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/step_watch.h"

#include <errno.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* Arms the timer for a time that is never reached: only a step ends the wait. Return: 0 or -errno */
static int arm(int fd)
{
	const struct itimerspec never = { .it_value.tv_sec = INT64_MAX / 1000000000 };

	return timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) < 0 ? -errno : 0;
}

int tw_step_watch__open(void)
{
	const int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	int err;

	if (fd < 0)
		return -errno;
	err = arm(fd);
	if (err && err != -ECANCELED) {
		close(fd);
		return err;
	}
	return fd;
}

bool tw_step_watch__take(int fd)
{
	uint64_t unused;

	if (fd < 0 || read(fd, &unused, sizeof(unused)) >= 0 || errno != ECANCELED)
		return false;
	arm(fd);
	return true;
}
