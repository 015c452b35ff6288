/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Being told to end: by a signal, or by another thread. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include "base/error.h"

/**
 * stop__catch() - from now on SIGINT, SIGTERM and SIGHUP ask to stop instead of killing, and SIGPIPE does nothing
 *
 * By handlers, not by masks or SIG_IGN: programs that are run do not inherit them.
 */
int stop__catch(struct tw_error *err);

/** stop__request() - ask to stop; any thread */
void stop__request(void);

/** stop__fd() - readable, for ever, once somebody has asked */
int stop__fd(void);

/** stop__signal() - the signal that asked, 0 if none has */
int stop__signal(void);

#endif
