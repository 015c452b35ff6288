/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes become a text that a terminal can be given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static void test_copy(void **state)
{
	static const struct {
		const char *from, *to;
		size_t size;
	} cases[] = {
		{ "plain", "plain", 32 },
		{ "", "", 1 },
		{ "plain", "", 1 },
		{ "plain", "pla", 4 },
		{ "es\x1b[31m", "es?[31m", 32 },
		{ "line\nline\x7f", "line?line?", 32 },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", 32 },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc", 6 }, /* never half a character */
		{ "c1\xc2\x9b!", "c1?!", 32 },
		{ "latin\xfc!", "latin?!", 32 },
		{ "cut\xe2\x82", "cut??", 32 },
		{ "\xc0\x80\xed\xa0\x80", "?????", 32 }, /* overlong, a surrogate */
	};
	char to[32];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tw_text__copy(to, cases[i].size, cases[i].from, strlen(cases[i].from));
		assert_string_equal(to, cases[i].to);
	}
}

/* Whatever comes: within the size, UTF-8 to its end, and no control characters. */
static void test_any(void **state)
{
	uint8_t from[24];
	char to[16];

	(void)state;
	srand(1);
	for (int i = 0; i < 100000; i++) {
		const size_t len = (size_t)rand() % sizeof(from), size = 1 + (size_t)rand() % sizeof(to);

		for (size_t k = 0; k < len; k++)
			from[k] = (uint8_t)(rand() % 2 ? rand() : 0xc0 | rand() % 64);
		memset(to, 0x55, sizeof(to));
		tw_text__copy(to, size, from, len);
		assert_true(strnlen(to, size) < size);
		for (size_t k = 0; to[k];) {
			const size_t n = tw_text__utf8((const uint8_t *)to + k, strlen(to + k));

			assert_true(n > 0);
			assert_true((uint8_t)to[k] >= 0x20 && to[k] != 0x7f);
			k += n;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_copy), cmocka_unit_test(test_any) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
