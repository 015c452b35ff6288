/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which functions a tracer records: set_ftrace_filter and its like. */
#ifndef TW_FUNCTION_FILTER_H
#define TW_FUNCTION_FILTER_H

#include "producer/instance.h"
#include "producer/tracer/tracer.h"

/**
 * tw_function_filter__add() - add functions to a list of the kernel's
 * @path: the list's file
 * @words: names, globs, or whatever else the list takes
 *
 * Return: 0; -ENOENT for a name that means no function, with @err naming the nearest; -EPERM.
 */
int tw_function_filter__add(const char *tracing_dir, const char *path, const struct tw_words *words,
			    struct tw_error *err);

#endif
