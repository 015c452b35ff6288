/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing to a reader at the other end: pipes, terminals, sockets. A full one is waited for in poll(), and given up at a deadline. */
#ifndef TW_OUTPUT_LIVE_H
#define TW_OUTPUT_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/deadline.h"

struct tw_live {
	int fd;           /* the caller's */
	int out;          /* the same once more, without blocking; -1 = there is none */
	bool nonblocking; /* that, or the caller's is */
	bool is_socket;
};

/** tw_live__open() - for an open descriptor, which stays the caller's and as it is; a file is written to as it is */
struct tw_live tw_live__open(int fd);

/**
 * tw_live__write() - some of it
 * @deadline: when it is over, what has no room for some ms is given up; NULL = never
 * Return: bytes, more than 0; -ETIMEDOUT; what write() said
 */
ssize_t tw_live__write(const struct tw_live *live, const struct tw_deadline *deadline, const void *bytes, size_t len);

/** tw_live__try() - what has room now. Return: bytes, more than 0; -EAGAIN; what write() said */
ssize_t tw_live__try(const struct tw_live *live, const void *bytes, size_t len);

/** tw_live__fd() - what to poll for room */
int tw_live__fd(const struct tw_live *live);

/** tw_live__close() - what was opened besides the caller's */
void tw_live__close(struct tw_live *live);

#endif
