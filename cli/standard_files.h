/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard input, output and error of the program: makes sure that they are open, and that printed text was written. */
#ifndef CLI_STANDARD_FILES_H
#define CLI_STANDARD_FILES_H

#include "base/error.h"

/**
 * standard_files__occupy() - open /dev/null in place of closed ones, before any other file is opened. Return: 0 or -errno
 *
 * The kernel gives a new file the lowest free number. If standard error is closed, one of the program's files would become number 2, and
 * messages would be written to it. Reading and writing the replacement fails with EBADF, as with a closed file.
 */
int standard_files__occupy(void);

/**
 * standard_files__open() - open a file for reading
 * @name: "-" is standard input, which is not to be closed; its name for messages is stored in place of the "-"
 * Return: descriptor, or -errno with @error filled
 */
int standard_files__open(const char **name, struct tw_error *error);

/** standard_files__output() - name of an output file for messages: "standard output" for "-" */
const char *standard_files__output(const char *name);

/**
 * standard_files__queue() - let printing never wait for a reader: text that does not fit is queued until standard_files__finish()
 *
 * For runs that catch signals: a thread that waits in write() would not notice a request to stop. Return: 0 or -ENOMEM.
 */
int standard_files__queue(struct tw_error *error);

/** standard_files__behind() - descriptor to poll for POLLOUT while text for standard error is queued; -1 = no text is queued */
int standard_files__behind(void);

/** standard_files__push() - write as much queued text as fits now: for loops that print nothing for a while. Called by any thread */
void standard_files__push(void);

/** standard_files__flush() - write the text printed to standard output so far; a failure is kept for standard_files__finish() */
void standard_files__flush(void);

/**
 * standard_files__finish() - write all printed text, until stop__deadline(), and report if a part of it could not be written
 * Return: @status, or the exit status of a failure. A reader that has gone, as with `| head`, is no failure.
 */
int standard_files__finish(int status);

#endif
