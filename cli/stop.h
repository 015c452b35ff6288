/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Being told to end: by a signal, or by another thread. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <stdbool.h>

#include "base/error.h"
#include "base/time.h"

/**
 * stop__catch() - from now on SIGINT, SIGTERM and SIGHUP ask to stop instead of killing, and SIGPIPE does nothing
 *
 * By handlers, not by masks or SIG_IGN: programs that are run do not inherit them. A SIGHUP that is ignored, as nohup has it,
 * stays so. Who asks a third time means it: that signal ends the process.
 *
 * What waits for others looks at stop__deadline(): see stop__opened() and stop__ending(). Printing does not wait: see
 * standard_files__queue().
 */
int stop__catch(struct tw_error *error);

/** stop__request() - ask to stop; any thread */
void stop__request(void);

/** stop__fd() - readable, for ever, once somebody has asked */
int stop__fd(void);

/** stop__signal() - the signal that asked first, 0 if none has */
int stop__signal(void);

/** stop__was_sent() - that signal came from a process, for us alone; not from the terminal, which tells the whole group */
bool stop__was_sent(void);

/** stop__is_urgent() - signals asked twice */
bool stop__is_urgent(void);

/**
 * stop__deadline() - until when to wait for an output or input that blocks
 *
 * While files are being opened, the first signal ends it. While the run goes on, there is none. From the run's end on, it is over some
 * seconds after the first signal, which may have come before, and at once with the second; without a signal there is none.
 */
const struct tw_deadline *stop__deadline(void);

/** stop__opened() - all is open: the run begins */
void stop__opened(void);

/** stop__ending() - the run has ended: what is left goes out, or is given up */
void stop__ending(void);

#endif
