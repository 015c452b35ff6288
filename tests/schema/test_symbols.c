/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/symbols.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct tw_symbols *symbols;

static int setup(void **state)
{
	(void)state;
	symbols = tw_symbols__new();
	return !symbols;
}

static int teardown(void **state)
{
	(void)state;
	tw_symbols__free(symbols);
	return 0;
}

static void add(uint64_t address, uint64_t size, const char *name)
{
	assert_int_equal(tw_symbols__add(symbols, address, size, name, strlen(name), NULL, 0), 0);
}

static void expect(uint64_t address, const char *name, uint64_t start)
{
	struct tw_symbol found = { .address = 0 };

	if (!name) {
		assert_false(tw_symbols__find(symbols, address, &found));
		return;
	}
	assert_true(tw_symbols__find(symbols, address, &found));
	assert_string_equal(found.name, name);
	assert_int_equal(found.address, start);
}

static void test_extents(void **state)
{
	(void)state;
	expect(0x1000, NULL, 0);
	add(0x3000, 0, "last");
	add(0x1000, 0x10, "sized");
	add(0x2000, 0, "open");
	expect(0xfff, NULL, 0);
	expect(0x1000, "sized", 0x1000);
	expect(0x100f, "sized", 0x1000);
	expect(0x1010, NULL, 0);
	expect(0x2fff, "open", 0x2000);
	expect(0x3000, "last", 0x3000);
	expect(0x3001, NULL, 0);
	add(0x3000, 0x100, "later");
	add(0x4000, 0, "behind");
	expect(0x3000, "last", 0x3000);
	expect(0x3001, "last", 0x3000);
	expect(UINT64_MAX, NULL, 0);
	add(UINT64_MAX, 0, "end");
	expect(UINT64_MAX, "end", UINT64_MAX);
}

static void test_first_name_stays(void **state)
{
	(void)state;
	add(0x1000, 0x10, "first");
	add(0x1000, 0x10, "second");
	add(0x1000, 0x8, "smaller");
	expect(0x1000, "first", 0x1000);
	expect(0x1008, "first", 0x1000);
	assert_int_equal(tw_symbols__count(symbols), 1);
	/* An entry with a larger extent names addresses after the first one's end. */
	add(0x1000, 0x20, "further");
	add(0x800, 0, "before");
	expect(0x1000, "first", 0x1000);
	expect(0x1010, "further", 0x1000);
	expect(0x1020, NULL, 0);
	assert_int_equal(tw_symbols__count(symbols), 3);
}

/* Of aliases with growing extents, only the first and the largest are kept, even if symbols of other addresses are added in between. */
static void test_aliases(void **state)
{
	(void)state;
	add(0x1000, 0x10, "first");
	add(0x1000, 0x20, "second");
	add(0x1000, 0x30, "third");
	add(0x1000, 0x40, "fourth");
	assert_int_equal(tw_symbols__count(symbols), 2);
	expect(0x100f, "first", 0x1000);
	expect(0x1010, "fourth", 0x1000);
	expect(0x103f, "fourth", 0x1000);
	add(0x800, 0x10, "before");
	add(0x1000, 0x50, "fifth");
	add(0x900, 0x10, "between");
	assert_int_equal(tw_symbols__count(symbols), 4);
	expect(0x100f, "first", 0x1000);
	expect(0x104f, "fifth", 0x1000);
	expect(0x1050, NULL, 0);
}

/* Additions and look-ups alternate, with addresses in an unfavourable order. The results do not depend on the order. */
static void test_turns(void **state)
{
	const uint64_t n = 50021; /* a prime: every address below it occurs once */
	struct tw_symbol found;
	char name[32];

	(void)state;
	for (uint64_t i = 1; i < n; i++) {
		const uint64_t address = i * 31337 % n * 16;

		snprintf(name, sizeof(name), "s%lu", address);
		add(address, 16, name);
		expect(address + 15, name, address);
		expect(31337 * 16, "s501392", 31337 * 16);
	}
	assert_int_equal(tw_symbols__count(symbols), n - 1);
	for (size_t i = 0; i < n - 1; i++) {
		assert_true(tw_symbols__at(symbols, i, &found));
		assert_int_equal(found.address, (i + 1) * 16);
	}
	assert_false(tw_symbols__at(symbols, n - 1, &found));
}

static void test_limits(void **state)
{
	char name[TW_SYMBOL_NAME_MAX + 1];

	(void)state;
	memset(name, 'n', sizeof(name));
	assert_int_equal(tw_symbols__add(symbols, 1, 1, name, sizeof(name), NULL, 0), -E2BIG);
	assert_int_equal(tw_symbols__add(symbols, 1, 1, "x", 1, name, sizeof(name)), -E2BIG);
	assert_int_equal(tw_symbols__add(symbols, 1, 1, name, 0, NULL, 0), -EINVAL);
	assert_int_equal(tw_symbols__add(symbols, 1, 1, "\0x", 2, NULL, 0), -EINVAL);
	assert_int_equal(tw_symbols__add(symbols, 1, 1, name, TW_SYMBOL_NAME_MAX, "m", 1), 0);
	tw_symbols__free(NULL);
}

static void test_kallsyms(void **state)
{
	static const char text[] = "0000000000000000 A fixed_percpu_data\n"
				   "ffffffff81000000 T _stext\n"
				   "ffffffff81000000 T _text\n"
				   "no symbol\n"
				   "ffffffff81000100 t $a\n"
				   "ffffffff81000200 t inner\r\n"
				   "ffffffffc0000000 t helper\t[some_module]\n"
				   "ffffffffc0000100 t\n"
				   "ffffffffc0000200 t last\t[some_module]";
	struct tw_symbol found;

	(void)state;
	assert_int_equal(tw_symbols__parse(symbols, text, strlen(text)), 0);
	expect(0, NULL, 0);
	expect(0xffffffff81000180, "_stext", 0xffffffff81000000);
	expect(0xffffffff81000200, "inner", 0xffffffff81000200);
	assert_true(tw_symbols__find(symbols, 0xffffffffc0000010, &found));
	assert_string_equal(found.name, "helper");
	assert_string_equal(found.module, "some_module");
	expect(0xffffffffc0000201, NULL, 0);
	assert_int_equal(tw_symbols__parse(symbols, "", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_extents, setup, teardown),
		cmocka_unit_test_setup_teardown(test_first_name_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(test_aliases, setup, teardown),
		cmocka_unit_test_setup_teardown(test_turns, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kallsyms, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
