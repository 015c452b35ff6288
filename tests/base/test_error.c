/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

static void a_remedy_is_said_once(void **state)
{
	struct tw_error inner, outer;
	const char *remedy;

	(void)state;
	assert_int_equal(tw_error__set(&inner, -EMFILE, "opening a failed"), -EMFILE);
	assert_int_equal(tw_error__set(&outer, -EMFILE, "reading b: %s", inner.text), -EMFILE);
	remedy = strstr(outer.text, "ulimit -n");
	assert_non_null(remedy);
	assert_null(strstr(remedy + 1, "ulimit -n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_remedy_is_said_once) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
