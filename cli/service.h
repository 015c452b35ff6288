/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages to a service manager by the protocol of sd_notify(3): the service is ready, its work continues, it ends. Without a manager
 * (NOTIFY_SOCKET is not set), the functions do nothing. Only one thread may call them; they need no privileges.
 *
 * The functions do not wait for a manager that does not read. If READY=1 or WATCHDOG=1 cannot be sent, service__alive() tries again;
 * STOPPING=1 is not repeated.
 */
#ifndef CLI_SERVICE_H
#define CLI_SERVICE_H

#include <stdint.h>

/** service__ready() - report that the start has succeeded. @status: one line for `systemctl status` */
void service__ready(const char *status);

/**
 * service__alive() - notify the watchdog each time half of its timeout has passed; call it a few times a second
 * @progress: grows while the threads work. While it does not grow, the watchdog is not notified, so that a hanging thread is detected
 */
void service__alive(uint64_t progress);

/** service__stopping() - report that the end has begun */
void service__stopping(void);

#endif
