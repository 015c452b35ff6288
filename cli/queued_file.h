/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A FILE whose writers never wait for its reader: if a pipe or terminal has no room, bytes are queued in memory. Therefore a stopped
 * terminal or a pager does not block a thread that prints a status or a warning. Any thread may call these functions.
 */
#ifndef CLI_QUEUED_FILE_H
#define CLI_QUEUED_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/time.h"

/* Size of the queue, bytes. A line is dropped if the part of it that stdio writes first does not fit. */
#define QUEUED_FILE_MAX ((size_t)16 << 20)

struct queued_file;

/**
 * queued_file__open() - open a FILE that writes to @fd, which stays the caller's. Return: NULL without memory
 * @mode: mode of the FILE's buffer, as for setvbuf()
 * @ret: the FILE; fclose() frees it and the struct queued_file, and drops the queue
 */
struct queued_file *queued_file__open(int fd, int mode, FILE **ret);

/** queued_file__fd() - write the part of the queue that fits now. Return: descriptor to poll for POLLOUT; -1 if the queue is empty */
int queued_file__fd(struct queued_file *file);

/** queued_file__dropped() - number of bytes that did not fit into the queue, or that write() refused */
size_t queued_file__dropped(struct queued_file *file);

/** queued_file__error() - Return: 0, or the error of the first failed write(), such as -EPIPE without a reader */
int queued_file__error(struct queued_file *file);

/**
 * queued_file__finish() - write the queue, waiting for room until the deadline
 * Return: 0; -ETIMEDOUT, after which nothing more is written; the error of the first failed write(), such as -EPIPE without a reader
 */
int queued_file__finish(struct queued_file *file, const struct tw_deadline *deadline);

#endif
