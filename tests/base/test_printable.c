/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes become a text that is safe for a terminal, JSON and XML. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/printable.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_table(void **state)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "", "" },
		{ "plain ~", "plain ~" },
		{ "a plain text that is longer than thirty-two bytes\x1b",
		  "a plain text that is longer than thirty-two bytes\\x1b" },
		{ "a\\b \\x2d", "a\\b \\x2d" }, /* a backslash is an ordinary character */
		{ "es\x1b[31m", "es\\x1b[31m" },
		{ "line\nline\ttab\r\x7f", "line\\x0aline\\x09tab\\x0d\\x7f" },
		{ "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7",
		  "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7" },
		{ "c1 \xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "c1 \\xc2\\x80\\xc2\\x9b\\xc2\\x9f\xc2\xa0" },
		{ "c1 \x9b", "c1 \\x9b" }, /* a C1 control character as a single byte */
		{ "latin\xfc!", "latin\\xfc!" },
		{ "cut\xe2\x82", "cut\\xe2\\x82" },
		{ "cut\xe2\x82z", "cut\\xe2\\x82z" },
		{ "\xc0\x80 \xe0\x9f\xbf \xf0\x8f\xbf\xbf",
		  "\\xc0\\x80 \\xe0\\x9f\\xbf \\xf0\\x8f\\xbf\\xbf" }, /* overlong */
		{ "\xed\x9f\xbf \xed\xa0\x80 \xed\xbf\xbf",
		  "\xed\x9f\xbf \\xed\\xa0\\x80 \\xed\\xbf\\xbf" }, /* surrogates */
		{ "\xf4\x8f\xbf\xbd \xf4\x90\x80\x80 \xf5\x80\x80\x80",
		  "\xf4\x8f\xbf\xbd \\xf4\\x90\\x80\\x80 \\xf5\\x80\\x80\\x80" },
		{ "\xd8\x9b\xd8\x9c\xd8\x9d", "\xd8\x9b\\xd8\\x9c\xd8\x9d" }, /* U+061C */
		{ "\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90",
		  "\xe2\x80\x8d\\xe2\\x80\\x8e\\xe2\\x80\\x8f\xe2\x80\x90" }, /* U+200E, U+200F */
		{ "\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xae\xe2\x80\xaf",
		  "\xe2\x80\xa7\\xe2\\x80\\xa8\\xe2\\x80\\xae\xe2\x80\xaf" }, /* U+2028 to U+202E */
		{ "\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa",
		  "\xe2\x81\xa5\\xe2\\x81\\xa6\\xe2\\x81\\xa9\xe2\x81\xaa" },  /* U+2066 to U+2069 */
		{ "\xef\xbb\xbf\xef\xbb\xbe", "\\xef\\xbb\\xbf\xef\xbb\xbe" }, /* U+FEFF */
		{ "\xef\xbf\xb8\xef\xbf\xb9\xef\xbf\xbb\xef\xbf\xbc\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf",
		  "\xef\xbf\xb8\\xef\\xbf\\xb9\\xef\\xbf\\xbb\xef\xbf\xbc\xef\xbf\xbd\\xef\\xbf\\xbe\\xef\\xbf\\xbf" },
	};
	char to[128];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const size_t len = strlen(cases[i].from);

		tw_printable__copy(to, sizeof(to), cases[i].from, len);
		assert_string_equal(to, cases[i].to);
		assert_int_equal(tw_printable__shown_len(cases[i].from, len), strlen(to));
		assert_int_equal(tw_printable__plain(to, strlen(to)), strlen(to));
	}
	tw_printable__copy(to, sizeof(to), "nul\0!", 5);
	assert_string_equal(to, "nul\\x00!");
}

static void test_cut(void **state)
{
	static const struct {
		const char *from, *to;
		size_t size;
	} cases[] = {
		{ "plain", "", 1 },
		{ "plain", "pla", 4 },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc", 6 }, /* never cut inside a character */
		{ "\x1b\x1b!", "\\x1b", 8 },               /* never cut inside an escape sequence */
		{ "\x1b\x1b!", "\\x1b\\x1b", 9 },
		{ "\x1b\x1b!", "\\x1b\\x1b!", 10 },
		{ "a\x1b gr\xc3\xbc", "a\\x1b gr", 10 },
	};
	char to[16];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		tw_printable__copy(to, cases[i].size, cases[i].from, strlen(cases[i].from));
		assert_string_equal(to, cases[i].to);
	}
}

/* TW_LINE_TEXT escapes line breaks of quoted text, and keeps those that the writer adds as layout; TW_LINE_FLAT turns these into blanks. */
static void test_layout(void **state)
{
	static const struct {
		enum tw_line_kind kind;
		const char *to;
	} cases[] = {
		{ TW_LINE_BYTES, "a\nb\x1b\n\t=> c\n" },
		{ TW_LINE_TEXT, "a\\x0ab\\x1b\n\t=> c\n" },
		{ TW_LINE_FLAT, "a\\x0ab\\x1b  => c" },
	};
	char to[64];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tw_line line = tw_line__of(to, sizeof(to), cases[i].kind);

		tw_line__str(&line, "a\nb\x1b");
		tw_printable__layout(&line, "\n\t=> ");
		tw_line__str(&line, "c\n");
		tw_printable__end(&line);
		tw_line__char(&line, '\0');
		assert_string_equal(to, cases[i].to);
	}
}

/* For any bytes and any size, the output fits, is valid UTF-8, needs no escapes, and stays the same when escaped again. */
static void test_any(void **state)
{
	uint8_t from[80];
	char to[128], again[128];

	(void)state;
	srand(1);
	for (int i = 0; i < 300000; i++) {
		const size_t len = (size_t)rand() % sizeof(from), size = 1 + (size_t)rand() % sizeof(to);
		const int kind = rand() % 3;

		for (size_t k = 0; k < len; k++)
			from[k] = (uint8_t)(kind && rand() % (1 << 3 * kind) ? 'a'
					    : rand() % 2                     ? rand()
									     : 0xc0 | rand() % 64);
		memset(to, 0x55, sizeof(to));
		tw_printable__copy(to, size, from, len);
		assert_true(strnlen(to, size) < size);
		assert_int_equal(tw_printable__plain(to, strlen(to)), strlen(to));
		tw_printable__copy(again, sizeof(again), to, strlen(to));
		assert_string_equal(to, again);
		if (tw_printable__shown_len(from, len) < size)
			assert_int_equal(strlen(to), tw_printable__shown_len(from, len));
	}
}

/* Error texts quote untrusted bytes, and are cut if they are too long. */
static void test_error(void **state)
{
	char name[600];
	struct tw_error err;

	(void)state;
	assert_int_equal(tw_error__set(&err, -1, "'%s' is none", "\x1b]0;\xe2\x80\xae\n"), -1);
	assert_string_equal(err.text, "'\\x1b]0;\\xe2\\x80\\xae\\x0a' is none");
	memset(name, 0xe2, sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	tw_error__set(&err, 0, "%s", name);
	assert_int_equal(tw_printable__plain(err.text, sizeof(err.text)), strlen(err.text));
	memset(name, 'x', sizeof(name) - 1);
	for (int len = sizeof(err.text) - 8; len < (int)sizeof(err.text);
	     len++) { /* the remedy for EMFILE fits only in part */
		tw_error__set(&err, -EMFILE, "%.*s", len, name);
		assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	}
}

/* Texts are cut between two characters; invalid bytes are cut anywhere. */
static void test_cut_length(void **state)
{
	static const struct {
		const char *text;
		size_t most, len;
	} cases[] = {
		{ "", 0, 0 },
		{ "abc", 3, 3 },
		{ "abc", 4, 3 },
		{ "abc", 2, 2 },
		{ "a\xe2\x82\xac", 4, 4 },
		{ "a\xe2\x82\xac", 3, 1 },
		{ "a\xe2\x82\xac", 2, 1 },
		{ "a\xe2\x82\xac", 1, 1 },
		{ "\xf0\x9f\x90\xa7", 3, 0 },
		{ "\xc3\xbc\xc3\xbc", 3, 2 },
		{ "\xe2\x82", 2, 2 }, /* not cut: the input was already invalid */
		{ "\xbc\xbc\xbc\xbc\xbc", 4, 4 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(tw_printable__cut(cases[i].text, strlen(cases[i].text), cases[i].most), cases[i].len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_length), cmocka_unit_test(test_table), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_layout),     cmocka_unit_test(test_any),   cmocka_unit_test(test_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
