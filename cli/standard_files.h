/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard input, output and error of the program: makes sure that they are open, and that printed text was written. */
#ifndef CLI_STANDARD_FILES_H
#define CLI_STANDARD_FILES_H

#include <stdbool.h>

#include "base/error.h"

/**
 * standard_files__occupy() - open /dev/null in place of closed descriptors, before any other file is opened. Return: 0 or -errno
 *
 * The kernel gives a new file the lowest free descriptor. If standard error were closed, one of the program's files would get descriptor 2,
 * and messages would be written to this file. In place of standard input, /dev/null is opened for writing; in place of standard output and
 * error, for reading. So reading standard input and writing the other two fail with EBADF, as with closed descriptors.
 */
int standard_files__occupy(void);

/**
 * standard_files__open() - open a file for reading
 * @name: "-" is standard input, which the caller must not close; "-" is replaced by a name for messages
 * Return: descriptor, or -errno with @error filled
 */
int standard_files__open(const char **name, struct tw_error *error);

/** standard_files__output() - name of an output file for messages: "standard output" for "-" */
const char *standard_files__output(const char *name);

/**
 * standard_files__queue() - queue printed text while its reader has no room for it, so that printing never waits
 *
 * stop__catch() calls this function, because a thread that waits in write() would not notice a request to stop. Return: 0 or -ENOMEM.
 */
int standard_files__queue(struct tw_error *error);

/** standard_files__behind() - descriptor to poll for POLLOUT while text for standard error is queued; -1 = no such text is queued */
int standard_files__behind(void);

/** standard_files__push() - write as much queued text as fits now: for loops that print nothing for a while. Any thread may call it */
void standard_files__push(void);

/** standard_files__has_no_output() - whether standard output takes no more text: its reader has gone, as with `| head`, or a write failed */
bool standard_files__has_no_output(void);

/** standard_files__flush() - write the text printed to standard output so far; standard_files__finish() reports a failure */
void standard_files__flush(void);

/**
 * standard_files__finish() - write all printed text, waiting until stop__deadline() at most; report if a part could not be written
 * Return: @status, or the exit status of a failure. A reader that has gone, as with `| head`, is no failure.
 */
int standard_files__finish(int status);

#endif
