/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. Text in the kernel's event filters. */
#ifndef TW_TRACEFS_TEXT_H
#define TW_TRACEFS_TEXT_H

#include "base/line.h"
#include "filter/tree.h"

/** tw_tracefs_text__refuses() - see tw_refuses(), for texts */
const char *tw_tracefs_text__refuses(const struct tw_test *test);

/** tw_tracefs_text__write() - append a test on text. Return: whether it needs parentheses beside others */
bool tw_tracefs_text__write(const struct tw_test *test, struct tw_line *line);

#define TW_TRACEFS_TRUE  "common_type >= 0" /* of every record: it has no sign */
#define TW_TRACEFS_FALSE "common_type < 0"

#endif
