/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages to a service manager by the protocol of sd_notify(3): the service runs, its work continues, it ends. Without a manager
 * (NOTIFY_SOCKET is not set) nothing is done. One thread sends them, with or without privileges.
 *
 * A manager that does not read is not waited for. service__alive() repeats messages that did not fit, except the last.
 */
#ifndef CLI_SERVICE_H
#define CLI_SERVICE_H

#include <stdint.h>

/** service__ready() - all steps of the start have succeeded. @status: one line for `systemctl status` */
void service__ready(const char *status);

/**
 * service__alive() - called a few times a second; notifies the watchdog after half of its time
 * @progress: a number that grows while the working threads work. While it does not change the watchdog is not notified, so a hanging
 * thread is found even if the calling thread runs
 */
void service__alive(uint64_t progress);

/** service__stopping() - the end has begun */
void service__stopping(void);

#endif
