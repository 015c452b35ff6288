/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard input, output and error of the program: that they are there, and that what was printed was written. */
#ifndef CLI_STANDARD_FILES_H
#define CLI_STANDARD_FILES_H

#include "base/error.h"

/**
 * standard_files__occupy() - put something in the place of those that are closed, before any file is opened
 *
 * The kernel gives a new file the lowest free number. If standard error is closed, a file of ours becomes number 2, and messages are
 * written into it. Reading and writing what takes the place fails with EBADF, as before.
 *
 * Return: 0, or -errno of opening /dev/null.
 */
int standard_files__occupy(void);

/**
 * standard_files__queue() - from now on, printing never waits for a reader: what has no room is queued
 *
 * For runs that catch signals: a thread that waits in write() would not see that it is asked to end. standard_files__finish() waits, until
 * stop__deadline().
 */
int standard_files__queue(struct tw_error *error);

/** standard_files__behind() - standard error, to be polled for room, while something that was printed there is queued; -1 = nothing is */
int standard_files__behind(void);

/** standard_files__push() - write as much of what is queued as has room now: for loops that print nothing for a while. Any thread */
void standard_files__push(void);

/** standard_files__flush() - write what was printed so far; a failure is kept for standard_files__finish() */
void standard_files__flush(void);

/**
 * standard_files__finish() - write what was printed; say in one sentence if any of it could not be written
 * @status: exit status so far
 * Return: exit status. A reader that has gone, as with `| head`, is no failure.
 */
int standard_files__finish(int status);

#endif
