/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who captures on an interface: so that a late joiner gets the metadata at once. */
#ifndef CLI_LISTENERS_H
#define CLI_LISTENERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define LISTENERS_MAX 64 /* more are not told apart */

struct listeners {
	int fd; /* /proc/net/packet of this network namespace */
	int ifindex;
	unsigned long inodes[LISTENERS_MAX]; /* of the packet sockets seen at the last look */
	size_t n;
};

/** listeners__open() - watch an interface of this network namespace */
int listeners__open(int ifindex, struct listeners *ret, struct tw_error *err);

/** listeners__joined() - whether a packet socket is there that was not at the last look */
bool listeners__joined(struct listeners *listeners);

void listeners__close(struct listeners *listeners);

#endif
