/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the tests of back ends: expressions bound to the schema of formats.h, and tables of what they become. */
#ifndef TESTS_FILTER_EMITTED_H
#define TESTS_FILTER_EMITTED_H

#include "filter/tree.h"

#define SWITCH  316
#define WAKEUP  318
#define SOFTIRQ 125
#define HANDLER 128
#define KMALLOC 442
#define SOCK    1504
#define TINY    2000
#define LARGE   2001

/** bind_to() - parse and bind; fails the test if that cannot be */
struct tw_bound *bind_to(const struct tw_schema *schema, const char *text, bool big_endian);

/** emitted_is() - fails the test, saying what was emitted for @text, unless that is @wanted */
void emitted_is(const char *text, const char *wanted, const char *got);

#endif
