/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that appears under its name when it is complete, and not before: until then it has no name, so that a killed
 * process leaves nothing. What is there already is replaced at the same moment. Pipes and devices are written as they are.
 */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"

struct output_file {
	int fd;
	bool unnamed;         /* it has no name yet */
	char path[PATH_MAX];  /* its name to be; links are followed */
	char draft[PATH_MAX]; /* the name until then, where the file system needs one; "" = none */
};

/**
 * output_file__open() - begin
 * @path: "-" is standard output
 * @input: what must not be overwritten; NULL = nothing
 */
int output_file__open(struct output_file *file, const char *path, const struct stat *input, struct tw_error *err);

/** output_file__finish() - give it its name. Return: 0 or -errno with @err filled */
int output_file__finish(struct output_file *file, struct tw_error *err);

/** output_file__close() - without finish nothing of it stays; an all-zero one is fine */
void output_file__close(struct output_file *file);

#endif
