/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An output file that gets its name when it is complete, so that no reader sees a part of it. If there is an older file of that name, the
 * new file replaces it, and gets its permissions and, if possible, its owner.
 */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/error.h"

struct output_file {
	int fd;
	bool unnamed;         /* the open file has no name (O_TMPFILE) */
	char path[PATH_MAX];  /* final name; symbolic links are resolved */
	char draft[PATH_MAX]; /* temporary name in the same directory; "" = none */
};

/**
 * output_file__open() - open the output; output_file__finish() gives it its name
 * @path: "-" is standard output, which must not be a terminal; a device or a pipe is written directly
 * @input: a file that must not be overwritten; NULL = none
 * Return: 0 or -errno with @error filled.
 */
int output_file__open(struct output_file *file, const char *path, const struct stat *input, struct tw_error *error);

/** output_file__finish() - give the file its name. Return: 0 or -errno with @error filled */
int output_file__finish(struct output_file *file, struct tw_error *error);

/** output_file__is_standard() - whether @path, which may be NULL, names standard output: nothing else is then written there */
bool output_file__is_standard(const char *path);

/**
 * output_file__print() - write text to the file, and give the file its name
 * @path: as for output_file__open()
 * @put: writes the text; @data is for it
 * Return: 0 or -errno with @error filled
 */
int output_file__print(struct output_file *file, const char *path, void (*put)(FILE *out, const void *data),
		       const void *data, struct tw_error *error);

/** output_file__close() - close the file, and remove it if output_file__finish() was not called; an all-zero @file is fine */
void output_file__close(struct output_file *file);

#endif
