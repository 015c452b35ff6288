/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Back end: a display filter for Wireshark and tshark, with the field names of the plugin (docs/wireshark.md). */
#ifndef TW_FILTER_DISPLAY_H
#define TW_FILTER_DISPLAY_H

#include "base/line.h"
#include "filter/tree.h"

/*
 * The filter compares the values that the plugin shows. The plugin escapes texts (base/printable.h), and shows a boolean as 0 or 1,
 * whatever the record contains.
 *
 * The filter gives wrong results in one case. A field can have different types in captures of two kernels, such as a number and a text. If
 * the running Wireshark reads both captures, the plugin adds a suffix to the name of the field in the second capture. The filter has
 * the name without the suffix.
 */

/**
 * tw_display__emit() - append a filter that shows the packets whose event matches; it is correct only if each packet has at most one event
 *
 * Return: 0; -EOPNOTSUPP as from tw_bound__check(); -E2BIG if the line has no room; -ENOMEM.
 */
int tw_display__emit(const struct tw_bound *bound, struct tw_line *line, struct tw_error *error);

/** tw_display__sign_bit() - Return: mask of the sign bit of the test's operand; 0 if Wireshark shows the operand as unsigned */
uint64_t tw_display__sign_bit(const struct tw_test *test);

#endif
