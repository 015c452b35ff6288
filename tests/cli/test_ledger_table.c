/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ledgers as a table: columns, the sum, narrow terminals, and numbers that are too wide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/ledger_table.h"

/* If a sum exceeds 64 bits, the table shows that it is larger, and that the difference is unknown. */
static void test_too_large(void **state)
{
	const struct tw_ledger ledgers[2] = {
		{ .recorded = UINT64_MAX / 2 + 1, .place = { [TW_PLACE_DELIVERED] = UINT64_MAX / 2 + 1 } },
		{ .recorded = UINT64_MAX / 2 + 2, .place = { [TW_PLACE_DELIVERED] = UINT64_MAX / 2 + 2 } },
	};
	const struct ledger_row rows[] = { { "a", &ledgers[0] }, { "b", &ledgers[1] } };
	struct tw_ledger sum = ledgers[0];
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_non_null(out);
	tw_ledger__add(&sum, &ledgers[1]);
	ledger__print_table(rows, 2, 200, out);
	ledger__print_remarks(&sum, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "sum  >18446744073709551614  >18446744073709551614     unknown"));
	assert_non_null(strstr(text, "too large: "));
	assert_null(strstr(text, "unexplained"));
	free(text);
}

static void check_remarks(const struct tw_ledger *ledger, const char *expected)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	ledger__print_remarks(ledger, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

/* A ledger that balances has no remark; a difference is explained in either direction. */
static void test_difference(void **state)
{
	const struct tw_ledger
		balanced = { .state = TW_LEDGER_CLOSED, .recorded = 5, .place = { [TW_PLACE_DELIVERED] = 5 } },
		less = { .state = TW_LEDGER_CLOSED, .recorded = 5, .place = { [TW_PLACE_DELIVERED] = 4 } },
		more = { .state = TW_LEDGER_CLOSED, .recorded = 5, .place = { [TW_PLACE_DELIVERED] = 7 } };

	(void)state;
	check_remarks(&balanced, "");
	check_remarks(&less, "1 event is unexplained: recorded, but not counted in any column of the ledger\n");
	check_remarks(&more, "2 events are counted more than once in the ledger\n");
}

static void check_table(const struct ledger_row *rows, size_t n, unsigned int columns, const char *expected)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	ledger__print_table(rows, n, columns, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void test_table(void **state)
{
	const struct tw_ledger ledgers[] = {
		{ .state = TW_LEDGER_CLOSED,
		  .recorded = 12,
		  .place = { [TW_PLACE_DELIVERED] = 9, [TW_PLACE_WIRE] = 3 } },
		{ .state = TW_LEDGER_OPEN, .recorded = 5, .place = { [TW_PLACE_DELIVERED] = 4 } },
	};
	const struct ledger_row rows[] = { { "alpha:one", &ledgers[0] }, { "b", &ledgers[1] } };

	(void)state;
	check_table(rows, 1, 100,
		    "           recorded  delivered  wire  difference   state\n"
		    "alpha:one        12          9     3           0  closed\n");
	check_table(rows, 2, 100,
		    "           recorded  delivered  wire  difference   state\n"
		    "alpha:one        12          9     3           0  closed\n"
		    "b                 5          4     0           1    open\n"
		    "sum              17         13     3           1    open\n");
	check_table(rows, 1, 40,
		    "           recorded  delivered  wire\n"
		    "alpha:one        12          9     3\n"
		    "           difference   state\n"
		    "alpha:one           0  closed\n");
	check_table(rows, 1, 0,
		    "           recorded\n"
		    "alpha:one        12\n"
		    "           delivered\n"
		    "alpha:one          9\n"
		    "           wire\n"
		    "alpha:one     3\n"
		    "           difference\n"
		    "alpha:one           0\n"
		    "            state\n"
		    "alpha:one  closed\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_difference),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
