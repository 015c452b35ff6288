/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bound tree as text in the filter language: the tests for an event. For people and tests. */
#ifndef TW_FILTER_DESCRIBE_H
#define TW_FILTER_DESCRIBE_H

#include "base/line.h"
#include "filter/tree.h"

/** tw_test__describe() - append one test: `prev_pid & 0xff != 3`, `prev_comm == "bash"` */
void tw_test__describe(const struct tw_test *test, struct tw_line *line);

/** tw_node__describe() - append a tree: `(a == 1 || !(b == 2)) && c > 3`, `true`, `false` */
void tw_node__describe(const struct tw_node *root, struct tw_line *line);

/** tw_operand__name() - name of an operand that is no field: "pid" */
const char *tw_operand__name(uint8_t operand);

/** tw_test_op__text() - "==" and the like */
const char *tw_test_op__text(uint8_t op);

/** tw_line__seconds() - append 12.500000000 */
void tw_line__seconds(struct tw_line *line, uint64_t ns);

#endif
