/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mount point of this kernel's tracefs. */
#ifndef TW_TRACING_DIR_H
#define TW_TRACING_DIR_H

#include "base/error.h"

/**
 * tw_tracing_dir__find() - find the directory with available_events; mounts tracefs if it is not mounted and that is permitted
 * @ret: a static string
 *
 * Return: 0; -ENODEV if there is no tracefs and it cannot be mounted; -EACCES or another -errno if it cannot be read;
 * @error says what to do.
 */
int tw_tracing_dir__find(const char **ret, struct tw_error *error);

/**
 * tw_tracing_file__read() - content of a file below a tracing or instance directory
 * @ret: the caller's; free(); NUL-terminated
 *
 * Return: 0, or -errno with @error filled.
 */
int tw_tracing_file__read(const char *dir, const char *name, char **ret, struct tw_error *error);

#endif
