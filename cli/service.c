/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/service.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/time.h"

#define NS_PER_US 1000u

static struct {
	uint64_t interval; /* interval of notifications to the watchdog, half of its timeout, ns; 0 = no watchdog */
	uint64_t reported; /* time of the last notification; CLOCK_MONOTONIC, ns */
	uint64_t progress; /* argument of service__alive() at the last notification */
} watchdog;

static char ready[256]; /* the READY=1 message; empty after it was sent */

/* Reads the manager's address as libsystemd does: a path or, after '@', an abstract name. Return: its length; 0 if there is no valid one */
static socklen_t find_manager(struct sockaddr_un *ret)
{
	const char *name = getenv("NOTIFY_SOCKET");
	const size_t length = name ? strlen(name) : 0;

	if (length < 2 || length >= sizeof(ret->sun_path) || (*name != '/' && *name != '@'))
		return 0;
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(ret->sun_path, name, length);
	if (*name == '/')
		return sizeof(*ret);
	ret->sun_path[0] = '\0';
	/* The length of an abstract address excludes padding, because NUL bytes after the name would be part of the name. */
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

/* Sends a message without blocking; sd_notify(3) may block until the manager reads. Return: true if it was sent, or there is no manager */
static bool tell(const char *text)
{
	struct sockaddr_un manager;
	const socklen_t length = find_manager(&manager);
	bool reported;
	int fd;

	if (!length)
		return true;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	reported =
		sendto(fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&manager, length) >= 0;
	close(fd);
	return reported;
}

static bool tell_ready(void)
{
	if (*ready && tell(ready))
		*ready = '\0';
	return !*ready;
}

void service__ready(const char *status)
{
	uint64_t timeout_us;

	if (sd_watchdog_enabled(0, &timeout_us) > 0)
		watchdog.interval = timeout_us * NS_PER_US / 2;
	watchdog.reported = tw_time__now(CLOCK_MONOTONIC);
	snprintf(ready, sizeof(ready), "READY=1\nSTATUS=%s", status);
	tell_ready();
}

void service__alive(uint64_t progress)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);

	if (!tell_ready() || !watchdog.interval || progress == watchdog.progress ||
	    now - watchdog.reported < watchdog.interval || !tell("WATCHDOG=1"))
		return;
	watchdog.progress = progress;
	watchdog.reported = now;
}

void service__stopping(void)
{
	tell("STOPPING=1");
}
