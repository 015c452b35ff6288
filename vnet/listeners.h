/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detects that captures begin on an interface, so that metadata can be sent to them immediately. */
#ifndef TW_LISTENERS_H
#define TW_LISTENERS_H

#include <stdbool.h>

#include "base/error.h"

struct tw_listeners;

/**
 * tw_listeners__open() - watch the packet sockets of this network namespace that are bound to @ifname or to no interface
 * @ifname: the interface on which programs capture; for a veth pair, its receiving end
 * Return: 0; -ENODEV if there is no such interface; another -errno, for example without /proc; always with @error filled on failure.
 */
int tw_listeners__open(const char *ifname, struct tw_listeners **ret, struct tw_error *error);

/**
 * tw_listeners__joined() - whether there is a packet socket that did not exist at the last call. The first call returns whether there is
 * any packet socket
 *
 * Reads /proc/net/packet (packet(7)) at most once per ms, and returns false in between. AF_XDP sockets are not detected.
 */
bool tw_listeners__joined(struct tw_listeners *listeners);

/** tw_listeners__close() - stop watching and free @listeners; NULL is fine */
void tw_listeners__close(struct tw_listeners *listeners);

#endif
