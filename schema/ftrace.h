/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the schema room. The few fields of the kernel's own system "ftrace" whose format does not say what they
 * are.
 */
#ifndef TW_FTRACE_H
#define TW_FTRACE_H

#include "schema/format.h"

/** tw_ftrace__is_open_ended() - whether the kernel writes as many elements as it has, whatever size the format names */
bool tw_ftrace__is_open_ended(const struct tw_format *format, const struct tw_field *field);

/** tw_ftrace__is_binary() - whether a char array has bytes in it that are no text */
bool tw_ftrace__is_binary(const struct tw_format *format, const struct tw_field *field);

#endif
