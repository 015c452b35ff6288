/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the tests of back ends: expressions that can be bound, and tables with their results. */
#ifndef TESTS_FILTER_EMITTED_H
#define TESTS_FILTER_EMITTED_H

#include "filter/tree.h"
#include "tests/filter/formats.h"

/** bind_to() - parse and bind; fails the test if that is impossible */
struct tw_bound *bind_to(const struct tw_schema *schema, const char *text, bool big_endian);

/** emitted_is() - fails the test, printing the result for @text, unless that is @wanted */
void emitted_is(const char *text, const char *wanted, const char *got);

#endif
