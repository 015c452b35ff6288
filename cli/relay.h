/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a viewer prints, passed on to standard output in batches. Whoever reads there, a terminal, a pager, is woken by every
 * write, and being woken makes events, which are printed: a line at a time there would be no end to it.
 */
#ifndef CLI_RELAY_H
#define CLI_RELAY_H

#include <sys/types.h>

#include "base/error.h"

struct relay;

/**
 * relay__start() - pass on, from a thread of its own, until the end
 * @ret_fd: where to write; the caller's. The end has come when every copy of it is closed, or standard output is.
 */
int relay__start(struct relay **ret, int *ret_fd, struct tw_error *err);

/** relay__tid() - what its thread is called by the kernel */
pid_t relay__tid(const struct relay *relay);

/** relay__finish() - wait for the end; NULL is fine. Return: 0; -EPIPE if nobody reads standard output, or why it failed */
int relay__finish(struct relay *relay);

#endif
