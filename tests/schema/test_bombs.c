/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print fmts that need much time or memory. Some are about as long as a format text may be. Each is compiled or refused, and then run. Both
 * steps have time limits, which are so high that even a busy machine or a build with sanitizers stays below them. An algorithm with
 * superlinear time would exceed them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "schema/print.h"
#include "tests/schema/texts.h"

#define RUNS           20
#define COMPILE_NS_MAX 1000000000
#define RUN_NS_MAX     50000000 /* of one run */

static const char head[] =
	"name: bomb\nID: 300\nformat:\n" COMMON_FIELDS FIELD("int a", 8, 4, 1) FIELD("char s[16]", 12, 16, 0)
		FIELD("__data_loc u8[] list", 28, 4, 0) FIELD("__data_loc char[] str", 32, 4, 0) "\nprint fmt: ";

/*
 * The parts of a print fmt, in this order: @before, @opening, @between, @closing, @after. @opening and @closing are repeated @n times, or
 * less often if they do not fit.
 */
static const struct bomb {
	const char *name, *before, *opening, *between, *closing, *after;
	uint32_t n;
	bool refused;
} bombs[] = {
	{ "open parentheses", "\"%d\", ", "(", "", "", "", UINT32_MAX, true },
	{ "parentheses", "\"%d\", ", "(", "REC->a", ")", "", 100000, true },
	{ "ternaries", "\"%d\", ", "REC->a ? ", "1", " : 2", "", 15000, true },
	{ "a chain of ternaries", "\"%d\", ", "REC->a == 1 ? 2 : ", "3", "", "", 12000, true },
	{ "texts of ternaries", "\"%s\", ", "REC->a == 1 ? \"x\" : ", "\"y\"", "", "", 10000, true },
	{ "unary operators", "\"%d\", ", "~-!", "REC->a", "", "", UINT32_MAX, true },
	{ "a sum", "\"%d\", REC->a", " + REC->a", "", "", "", UINT32_MAX, true },
	{ "a sum of constants", "\"%d\", 1", " + 1", "", "", "", UINT32_MAX, false },
	{ "indexes", "\"%d\", REC->s", "[REC->s", "[1]", "]", "", 20000, true },
	{ "casts", "\"%d\", ", "(int)", "REC->a", "", "", UINT32_MAX, true },
	{ "a large table", "\"%s\", __print_symbolic(REC->a", ", { 1, \"x\" }", "", "", ")", UINT32_MAX, true },
	{ "large flags", "\"%s\", __print_flags(REC->a, \"|\"", ", { 1, \"flag\" }", "", "", ")", UINT32_MAX, true },
	{ "conversions", "\"", "%d", "\"", ", REC->a", "", 20000, true },
	{ "a string again and again", "\"", "%s", "\"", ", REC->s", "", 20000, true },
	{ "arrays", "\"", "%s", "\"", ", __print_array(__get_dynamic_array(list), 65535, 1)", "", 3000, false },
	{ "long strings of no width", "\"", "%.0s", "\"", ", __get_str(str)", "", 2000, false },
	{ "empty dumps", "\"", "%.0s", "\"", ", __print_hex(__get_dynamic_array(list), 0)", "", 2000, false },
	{ "bits", "\"", "%s", "\"", ", __get_bitmask(list)", "", 2000, false },
	{ "widths", "\"", "%*d", "\"", ", 2000000000, REC->a", "", 2000, false },
	{ "a wide number", "\"%2147483647d %.2147483647d %-99999999999999999999s\", REC->a, REC->a, \"x\"", "", "", "",
	  "", 0, false },
	{ "a long string", "\"", "x", "", "", "\"", UINT32_MAX, true },
	{ "strings", "", "\"x\" ", "", "", "", UINT32_MAX, false },
};

static size_t append(char *text, size_t len, const char *piece, uint32_t n, size_t reserve)
{
	const size_t size = strlen(piece);

	while (size && n-- && len + size + reserve <= TW_FORMAT_TEXT_MAX) {
		memcpy(text + len, piece, size);
		len += size;
	}
	return len;
}

static struct tw_format *make(const struct bomb *bomb)
{
	char *text = malloc(TW_FORMAT_TEXT_MAX);
	size_t len = append(text, 0, head, 1, 0), half;
	struct tw_format *format;

	len = append(text, len, bomb->before, 1, 0);
	half = strlen(bomb->closing) ? (TW_FORMAT_TEXT_MAX - len) * strlen(bomb->closing) /
					       (strlen(bomb->opening) + strlen(bomb->closing))
				     : 0;
	len = append(text, len, bomb->opening, bomb->n, half + 64);
	len = append(text, len, bomb->between, 1, 0);
	len = append(text, len, bomb->closing, bomb->n, 16);
	len = append(text, len, bomb->after, 1, 0);
	assert_int_equal(0, tw_format__parse(text, len, "toy", &format, NULL));
	free(text);
	return format;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void try(const struct bomb *bomb)
{
	static uint8_t data[65536];
	static char buf[TW_PRINT_LINE_MAX];
	const struct tw_record record = { .data = data, .len = sizeof(data) };
	struct tw_format *format = make(bomb);
	const uint64_t begin = now();
	struct tw_print *print = tw_print__new(format);
	const uint64_t compiled = now();
	struct tw_line line = { 0 };

	assert_non_null(print);
	memset(data + 8, 'x', sizeof(data) - 8);
	memcpy(data + 28, "\x28\0\xd8\xff\x28\0\xd8\xff",
	       8); /* the locations of list and str: the rest of the record */
	for (int i = 0; i < RUNS; i++) {
		line = tw_line__on(buf, sizeof(buf));
		tw_print__run(print, &record, NULL, &line);
	}
	printf("%-26s %6.2f ms to compile, %8.1f us to run, %6zu bytes, line of %5zu: %.90s\n", bomb->name,
	       (double)(compiled - begin) / 1e6, (double)(now() - compiled) / 1e3 / RUNS, tw_print__memory(print),
	       tw_line__len(&line), tw_print__refusal(print) ? tw_print__refusal(print) : "compiled");
	assert_true(compiled - begin < COMPILE_NS_MAX && (now() - compiled) / RUNS < RUN_NS_MAX);
	assert_true(tw_print__memory(print) <= TW_PRINT_MEMORY_MAX);
	assert_int_equal(bomb->refused, tw_print__refusal(print) != NULL);
	tw_print__free(print);
	tw_format__free(format);
}

static void test_bombs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bombs) / sizeof(bombs[0]); i++)
		try(&bombs[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bombs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
