/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The network namespaces of this machine. */
#ifndef TW_NETWORK_NAMESPACES_H
#define TW_NETWORK_NAMESPACES_H

#include <stdint.h>

/* The folder of those that ip-netns(8) has named */
#define TW_NETWORK_NAMESPACES_NAMED "/run/netns"

/**
 * tw_network_namespace__cookie() - find the number of this thread's network namespace, which is never used again (SO_NETNS_COOKIE)
 * Return: 0 or -errno; -ENOPROTOOPT before Linux 5.14
 */
int tw_network_namespace__cookie(uint64_t *ret);

/**
 * tw_network_namespaces__each() - call a function in each network namespace, in a thread of its own, and wait for it
 * The namespaces are that of this thread, those that a process is in, and those that ip-netns(8) has named. A namespace that only an open
 * file keeps is not found. Namespaces that this process may not enter are left out.
 * @visit: returns 0 or -errno; is called for all namespaces in any case
 * Return: 0; the first -errno
 */
int tw_network_namespaces__each(int (*visit)(void *ctx), void *ctx);

#endif
