/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to stop: by a signal, or by another thread. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <pthread.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/time.h"

/**
 * stop__catch() - from now on SIGINT, SIGTERM and SIGHUP request a stop instead of killing, and SIGPIPE has no effect
 *
 * Handlers are used instead of masks or SIG_IGN, because executed programs do not inherit handlers. An ignored SIGHUP, as under nohup,
 * stays ignored. The third signal ends the process.
 *
 * Code that waits for other processes uses stop__deadline(): see stop__opened() and stop__ending(). Printing does not wait from now on:
 * this function calls standard_files__queue(). Return: 0, or -errno with @error filled.
 */
int stop__catch(struct tw_error *error);

/** stop__start_thread() - pthread_create() with all signals blocked, because the main thread handles them. Return: 0 or -errno */
int stop__start_thread(pthread_t *ret, void *(*main)(void *ctx), void *ctx);

/** stop__request() - request a stop; called by any thread */
void stop__request(void);

/** stop__fd() - a descriptor that stays readable after the first request; -1 before stop__catch() */
int stop__fd(void);

/** stop__signal() - the first signal that requested a stop; 0 = no signal has */
int stop__signal(void);

/** stop__was_sent() - whether a process sent the first signal; Ctrl-C on a terminal also reaches the command, which is in the same group */
bool stop__was_sent(void);

/** stop__signals() - number of signals so far; one within half a second of the last that counted does not count */
int stop__signals(void);

/** stop__is_urgent() - whether there were at least two signals */
bool stop__is_urgent(void);

/**
 * stop__deadline() - the deadline for waiting for an output or input that blocks
 *
 * While files are being opened, the wait ends with the first signal. While the run continues, there is no deadline. After the end of the
 * run, the deadline is 5 s after the first signal, or 5 s after stop__ending() if the signal was earlier. If there are two signals, a wait
 * after the end of the run ends immediately. Without a signal there is no deadline.
 */
const struct tw_deadline *stop__deadline(void);

/** stop__opened() - all files are open: the run begins */
void stop__opened(void);

/** stop__ending() - the run has ended: remaining output is written, or given up */
void stop__ending(void);

#endif
