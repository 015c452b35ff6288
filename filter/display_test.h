/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. One test as a display filter has it. */
#ifndef TW_DISPLAY_TEST_H
#define TW_DISPLAY_TEST_H

#include "base/line.h"
#include "filter/tree.h"

/**
 * tw_display__test() - append a test that can be expressed (filter/capability.h)
 * @format: of the event
 * Return: whether it needs parentheses beside others.
 */
bool tw_display__test(const struct tw_format *format, const struct tw_test *test, struct tw_line *line);

/** tw_display__sign_bit() - of the numbers that Wireshark has for a field; 0 = they have no sign */
uint64_t tw_display__sign_bit(const struct tw_test *test);

/** tw_display__text() - append a text in quotes */
void tw_display__text(struct tw_line *line, const void *text, size_t len);

#define TW_DISPLAY_FALSE "!frame" /* every packet is a frame to Wireshark */

#endif
