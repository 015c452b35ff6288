/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who listens on an interface: notices a capture that has just begun, so that it can be told at once what it needs to
 * know.
 */
#ifndef TW_LISTENERS_H
#define TW_LISTENERS_H

#include <stdbool.h>

#include "base/error.h"

struct tw_listeners;

/**
 * tw_listeners__open() - watch the packet sockets on an interface, and on all interfaces, of this network namespace
 * @ifname: where a capture would listen: the viewing end of a virtual wire
 * Return: 0; -ENODEV if there is no such interface; another -errno without /proc.
 */
int tw_listeners__open(const char *ifname, struct tw_listeners **ret, struct tw_error *error);

/**
 * tw_listeners__joined() - whether a packet socket is there that was not at the last call
 *
 * Looks at most every ms, otherwise false. Sources: packet(7), /proc/net/packet. Sockets of AF_XDP do not show.
 */
bool tw_listeners__joined(struct tw_listeners *listeners);

/** tw_listeners__close() - NULL is fine */
void tw_listeners__close(struct tw_listeners *listeners);

#endif
