/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/stop.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int event_fd = -1;
static volatile sig_atomic_t caught;

void stop__request(void)
{
	const uint64_t one = 1;
	const int saved = errno;

	/* Fails only if the counter is full: then it was asked for often enough. */
	if (write(event_fd, &one, sizeof(one)) < 0)
		errno = saved;
}

static void on_signal(int signo)
{
	caught = signo;
	stop__request();
}

static void on_pipe(int signo)
{
	(void)signo;
}

int stop__catch(struct tw_error *err)
{
	static const int asking[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event_fd < 0)
		return tw_error__set(err, -errno, "cannot watch for signals: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]); i++)
		sigaction(asking[i], &action, NULL);
	action.sa_handler = on_pipe;
	sigaction(SIGPIPE, &action, NULL);
	return 0;
}

int stop__fd(void)
{
	return event_fd;
}

int stop__signal(void)
{
	return caught;
}
