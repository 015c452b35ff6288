/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/strings.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct tw_strings *strings;

static int setup(void **state)
{
	(void)state;
	strings = tw_strings__new();
	return !strings;
}

static int teardown(void **state)
{
	(void)state;
	tw_strings__free(strings);
	return 0;
}

static int parse(const char *text)
{
	return tw_strings__parse(strings, text, strlen(text));
}

static void test_escapes(void **state)
{
	(void)state;
	assert_null(tw_strings__find(strings, 0));
	assert_int_equal(parse("0xffffffff82819430 : \"a \\\"b\\\" : %d\\t%s\\\\\\n\"\n0xffffffff82819440 : \"\"\n"),
			 0);
	assert_string_equal(tw_strings__find(strings, 0xffffffff82819430), "a \"b\" : %d\t%s\\\n");
	assert_string_equal(tw_strings__find(strings, 0xffffffff82819440), "");
	assert_null(tw_strings__find(strings, 0xffffffff82819431));
}

static void test_other_shapes(void **state)
{
	(void)state;
	assert_int_equal(
		parse("\n0x10\n0x11 : \n0x12 : \"\n0x13 : \"open\nzz : \"x\"\n: \"x\"\n0x14 \"x\"\n0x15 : \"kept\""),
		0);
	for (uint64_t i = 0; i < 0x15; i++)
		assert_null(tw_strings__find(strings, i));
	assert_string_equal(tw_strings__find(strings, 0x15), "kept");
}

static void test_later_outweighs(void **state)
{
	(void)state;
	assert_int_equal(parse("0x1 : \"one\"\n0x2 : \"two\"\n"), 0);
	assert_int_equal(parse("0x1 : \"uno\"\n"), 0);
	assert_string_equal(tw_strings__find(strings, 1), "uno");
	assert_string_equal(tw_strings__find(strings, 2), "two");
}

/* The counted size equals the allocated size, for any bytes of a text. */
static void test_memory(void **state)
{
	const size_t empty = tw_strings__memory(strings);
	static char text[32 * 1024];
	size_t one;

	(void)state;
	assert_int_equal(parse("0x1 : \"a\""), 0);
	one = tw_strings__memory(strings);
	assert_true(one > empty);
	assert_int_equal(parse("0x1 : \"b\""), 0);
	assert_int_equal(tw_strings__memory(strings), one);

	memset(text, 'x', sizeof(text));
	memcpy(text, "0x1 : \"a", 8);
	text[sizeof(text) - 1] = '"';
	assert_int_equal(tw_strings__parse(strings, text, sizeof(text)), 0);
	assert_int_equal(tw_strings__memory(strings), one + sizeof(text) - 9);
	text[8] = '\0'; /* ends the text for all readers */
	assert_int_equal(tw_strings__parse(strings, text, sizeof(text)), 0);
	assert_string_equal(tw_strings__find(strings, 1), "a");
	assert_int_equal(tw_strings__memory(strings), one);
	assert_int_equal(parse("0x1 : \"\\\\\""), 0);
	assert_string_equal(tw_strings__find(strings, 1), "\\");
	assert_int_equal(tw_strings__memory(strings), one);
}

/* Return: CPU time to fill a table with the multiples of @step. */
static clock_t time_of_filling(uint64_t step)
{
	const clock_t began = clock();
	char line[64];

	tw_strings__free(strings);
	strings = tw_strings__new();
	assert_non_null(strings);
	for (uint64_t i = 0; i < TW_STRINGS_MAX; i++) {
		snprintf(line, sizeof(line), "0x%llx : \"%u\"", (unsigned long long)(i * step), (unsigned int)i);
		assert_int_equal(parse(line), 0);
	}
	assert_string_equal(tw_strings__find(strings, 77 * step), "77");
	return clock() - began;
}

/* Addresses that would collide in a hash without a seed, because the product of their step and its first factor is 1. */
static void test_chosen_addresses(void **state)
{
	const clock_t ordinary = time_of_filling(16);

	(void)state;
	assert_true(time_of_filling(0xf1de83e19937733du) < 10 * ordinary + CLOCKS_PER_SEC / 5);
}

static void test_limit(void **state)
{
	char line[64];

	(void)state;
	for (unsigned int i = 0; i < TW_STRINGS_MAX; i++) {
		snprintf(line, sizeof(line), "0x%x : \"%u\"", i * 16, i);
		assert_int_equal(parse(line), 0);
	}
	assert_int_equal(parse("0xffffffffff : \"one more\""), -E2BIG);
	assert_int_equal(parse("0x10 : \"again\""), 0);
	assert_string_equal(tw_strings__find(strings, 0x10), "again");
	assert_string_equal(tw_strings__find(strings, 0xffff0), "65535");
	tw_strings__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_escapes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_shapes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_later_outweighs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_chosen_addresses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limit, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
