/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a service manager is told, by the protocol of sd_notify(3): that we run, that work goes on, that we end. Where none listens
 * (NOTIFY_SOCKET is not set) nothing is done. One thread tells, with or without privileges.
 *
 * A manager that does not read is not waited for. What it has no room for is told again by service__alive(), but for the end.
 */
#ifndef CLI_SERVICE_H
#define CLI_SERVICE_H

#include <stdint.h>

/** service__ready() - all that can fail at the start has been done. @status: one line for `systemctl status` */
void service__ready(const char *status);

/**
 * service__alive() - to be called a few times a second; what keeps the watchdog quiet, at half of its time
 * @progress: a number that grows as long as those who do the work do it. While it stands still the watchdog hears nothing, so that
 *            a thread that hangs is found even if this one does not
 */
void service__alive(uint64_t progress);

/** service__stopping() - the end has begun */
void service__stopping(void);

#endif
