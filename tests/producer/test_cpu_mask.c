/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs as users type them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "producer/tracer/cpu_mask.h"

static const struct {
	const char *text;
	unsigned int cpus;
	const char *mask; /* NULL: refused */
} rows[] = {
	{ "1", 4, "1" },
	{ "c", 4, "c" },
	{ "0xC", 4, "c" },
	{ "0000000f", 4, "f" },
	{ "10", 8, "10" }, /* a mask: without dash or comma it is never a list */
	{ "-1", 4, "f" },
	{ "-1", 40, "ff,ffffffff" },
	{ "-1", 33, "1,ffffffff" },
	{ "1,00000002", 64, "1,00000002" },
	{ "100000002", 64, "1,00000002" },
	{ "0,2", 4, "5" },
	{ "2-3", 4, "c" },
	{ "0-0", 4, "1" },
	{ "0-1,33", 64, "2,00000003" },
	{ "63", 64, "63" },
	{ "1023-1023", 1023, NULL },
	{ "", 4, NULL },
	{ "0", 4, NULL },
	{ "0x", 4, NULL },
	{ "00000000,00000000", 64, NULL },
	{ "10", 4, NULL },
	{ "0-4", 4, NULL },
	{ "4,0", 4, NULL },
	{ "3-2", 4, NULL },
	{ "1-", 4, NULL },
	{ "-2", 4, NULL },
	{ "1,", 4, NULL },
	{ ",1", 4, NULL },
	{ "0,2 ", 4, NULL },
	{ "zz", 4, NULL },
	{ "99999999999999999999-99999999999999999999", 4, NULL },
	{ "ffffffffffffffffffffffffffffffffffffffffff", 4, NULL },
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char mask[TW_CPU_MASK_TEXT] = "";
		struct tw_error error = { "" };
		const int err = tw_cpu_mask__parse(rows[i].text, rows[i].cpus, mask, &error);

		if (rows[i].mask && err)
			fail_msg("'%s' is refused: %s", rows[i].text, error.text);
		if (!rows[i].mask && !err)
			fail_msg("'%s' is taken, as %s", rows[i].text, mask);
		if (rows[i].mask)
			assert_string_equal(mask, rows[i].mask);
		else
			assert_int_equal(err, -EINVAL);
		assert_int_equal(!err, !error.text[0]);
	}
}

/* The largest set fills the text exactly. */
static void test_largest(void **state)
{
	char mask[TW_CPU_MASK_TEXT];

	(void)state;
	assert_int_equal(tw_cpu_mask__parse("-1", 100000, mask, NULL), 0);
	assert_int_equal(strlen(mask), TW_CPU_MASK_TEXT - 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
