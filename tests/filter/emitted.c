/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/filter/emitted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "tests/filter/bound.h"

struct tw_bound *bind_to(const struct tw_schema *schema, const char *text, bool big_endian)
{
	const struct tw_bind_options options = {
		.schema = schema,
		.big_endian = big_endian,
		.unknown_is_absent = true,
	};
	struct tw_bound *bound = NULL;
	struct tw_error err;

	if (bound__make(text, &options, &bound, &err))
		fail_msg("%s: %s", text, err.text);
	return bound;
}

void emitted_is(const char *text, const char *wanted, const char *got)
{
	if (strcmp(wanted, got) != 0)
		fail_msg("%s\n  wanted: %s\n  got:    %s", text, wanted, got);
}
