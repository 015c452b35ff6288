/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire convert`: what its files share. */
#ifndef CLI_CONVERT_H
#define CLI_CONVERT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "cli/output_file.h"

struct convert {
	bool quiet; /* the option's */
	const char *in, *out;
	struct output_file output;
	uint64_t next_progress;
	bool terminal, in_line; /* a line of progress is not ended yet */
};

/** convert__show_progress() - @done of @all bytes have been read */
void convert__show_progress(struct convert *convert, uint64_t done, uint64_t all);

/** convert__end_progress() - before anything else is said */
void convert__end_progress(struct convert *convert);

/** convert__out() - the file that is written, for people */
const char *convert__out(const struct convert *convert);

/**
 * convert__tracedat() and convert__capture() - convert what is open at @fd
 * Return: exit status, with @err filled if it is not 0.
 */
int convert__tracedat(struct convert *convert, int fd, const struct stat *st, struct tw_error *err);
int convert__capture(struct convert *convert, int fd, const struct stat *st, struct tw_error *err);

#endif
