/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/stop.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/standard_files.h"

#define ONCE_NS   (500 * TW_NS_PER_MS)   /* signals within this time count as one: timeout(1) sends each signal twice */
#define PATIENCE  2                      /* number of signals that request a stop; the next one kills */
#define OUTPUT_NS (5 * TW_NS_PER_SECOND) /* time for the remaining output, after a signal has ended the run */

enum phase { OPENING, RUNNING, ENDING };

static int event_fd = -1;
static volatile sig_atomic_t first_signal, first_was_sent;
static atomic_int asked;
static atomic_ullong last_asked; /* CLOCK_MONOTONIC, ns */
static atomic_int phase;
static struct tw_deadline deadline;

int stop__start_thread(pthread_t *ret, void *(*main)(void *ctx), void *ctx)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(ret, NULL, main, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

void stop__request(void)
{
	const uint64_t one = 1;
	const int saved = errno;

	/* Fails only if the eventfd's counter is full, after many requests. */
	if (write(event_fd, &one, sizeof(one)) < 0)
		errno = saved;
}

/* Return: the deadline that follows from the phase and the number of signals; 0 = none. @at: the deadline so far; 0 = none */
static uint64_t next_deadline(uint64_t at)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);

	if (phase == RUNNING)
		return 0;
	if (asked > (phase == ENDING))
		return at && at < now ? at : now;
	return asked && !at ? now + OUTPUT_NS : at;
}

/*
 * Updates the deadline after the main thread has changed `phase`, or a signal handler has changed `asked`. A handler may interrupt the main
 * thread in this function. The handler computes a deadline from newer values, so the main thread must not overwrite that deadline.
 */
static void set_deadline(void)
{
	uint64_t at = atomic_load(&deadline.at);

	while (!atomic_compare_exchange_weak(&deadline.at, &at, next_deadline(at)))
		;
}

static void on_signal(int signo, siginfo_t *info, void *context)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);

	(void)context;
	if (asked && now - last_asked < ONCE_NS)
		return;
	last_asked = now;
	if (!asked++) {
		first_signal = signo;
		first_was_sent = info->si_code <= 0;
	}
	set_deadline();
	if (asked <= PATIENCE) {
		stop__request();
	} else {
		signal(signo, SIG_DFL);
		raise(signo); /* delivered when this handler returns */
	}
}

static void on_pipe(int signo)
{
	(void)signo;
}

int stop__catch(struct tw_error *error)
{
	static const int asking[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO }, before;
	int failed = 0;

	event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event_fd < 0)
		return tw_error__set(error, -errno, "cannot watch for signals: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]) && !failed; i++) {
		failed = sigaction(asking[i], &action, &before);
		if (!failed && asking[i] == SIGHUP && before.sa_handler == SIG_IGN)
			failed = sigaction(SIGHUP, &before, NULL);
	}
	if (failed || sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = on_pipe, .sa_flags = SA_RESTART }, NULL))
		return tw_error__set(error, -errno, "cannot watch for signals: %s", strerror(errno));
	return standard_files__queue(error);
}

int stop__fd(void)
{
	return event_fd;
}

int stop__signal(void)
{
	return first_signal;
}

bool stop__was_sent(void)
{
	return first_was_sent;
}

int stop__signals(void)
{
	return asked;
}

bool stop__is_urgent(void)
{
	return asked > 1;
}

const struct tw_deadline *stop__deadline(void)
{
	return &deadline;
}

void stop__opened(void)
{
	phase = RUNNING;
	set_deadline();
}

void stop__ending(void)
{
	phase = ENDING;
	set_deadline();
}
