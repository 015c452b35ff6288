/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/service.h"

#include <systemd/sd-daemon.h>

#include "base/time.h"

#define NS_PER_US 1000u

static struct {
	uint64_t interval; /* ns; 0 = nobody watches */
	uint64_t told;     /* when it was last, CLOCK_MONOTONIC */
	uint64_t progress; /* that was told */
} watchdog;

void service__ready(const char *status)
{
	uint64_t timeout_us;

	if (sd_watchdog_enabled(0, &timeout_us) > 0)
		watchdog.interval = timeout_us * NS_PER_US / 2;
	watchdog.told = tw_time__now(CLOCK_MONOTONIC);
	sd_notifyf(0, "READY=1\nSTATUS=%s", status);
}

void service__alive(uint64_t progress)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);

	if (!watchdog.interval || progress == watchdog.progress || now - watchdog.told < watchdog.interval)
		return;
	watchdog.progress = progress;
	watchdog.told = now;
	sd_notify(0, "WATCHDOG=1");
}

void service__stopping(void)
{
	sd_notify(0, "STOPPING=1");
}
