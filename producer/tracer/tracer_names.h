/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's list of tracers, available_tracers: names with blanks between. */
#ifndef TW_TRACER_NAMES_H
#define TW_TRACER_NAMES_H

#include <stdbool.h>

#include "base/error.h"

/** tw_tracer_names__has() - whether @tracer is in the list */
bool tw_tracer_names__has(const char *available, const char *tracer);

/** tw_tracer_names__unknown() - say that it is not, and what may have been meant. Return: -ENOENT, -ENOMEM */
int tw_tracer_names__unknown(const char *available, const char *tracer, struct tw_error *err);

#endif
