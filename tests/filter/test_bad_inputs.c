/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ten thousand invalid expressions, made from valid ones: each is refused with a column and a sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "filter/filter.h"
#include "tests/filter/bound.h"
#include "tests/filter/formats.h"

#define BAD      10000
#define TEXT_MAX 512

static const char *const good[] = {
	"sched.sched_switch.prev_pid == 0 && cpu == 1",
	"prev_comm == \"bash\" or next_comm ~ \"kworker/*\"",
	"softirq_raise.vec in {NET_RX, NET_TX} and not comm == \"ksoftirqd/0\"",
	"kmalloc.gfp_flags == GFP_HIGH|GFP_IO || time > 12.5",
	"prev_state & 3 != 0b10 && prev_prio not in {1, 5..9, -3..-1}",
	"saddr == 10.0.0.0/8 or saddr_v6 == fe80::1/64 || mac contains 5e-10",
	"next_comm matches \"(a|b)+[0-9]*$\" and (event == tiny or system != \"irq\")",
	"!((not (cpu ge 2)) and ((pid le 7)))",
};

/* Text to be inserted into an expression. */
static const char *const pieces[] = {
	"(",
	")",
	"{",
	"}",
	"\"",
	"'",
	"==",
	"=",
	"&&",
	"&",
	"||",
	"|",
	"!",
	"~",
	"..",
	",",
	"in",
	"not",
	"and",
	"or",
	"contains",
	"matches",
	"\\",
	"\x01",
	"\xff",
	"99999999999999999999",
	"-1",
	"0x",
	"1.2.3",
	"nowhere",
	"prev_pid",
	"prev_comm",
	"sched_switch",
	"\"(\"",
	"r\"",
	" ",
	"\n",
	"%s%n",
	"999",
	"aa:bb",
	"trace.",
	"any.",
	".",
	"{}",
	"''",
};

static unsigned int seed = 20260101;

static size_t below(size_t n)
{
	return (size_t)rand_r(&seed) % n;
}

/* Inserts a piece, removes or exchanges characters, or truncates the text. */
static void damage(char *text)
{
	const char *piece = pieces[below(sizeof(pieces) / sizeof(pieces[0]))];
	const size_t len = strlen(text), at = below(len + 1), n = strlen(piece);

	switch (below(4)) {
	case 0:
		memmove(text + at + n, text + at, len - at + 1);
		memcpy(text + at, piece, n);
		break;
	case 1:
		if (at < len)
			memmove(text + at, text + at + 1, len - at);
		break;
	case 2:
		if (at + n <= len)
			memcpy(text + at, piece, n);
		break;
	default:
		if (at)
			text[at] = '\0';
	}
}

/* Checks that the error is one line that begins with the column. */
static void expect_sentence(const char *text, const struct tw_error *err)
{
	unsigned int column = 0;
	int used = 0;

	if (sscanf(err->text, "column %u: %n", &column, &used) != 1 || !used || !column || column > strlen(text) + 1 ||
	    !strchr(err->text + used, ' ') || strchr(err->text, '\n'))
		fail_msg("'%s': '%s'", text, err->text);
}

static void each_has_its_column(void **state)
{
	const struct tw_bind_options options = { .schema = formats };
	unsigned int bad = 0, kinds = 0;
	char text[TEXT_MAX], last[512] = "";

	(void)state;
	while (bad < BAD) {
		struct tw_error err = { "" };
		struct tw_bound *bound;

		strcpy(text, good[below(sizeof(good) / sizeof(good[0]))]);
		for (size_t n = 1 + below(3); n; n--)
			damage(text);
		if (!bound__make(text, &options, &bound, &err)) {
			tw_bound__free(bound);
			continue;
		}
		expect_sentence(text, &err);
		bad++;
		kinds += strcmp(last, err.text) != 0;
		strcpy(last, err.text);
	}
	print_message("%u bad expressions, %u times another sentence than before\n", bad, kinds);
	assert_true(kinds > BAD / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_its_column),
	};

	return cmocka_run_group_tests(tests, formats__set_up, formats__tear_down);
}
