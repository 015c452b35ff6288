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
 * Handlers are used instead of masks or SIG_IGN, because executed programs do not inherit handlers. If SIGHUP is ignored, as under nohup,
 * it stays ignored. The third signal, counted as by stop__signals(), kills the process.
 *
 * Code that waits for other processes must limit the wait by stop__deadline(). This function also calls standard_files__queue(), so that
 * printing does not wait. Return: 0, or -errno with @error filled.
 */
int stop__catch(struct tw_error *error);

/** stop__start_thread() - pthread_create() with all signals blocked, because the main thread handles them. Return: 0 or -errno */
int stop__start_thread(pthread_t *ret, void *(*main)(void *ctx), void *ctx);

/** stop__request() - request a stop; any thread may call it */
void stop__request(void);

/** stop__fd() - a descriptor that stays readable after the first request; -1 before stop__catch() */
int stop__fd(void);

/** stop__signal() - the first signal that requested a stop; 0 = no signal has */
int stop__signal(void);

/** stop__was_sent() - whether a process sent the first signal. False for Ctrl-C: the terminal sends that to the traced command, too */
bool stop__was_sent(void);

/** stop__signals() - number of signals so far, without those that arrived within half a second of the last counted one */
int stop__signals(void);

/** stop__is_urgent() - whether there were at least two signals */
bool stop__is_urgent(void);

/**
 * stop__deadline() - the deadline for waiting for an output or input that blocks
 *
 * Without a signal, there is no deadline. Before stop__opened(), the deadline is the time of the first signal, and stays so if
 * stop__opened() is never called. Between stop__opened() and stop__ending(), there is no deadline. After stop__ending(), the deadline is
 * 5 s after that call or after the first signal, whichever is later; a second signal ends the wait immediately.
 */
const struct tw_deadline *stop__deadline(void);

/** stop__opened() - set the phase: all files are open, and the run begins */
void stop__opened(void);

/** stop__ending() - set the phase: the run has ended, and the remaining output is written, or dropped at the deadline */
void stop__ending(void);

#endif
