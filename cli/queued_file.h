/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A FILE whose writers never wait for its reader: what has no room in a pipe or terminal is queued in memory. So a thread that prints a
 * status or a warning is not held up by a terminal that was stopped, or by a pager.
 */
#ifndef CLI_QUEUED_FILE_H
#define CLI_QUEUED_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/time.h"

#define QUEUED_FILE_MOST \
	((size_t)16 << 20) /* bytes in the queue; lines that begin after that are dropped and counted */

struct queued_file;

/**
 * queued_file__open() - for a descriptor, which stays the caller's
 * @mode: of the FILE's buffer, as setvbuf() has it
 * @ret: the FILE; fclose() frees both, and what is queued then is lost
 *
 * Return: NULL without memory.
 */
struct queued_file *queued_file__open(int fd, int mode, FILE **ret);

/** queued_file__fd() - write what has room now. Return: to be polled for POLLOUT while something is queued; -1 = nothing is. Any thread */
int queued_file__fd(struct queued_file *file);

/** queued_file__dropped() - bytes that had no place in the queue, or that write() did not take */
size_t queued_file__dropped(struct queued_file *file);

/**
 * queued_file__finish() - write what is queued, waiting for room until the deadline is over
 *
 * Return: 0; -ETIMEDOUT, after which nothing more is written; what the first write() that failed said. -EPIPE is the reader's end.
 */
int queued_file__finish(struct queued_file *file, const struct tw_deadline *deadline);

#endif
