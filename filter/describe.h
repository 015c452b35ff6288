/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes tests of a bound filter as text in the filter language. */
#ifndef TW_FILTER_DESCRIBE_H
#define TW_FILTER_DESCRIBE_H

#include "base/line.h"
#include "filter/tree.h"

/** tw_test__describe() - append one test, for example `prev_pid & 0xff != 3` or `prev_comm == "bash"` */
void tw_test__describe(const struct tw_test *test, struct tw_line *line);

/** tw_test_op__text() - Return: an operator as text, for example "=="; "" for EXISTS */
const char *tw_test_op__text(uint8_t op);

/**
 * tw_line__quoted() - append a text in double quotes
 * A backslash is put before each double quote and backslash. Control characters become \xNN; with @ascii, bytes above 0x7f also do.
 */
void tw_line__quoted(struct tw_line *line, const void *text, size_t len, bool ascii);

/** tw_line__hex_bytes() - append bytes as aa:bb:cc */
void tw_line__hex_bytes(struct tw_line *line, const uint8_t *bytes, size_t len);

#endif
