/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing to pipes, terminals and sockets, from which another program reads. Without room, the write waits in poll(), up to a deadline. */
#ifndef TW_OUTPUT_PIPE_H
#define TW_OUTPUT_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/time.h"

struct tw_pipe {
	int fd;           /* the caller's descriptor */
	int out;          /* another descriptor of the file, with O_NONBLOCK; -1 = none */
	bool nonblocking; /* a write to `out` (or to `fd`, without `out`) does not block */
	bool is_socket;
};

/** tw_pipe__open() - prepare to write to @fd, which the caller keeps and whose flags do not change; a regular file is not opened again */
struct tw_pipe tw_pipe__open(int fd);

/**
 * tw_pipe__write() - write some of the bytes
 * @deadline: give up if there is no room 100 ms after it; NULL = wait without limit
 * Return: bytes, more than 0; -ETIMEDOUT; errors of write()
 */
ssize_t tw_pipe__write(const struct tw_pipe *live, const struct tw_deadline *deadline, const void *bytes, size_t len);

/** tw_pipe__try() - write as many bytes as there is room for. Return: bytes, more than 0; -EAGAIN; errors of write() */
ssize_t tw_pipe__try(const struct tw_pipe *live, const void *bytes, size_t len);

/** tw_pipe__fd() - descriptor to poll for room */
int tw_pipe__fd(const struct tw_pipe *live);

/** tw_pipe__open_again() - open the file of @fd again, as another open file description. Return: a descriptor; -1 with errno */
int tw_pipe__open_again(int fd, int flags);

/** tw_pipe__close() - close the descriptor that tw_pipe__open() opened; @fd stays open */
void tw_pipe__close(struct tw_pipe *live);

#endif
