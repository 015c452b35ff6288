/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as users type them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define REFUSED  UINT64_MAX

static const struct tw_number_rule bytes = { .max = 1ull << 40, .unit = 1 };
static const struct tw_number_rule kib = { .max = 1ull << 40, .unit = 1024 };
static const struct tw_number_rule kilobytes = { .min = 1000, .max = 1ull << 50, .unit = 1000 };
static const struct tw_number_rule few = { .min = 3, .max = 5 };

static void test_parse(void **state)
{
	static const struct {
		const char *text;
		const struct tw_number_rule *rule;
		uint64_t value;
	} cases[] = {
		{ "0", NULL, 0 },
		{ "007", NULL, 7 },
		{ "18446744073709551614", NULL, UINT64_MAX - 1 },
		{ "3", &few, 3 },
		{ "5", &few, 5 },
		{ "100", &bytes, 100 },
		{ "1K", &bytes, 1024 },
		{ "3M", &bytes, 3 << 20 },
		{ "2G", &bytes, 2ull << 30 },
		{ "1024G", &bytes, 1ull << 40 },
		{ "64", &kib, 64 << 10 },
		{ "64K", &kib, 64 << 10 },
		{ "64M", &kib, 64 << 20 },
		{ "1", &kilobytes, 1000 },
		{ "1K", &kilobytes, 1024 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t value = REFUSED;

		assert_int_equal(tw_number__parse(cases[i].text, cases[i].rule, &value, NULL), 0);
		assert_true(value == cases[i].value);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *why;
		const struct tw_number_rule *rule;
		const char *texts[5];
	} cases[] = {
		{ "is not a number: write digits only, such as 100", NULL, { "", "x", "-1", "+1", " 1" } },
		{ "because of character 2", NULL, { "1 ", "0x10", "1e3", "1K" } },
		{ "because of character 3", NULL, { "12.5" } },
		{ "18446744073709551615 is the largest", NULL, { "18446744073709551616" } },
		{ "too large", NULL, { "99999999999999999999999999" } },
		{ "from 3 to 5", &few, { "2", "6" } },
		{ "not a number", &bytes, { "K" } },
		{ "K, M or G", &bytes, { "1k" } },
		{ "because of character 3", &bytes, { "1KB" } },
		{ "1099511627776 is the largest", &bytes, { "1025G" } },
		{ "too large", &bytes, { "18446744073709551615G" } },
		{ "1073741824 is the largest", &kib, { "1073741825" } },
		{ "too large", &kib, { "18446744073709551615" } },
		{ "from 1 to", &kilobytes, { "0" } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		for (size_t k = 0; k < COUNT(cases[i].texts) && cases[i].texts[k]; k++) {
			struct tw_error err = { "" };
			uint64_t value = REFUSED;

			assert_int_equal(tw_number__parse(cases[i].texts[k], cases[i].rule, &value, &err), -EINVAL);
			assert_true(value == REFUSED);
			if (!strstr(err.text, cases[i].why))
				fail_msg("'%s': '%s'", cases[i].texts[k], err.text);
		}
	}
}

static void test_decimal(void **state)
{
	static const struct {
		const char *text;
		uint64_t whole; /* REFUSED: tw_number__decimal() refuses @text */
		uint32_t billionths;
		const char *rest;
	} cases[] = {
		{ "60", 60, 0, "" },          { "0.5s", 0, 500000000, "s" },
		{ ".25", 0, 250000000, "" },  { "1.", 1, 0, "" },
		{ "1.0000000019", 1, 1, "" }, { "3.141592653589", 3, 141592653, "" },
		{ "0x10", 0, 0, "x10" },      { "1e3", 1, 0, "e3" },
		{ ".", REFUSED, 0, "" },      { "", REFUSED, 0, "" },
		{ "-1", REFUSED, 0, "" },     { "inf", REFUSED, 0, "" },
		{ "nan", REFUSED, 0, "" },    { "18446744073709551616", REFUSED, 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *at = cases[i].text;
		uint64_t whole;
		uint32_t billionths;
		const bool read = tw_number__decimal(&at, &whole, &billionths);

		assert_int_equal(read, cases[i].whole != REFUSED);
		if (!read)
			continue;
		assert_int_equal(whole, cases[i].whole);
		assert_int_equal(billionths, cases[i].billionths);
		assert_string_equal(at, cases[i].rest);
	}
}

static void test_hex(void **state)
{
	const char *at = "fFFffffffffffffe,", *large = "10000000000000000", *none = "x";
	uint64_t value;

	(void)state;
	assert_true(tw_number__hex(&at, &value));
	assert_true(value == UINT64_MAX - 1);
	assert_string_equal(at, ",");
	assert_false(tw_number__hex(&large, &value));
	assert_false(tw_number__hex(&none, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_decimal),
		cmocka_unit_test(test_hex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
