/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* Above the limit, memory is refused, and memory that is already allocated stays unchanged. Freed memory is available again. */
static void test_limit(void **state)
{
	struct tw_budget budget;
	char *first, *second;

	(void)state;
	tw_budget__init(&budget, 100);
	first = tw_alloc__new(&budget.alloc, 60);
	assert_non_null(first);
	assert_null(tw_alloc__new(&budget.alloc, 41));
	second = tw_alloc__new(&budget.alloc, 40);
	assert_non_null(second);
	assert_int_equal(budget.used, 100);
	first[59] = 7;
	assert_null(tw_alloc__resize(&budget.alloc, first, 60, 61));
	assert_int_equal(first[59], 7);
	tw_alloc__free(&budget.alloc, second, 40);
	first = tw_alloc__resize(&budget.alloc, first, 60, 100);
	assert_non_null(first);
	assert_int_equal(first[59], 7);
	assert_int_equal(budget.used, 100);
	tw_alloc__free(&budget.alloc, first, 100);
	assert_int_equal(budget.used, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_limit) };

	return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
