/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the mount point of this kernel's tracefs and reads its files. */
#ifndef TW_TRACING_DIR_H
#define TW_TRACING_DIR_H

#include "base/error.h"

/**
 * tw_tracing_dir__find() - find the top directory of tracefs; if tracefs is not mounted, mount it if this is permitted
 * @ret: a static string
 * Return: 0; -ENODEV if tracefs is not mounted and cannot be mounted; -EACCES or another -errno if it cannot be read. After a failure,
 * @error explains what to do.
 */
int tw_tracing_dir__find(const char **ret, struct tw_error *error);

/**
 * tw_tracing_file__read() - read a whole file below a tracing or instance directory; the caller frees the text, which ends in NUL
 * Return: 0, or -errno with @error filled
 */
int tw_tracing_file__read(const char *dir, const char *name, char **ret, struct tw_error *error);

#endif
