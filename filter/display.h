/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Back end: a display filter for Wireshark and tshark, with the field names of the plugin (docs/wireshark.md). */
#ifndef TW_FILTER_DISPLAY_H
#define TW_FILTER_DISPLAY_H

#include "base/line.h"
#include "filter/tree.h"

/*
 * Wireshark has texts as escaped by base/printable.h, and booleans as 0 and 1. For a record with other values the filter compares the
 * nearest one. The names are right for a Wireshark that has not seen another kernel's field of that name with another type.
 */

/**
 * tw_display__emit() - append a filter that shows matching packets with one event each
 *
 * Return: 0; -EOPNOTSUPP as tw_bpf__generate(); -E2BIG if the line has no room.
 */
int tw_display__emit(const struct tw_bound *bound, struct tw_line *line, struct tw_error *error);

/** tw_display__sign_bit() - sign bit of the numbers that Wireshark has for a field; 0 = unsigned */
uint64_t tw_display__sign_bit(const struct tw_test *test);

#endif
