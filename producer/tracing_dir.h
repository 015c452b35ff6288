/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where this kernel's tracefs is. */
#ifndef TW_TRACING_DIR_H
#define TW_TRACING_DIR_H

#include "base/error.h"

/**
 * tw_tracing_dir__find() - the directory with available_events, wherever it is mounted; mounted if it is not and we may
 * @ret: a static string
 *
 * Return: 0; -ENODEV if tracefs is not there and cannot be mounted; -EACCES or another -errno if it cannot be read;
 *         @error says what to do.
 */
int tw_tracing_dir__find(const char **ret, struct tw_error *error);

/**
 * tw_tracing_file__read() - the text of a file below a tracing or instance directory
 * @ret: the caller's; free(); NUL-terminated
 *
 * Return: 0, or -errno with @error filled.
 */
int tw_tracing_file__read(const char *dir, const char *name, char **ret, struct tw_error *error);

#endif
