/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The distance between words, and the suggestions based on it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/nearest.h"

static void test_distance(void **state)
{
	static const struct {
		const char *a, *b;
		unsigned int distance;
	} cases[] = {
		{ "", "", 0 },
		{ "", "abc", 3 },
		{ "abc", "", 3 },
		{ "kitten", "sitting", 3 },
		{ "swich", "switch", 1 },
		{ "sched", "shced", 1 },
		{ "flaw", "lawn", 2 },
		{ "List", "list", 0 },
		{ "ca", "abc", 3 },
		{ "record", "recrod", 1 },
		{ "abcdef", "badcfe", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(tw_edit_distance(cases[i].a, cases[i].b, 10), cases[i].distance);
		assert_int_equal(tw_edit_distance(cases[i].b, cases[i].a, 10), cases[i].distance);
	}
}

static void test_limit(void **state)
{
	(void)state;
	assert_int_equal(tw_edit_distance("kitten", "sitting", 3), 3);
	assert_int_equal(tw_edit_distance("kitten", "sitting", 2), 3);
	assert_int_equal(tw_edit_distance("abc", "xyz", 0), 1);
}

static void test_long_words_are_far(void **state)
{
	char word[TW_NEAREST_WORD_MAX + 2];

	(void)state;
	memset(word, 'a', sizeof(word));
	word[TW_NEAREST_WORD_MAX] = '\0';
	assert_int_equal(tw_edit_distance(word, word, 5), 0);
	word[TW_NEAREST_WORD_MAX] = 'a';
	word[TW_NEAREST_WORD_MAX + 1] = '\0';
	assert_int_equal(tw_edit_distance(word, word, 5), 6);
}

static const char *nearest_of(const char *word, const char *const *candidates)
{
	struct tw_nearest nearest;

	tw_nearest__init(&nearest, word);
	for (; *candidates; candidates++)
		tw_nearest__offer(&nearest, *candidates);
	return nearest.best;
}

static void test_suggestions(void **state)
{
	static const char *const commands[] = { "live", "list", "record", "stream", NULL };

	(void)state;
	assert_string_equal(nearest_of("lst", commands), "list");
	assert_string_equal(nearest_of("liv", commands), "live");
	assert_string_equal(nearest_of("recrod", commands), "record");
	assert_null(nearest_of("zzzz", commands));
	assert_null(nearest_of("xy", commands));
	assert_null(nearest_of("test", commands));
	assert_null(nearest_of("duration", (const char *const[]){ "function", NULL }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_long_words_are_far),
		cmocka_unit_test(test_suggestions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
