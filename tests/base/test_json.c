/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON written to lines and to files: commas, brackets, line breaks, and strings of any bytes. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void put_everything(struct tw_json *json)
{
	tw_json__open(json, NULL, '{');
	tw_json__str(json, "text", "a");
	tw_json__open(json, "none", '[');
	tw_json__close(json);
	tw_json__open(json, "numbers", '[');
	tw_json__u64(json, NULL, UINT64_MAX);
	tw_json__i64(json, NULL, INT64_MIN);
	tw_json__u64_str(json, NULL, UINT64_MAX);
	tw_json__i64_str(json, NULL, INT64_MIN);
	tw_json__close(json);
	tw_json__open(json, "inner", '{');
	tw_json__bool(json, "yes", true);
	tw_json__open(json, "empty", '{');
	tw_json__close(json);
	tw_json__null(json, "null");
	tw_json__close(json);
	tw_json__id(json, "id", 0xabc);
	tw_json__seconds(json, "seconds", 1000000002);
	tw_line__str(tw_json__value(json, "raw"), "0.5");
	tw_json__close(json);
}

static void test_styles(void **state)
{
	static const char *const expected[] = {
		"{\"text\":\"a\",\"none\":[],\"numbers\":[18446744073709551615,-9223372036854775808,"
		"\"18446744073709551615\",\"-9223372036854775808\"],"
		"\"inner\":{\"yes\":true,\"empty\":{},\"null\":null},\"id\":\"0000000000000abc\",\"seconds\":\"1.000000002\",\"raw\":0.5}\n",
		"{\"text\": \"a\", \"none\": [], \"numbers\": [18446744073709551615, -9223372036854775808, "
		"\"18446744073709551615\", \"-9223372036854775808\"], "
		"\"inner\": {\"yes\": true, \"empty\": {}, \"null\": null}, \"id\": \"0000000000000abc\", \"seconds\": \"1.000000002\", \"raw\": 0.5}\n",
	};
	struct tw_json json;
	char text[512];

	(void)state;
	for (size_t i = 0; i < COUNT(expected); i++) {
		struct tw_line line = tw_line__on(text, sizeof(text));

		tw_json__to_line(&json, &line, i);
		put_everything(&json);
		assert_int_equal(tw_line__len(&line), strlen(expected[i]));
		assert_memory_equal(text, expected[i], strlen(expected[i]));
	}
}

static void test_unknown_values_are_null(void **state)
{
	static const char expected[] =
		"{\"a\":null,\"b\":\"x\",\"c\":null,\"d\":18446744073709551614,\"e\":null,\"f\":\"0.000000001\"}\n";
	char text[512];
	struct tw_line line = tw_line__on(text, sizeof(text));
	struct tw_json json;

	(void)state;
	tw_json__to_line(&json, &line, false);
	tw_json__open(&json, NULL, '{');
	tw_json__str_or_null(&json, "a", "");
	tw_json__str_or_null(&json, "b", "x");
	tw_json__u64_or_null(&json, "c", UINT64_MAX);
	tw_json__u64_or_null(&json, "d", UINT64_MAX - 1);
	tw_json__seconds_or_null(&json, "e", 0);
	tw_json__seconds_or_null(&json, "f", 1);
	tw_json__close(&json);
	assert_int_equal(tw_line__len(&line), strlen(expected));
	assert_memory_equal(text, expected, strlen(expected));
}

static void test_lines(void **state)
{
	static const char expected[] = "{\n"
				       "  \"version\": \"1\",\n"
				       "  \"checks\": [\n"
				       "    {\"a\": 1, \"b\": [2, 3]},\n"
				       "    {}\n"
				       "  ],\n"
				       "  \"none\": []\n"
				       "}\n";
	char text[512];
	struct tw_line line = tw_line__on(text, sizeof(text));
	struct tw_json json;

	(void)state;
	tw_json__to_line(&json, &line, true);
	tw_json__open(&json, NULL, '{');
	tw_json__lines(&json);
	tw_json__str(&json, "version", "1");
	tw_json__open(&json, "checks", '[');
	tw_json__lines(&json);
	tw_json__open(&json, NULL, '{');
	tw_json__u64(&json, "a", 1);
	tw_json__open(&json, "b", '[');
	tw_json__u64(&json, NULL, 2);
	tw_json__u64(&json, NULL, 3);
	tw_json__close(&json);
	tw_json__close(&json);
	tw_json__open(&json, NULL, '{');
	tw_json__close(&json);
	tw_json__close(&json);
	tw_json__open(&json, "none", '[');
	tw_json__lines(&json);
	tw_json__close(&json);
	tw_json__close(&json);
	assert_int_equal(tw_line__len(&line), strlen(expected));
	assert_memory_equal(text, expected, strlen(expected));
}

static void test_strings(void **state)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "", "" },
		{ "a\"b\\c", "a\\\"b\\\\c" },
		{ "\x1b\n\t\xff\xe2\x80\xae", "\\\\x1b\\\\x0a\\\\x09\\\\xff\\\\xe2\\\\x80\\\\xae" },
		{ "gr\xc3\xbc", "gr\xc3\xbc" },
	};
	char text[128], expected[128];
	struct tw_json json;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tw_line line = tw_line__on(text, sizeof(text) - 1);

		tw_json__to_line(&json, &line, false);
		tw_json__open(&json, NULL, '{');
		tw_json__str(&json, cases[i].from, cases[i].from);
		tw_json__close(&json);
		*line.at = '\0';
		snprintf(expected, sizeof(expected), "{\"%s\":\"%s\"}\n", cases[i].to, cases[i].to);
		assert_string_equal(text, expected);
	}
}

/* Opens @depth arrays, and closes them. */
static void nest(struct tw_line *line, unsigned int depth)
{
	struct tw_json json;

	tw_json__to_line(&json, line, false);
	for (unsigned int i = 0; i < depth; i++)
		tw_json__open(&json, NULL, '[');
	for (unsigned int i = 0; i < depth; i++)
		tw_json__close(&json);
}

static void test_depth(void **state)
{
	static const char expected[] = "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]\n";
	char text[sizeof(expected)];
	struct tw_line line = tw_line__on(text, sizeof(text));

	(void)state;
	nest(&line, TW_JSON_DEPTH_MAX);
	assert_int_equal(tw_line__len(&line), sizeof(expected) - 1);
	assert_memory_equal(text, expected, sizeof(expected) - 1);
}

#ifndef NDEBUG
static void test_too_deep(void **state)
{
	const struct rlimit no_core = { 0, 0 };
	char text[64];
	struct tw_line line = tw_line__on(text, sizeof(text));
	const pid_t pid = fork();
	int status;

	(void)state;
	if (!pid) {
		signal(SIGABRT, SIG_DFL);
		setrlimit(RLIMIT_CORE, &no_core);
		close(STDERR_FILENO);
		nest(&line, TW_JSON_DEPTH_MAX + 1);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
#endif

/* In a printable text, line breaks and tabs become escapes of JSON. Other control characters do not occur, but would also be valid JSON. */
static void test_printable(void **state)
{
	static const char expected[] = "[\"a\\n\\tb\\\"\\\\\\u0001\\\\x1b\"]\n";
	char text[64];
	struct tw_line line = tw_line__on(text, sizeof(text) - 1);
	struct tw_json json;

	(void)state;
	tw_json__to_line(&json, &line, false);
	tw_json__open(&json, NULL, '[');
	tw_json__printable(&json, NULL, "a\n\tb\"\\\x01\\x1b", 11);
	tw_json__close(&json);
	*line.at = '\0';
	assert_string_equal(text, expected);
}

static void put_strings(struct tw_json *json, const char *bytes, size_t size)
{
	tw_json__open(json, NULL, '[');
	for (size_t len = 0; len < size; len += 7) {
		tw_json__open(json, NULL, '{');
		tw_json__text(json, "text", bytes + size - len, len);
		tw_json__open(json, "deep", '[');
		tw_json__open(json, NULL, '[');
		tw_json__open(json, NULL, '[');
		tw_json__close(json);
		tw_json__close(json);
		tw_json__close(json);
		tw_json__close(json);
	}
	tw_json__close(json);
}

/*
 * JSON written to a file through the small buffer equals JSON written to a long line. The texts have many lengths, characters of several
 * bytes, and bytes that become escapes, so that the buffer ends at many different places in a text.
 */
static void test_file(void **state)
{
	static const char *const parts[] = { "\xff", "\xf0\x9f\x90\xa7", "\xe2\x80\xae", "\"", "ab", "\n" };
	char bytes[1400], *text = malloc(4 << 20), *written = NULL;
	struct tw_line line = tw_line__on(text, 4 << 20);
	struct tw_json json;
	size_t len = 0, written_len;
	FILE *out;

	(void)state;
	srand(1);
	while (len < sizeof(bytes) - 4) {
		const char *part = parts[(size_t)rand() % COUNT(parts)];

		memcpy(bytes + len, part, strlen(part));
		len += strlen(part);
	}
	tw_json__to_line(&json, &line, true);
	put_strings(&json, bytes, len);
	assert_false(line.cut);
	out = open_memstream(&written, &written_len);
	assert_non_null(out);
	tw_json__to_file(&json, out, true);
	put_strings(&json, bytes, len);
	fclose(out);
	assert_int_equal(written_len, tw_line__len(&line));
	assert_memory_equal(written, text, written_len);
	free(written);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_styles),    cmocka_unit_test(test_unknown_values_are_null),
		cmocka_unit_test(test_lines),     cmocka_unit_test(test_strings),
		cmocka_unit_test(test_printable), cmocka_unit_test(test_file),
		cmocka_unit_test(test_depth),
#ifndef NDEBUG
		cmocka_unit_test(test_too_deep),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
