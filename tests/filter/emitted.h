/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the tests of back ends: expressions that can be bound, and tables with their results. */
#ifndef TESTS_FILTER_EMITTED_H
#define TESTS_FILTER_EMITTED_H

#include "filter/tree.h"
#include "tests/filter/formats.h"

/** bind_to() - parse and bind an expression; if this is impossible, fail the test */
struct tw_bound *bind_to(const struct tw_schema *schema, const char *text, bool big_endian);

/** emitted_is() - unless the result @got for the expression @text equals @wanted, print it and fail the test */
void emitted_is(const char *text, const char *wanted, const char *got);

#endif
