/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filter/glob.h"

static bool fits(const char *pattern, const char *text)
{
	return tw_glob__matches((const uint8_t *)pattern, strlen(pattern), (const uint8_t *)text, strlen(text));
}

static void one_pattern_one_verdict(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool fits;
	} cases[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "a", "", false },
		{ "a", "a", true },
		{ "a", "A", false },
		{ "a", "ab", false },
		{ "*", "", true },
		{ "*", "anything", true },
		{ "**", "x", true },
		{ "a*", "a", true },
		{ "*a", "bca", true },
		{ "*a", "ab", false },
		{ "kworker/*", "kworker/0:1", true },
		{ "kworker/?:*", "kworker/0:1", true },
		{ "kworker/?:*", "kworker/10:1", false },
		{ "*a*b*c*", "xxaxxbxxc", true },
		{ "*a*b*c*", "xxcxxbxxa", false },
		{ "*ab", "aab", true },
		{ "a?c", "abc", true },
		{ "a?", "a", false },
		{ "[a-c]x", "bx", true },
		{ "[a-c]x", "dx", false },
		{ "[!a-c]x", "dx", true },
		{ "[!a-c]x", "ax", false },
		{ "[c-a]", "b", false },
		{ "[abc]", "c", true },
		{ "[]]", "]", true },
		{ "[]a]", "a", true },
		{ "[!]]", "]", false },
		{ "[!]]", "x", true },
		{ "[a-]", "-", true },
		{ "[a-]", "b", false },
		{ "[-a]", "-", true },
		{ "[a", "[a", true },
		{ "[a", "a", false },
		{ "[", "[", true },
		{ "[!", "[!", true },
		{ "[a-", "[a-", true },
		{ "*[", "x[", true },
		{ "[]", "[]", true },
		{ "[\\]", "\\", true },
		{ "\\*", "*", true },
		{ "\\*", "x", false },
		{ "\\[a]", "[a]", true },
		{ "\\a", "a", true },
		{ "a\\", "a", true },
		{ "a\\", "a\\", false },
		{ "*\\", "abc", true },
		{ "[\x80-\xff]", "\xe4", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (fits(cases[i].pattern, cases[i].text) != cases[i].fits)
			fail_msg("'%s' ~ '%s' is not %d", cases[i].text, cases[i].pattern, cases[i].fits);
}

/* Matches a text, slowly and simply, with a table of all prefixes; only for patterns of literals, ? and *. */
static bool fits_by_table(const char *pattern, const char *text)
{
	const size_t p_len = strlen(pattern), t_len = strlen(text);
	bool table[16][16] = { { false } };

	table[0][0] = true;
	for (size_t p = 1; p <= p_len; p++)
		for (size_t t = 0; t <= t_len; t++) {
			const char c = pattern[p - 1];

			if (c == '*')
				table[p][t] = table[p - 1][t] || (t && table[p][t - 1]);
			else
				table[p][t] = t && table[p - 1][t - 1] && (c == '?' || c == text[t - 1]);
		}
	return table[p_len][t_len];
}

static void random_text(unsigned int *seed, const char *alphabet, char *ret, size_t most)
{
	const size_t len = (size_t)rand_r(seed) % (most + 1);

	for (size_t i = 0; i < len; i++)
		ret[i] = alphabet[(size_t)rand_r(seed) % strlen(alphabet)];
	ret[len] = '\0';
}

static void agrees_with_the_table(void **state)
{
	unsigned int seed = 4, fitting = 0;
	char pattern[12], text[12];

	(void)state;
	for (int i = 0; i < 200000; i++) {
		random_text(&seed, "ab*?*", pattern, 10);
		random_text(&seed, "ab", text, 10);
		fitting += fits(pattern, text);
		if (fits(pattern, text) != fits_by_table(pattern, text))
			fail_msg("'%s' ~ '%s'", text, pattern);
	}
	assert_in_range(fitting, 20000, 180000);
}

/* The time grows with the product of the lengths, not exponentially with the number of stars. */
static void many_stars_end_soon(void **state)
{
	enum { PAIRS = 500, TEXT = 60000 };
	uint8_t pattern[2 * PAIRS + 1], *text = test_malloc(TEXT);

	(void)state;
	for (int i = 0; i < PAIRS; i++)
		memcpy(pattern + 2 * i, "*a", 2);
	pattern[2 * PAIRS] = 'b';
	memset(text, 'a', TEXT);
	assert_false(tw_glob__matches(pattern, sizeof(pattern), text, TEXT));
	test_free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_pattern_one_verdict),
		cmocka_unit_test(agrees_with_the_table),
		cmocka_unit_test(many_stars_end_soon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
