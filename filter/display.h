/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Back end: a display filter for Wireshark and tshark, with the names that the plugin has (docs/wireshark.md). */
#ifndef TW_FILTER_DISPLAY_H
#define TW_FILTER_DISPLAY_H

#include "base/line.h"
#include "filter/tree.h"

/*
 * Wireshark has texts as base/printable.h shows them, and truths as 0 and 1: in a record with something else there it sees what is nearest to it. Names are
 * those of an analyst's machine that never saw another kernel's field of that name with another type.
 */

/**
 * tw_display__emit() - append a filter that shows the matching ones of packets with one event each
 *
 * Return: 0; -EOPNOTSUPP as tw_bpf__generate(); -E2BIG where the line has no room.
 */
int tw_display__emit(const struct tw_bound *bound, struct tw_line *line, struct tw_error *error);

/** tw_display__sign_bit() - of the numbers that Wireshark has for a field; 0 = they have no sign */
uint64_t tw_display__sign_bit(const struct tw_test *test);

#endif
