/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing to a reader at the other end: pipes, terminals, sockets. A full one is waited for in poll(), and given up at a deadline. */
#ifndef TW_OUTPUT_PIPE_H
#define TW_OUTPUT_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/time.h"

struct tw_pipe {
	int fd;           /* the caller's */
	int out;          /* the same once more, without blocking; -1 = there is none */
	bool nonblocking; /* that, or the caller's is */
	bool is_socket;
};

/** tw_pipe__open() - for an open descriptor, which stays the caller's and as it is; a file is written to as it is */
struct tw_pipe tw_pipe__open(int fd);

/**
 * tw_pipe__write() - some of it
 * @deadline: when it is over, what has no room for some ms is given up; NULL = never
 * Return: bytes, more than 0; -ETIMEDOUT; what write() said
 */
ssize_t tw_pipe__write(const struct tw_pipe *live, const struct tw_deadline *deadline, const void *bytes, size_t len);

/** tw_pipe__try() - what has room now. Return: bytes, more than 0; -EAGAIN; what write() said */
ssize_t tw_pipe__try(const struct tw_pipe *live, const void *bytes, size_t len);

/** tw_pipe__fd() - what to poll for room */
int tw_pipe__fd(const struct tw_pipe *live);

/** tw_pipe__close() - what was opened besides the caller's */
void tw_pipe__close(struct tw_pipe *live);

#endif
