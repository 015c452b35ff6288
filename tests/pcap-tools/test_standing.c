/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has to go when a table of streams is full. */
#include "pcap-tools/admission/standing.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define N      4
#define NONE   TW_STANDING_NOBODY
#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static const struct tw_places places = { .n = N, .of_one_source = 3, .silence = 100 };

/* Of one stream: when it was heard, from where, what it proved, whether it ended. */
#define S(when, from, what, over)                                                            \
	{                                                                                    \
		.heard = (when), .source = (from), .proof = TW_PROOF_##what, .ended = (over) \
	}

struct row {
	const char *what;
	struct tw_standing there[N];
	size_t n;
	struct tw_standing newcomer;
	int code;
	size_t goes;
};

static const struct row rows[] = {
	{ "there is room", { S(1, 1, NUMBERS, 0) }, 1, S(1000, 2, NONE, 0), 0, NONE },
	{ "one that ended goes before all others, and of two the longest silent",
	  { S(1, 1, NONE, 0), S(9, 2, ANSWER, 1), S(8, 3, ANSWER, 1), S(7, 4, NUMBERS, 0) },
	  N,
	  S(10, 5, NUMBERS, 0),
	  0,
	  2 },
	{ "one that proved nothing goes before one that did, though it was heard later",
	  { S(1, 1, NUMBERS, 0), S(9, 2, NONE, 0), S(8, 3, NONE, 0), S(1, 4, ANSWER, 0) },
	  N,
	  S(10, 5, NONE, 0),
	  0,
	  2 },
	{ "one that proved something stays for one that proved nothing",
	  { S(1, 1, NUMBERS, 0), S(9, 2, NUMBERS, 0), S(8, 3, ANSWER, 0), S(1, 4, ANSWER, 0) },
	  N,
	  S(10, 5, NONE, 0),
	  -ENOSPC,
	  NONE },
	{ "or that proved as much",
	  { S(1, 1, NUMBERS, 0), S(9, 2, NUMBERS, 0), S(8, 3, ANSWER, 0), S(1, 4, ANSWER, 0) },
	  N,
	  S(10, 5, NUMBERS, 0),
	  -ENOSPC,
	  NONE },
	{ "numbers go for an answer, the longest silent first",
	  { S(5, 1, NUMBERS, 0), S(4, 2, NUMBERS, 0), S(3, 3, ANSWER, 0), S(1, 4, ANSWER, 0) },
	  N,
	  S(10, 5, ANSWER, 0),
	  0,
	  1 },
	{ "an answer stays for another",
	  { S(5, 1, ANSWER, 0), S(4, 2, ANSWER, 0), S(3, 3, ANSWER, 0), S(1, 4, ANSWER, 0) },
	  N,
	  S(101, 5, ANSWER, 0),
	  -ENOSPC,
	  NONE },
	{ "until it has been silent for long: its producer died without END",
	  { S(5, 1, ANSWER, 0), S(1, 2, ANSWER, 0), S(3, 3, ANSWER, 0), S(2, 4, ANSWER, 0) },
	  N,
	  S(102, 5, NONE, 0),
	  0,
	  1 },
	{ "of the dead, too, the one that proved less",
	  { S(5, 1, ANSWER, 0), S(1, 2, ANSWER, 0), S(6, 3, NUMBERS, 0), S(2, 4, ANSWER, 0) },
	  N,
	  S(1000, 5, NONE, 0),
	  0,
	  2 },
	{ "an address that has as many as it may takes none from others, though there is room",
	  { S(1, 1, NUMBERS, 0), S(9, 1, NUMBERS, 0), S(8, 1, NUMBERS, 0) },
	  3,
	  S(10, 1, NUMBERS, 0),
	  -EDQUOT,
	  NONE },
	{ "and none that others would give",
	  { S(1, 1, NUMBERS, 0), S(9, 1, NUMBERS, 0), S(8, 1, NUMBERS, 0), S(2, 2, NONE, 1) },
	  N,
	  S(10, 1, NUMBERS, 0),
	  -EDQUOT,
	  NONE },
	{ "but one of its own that goes",
	  { S(1, 1, NUMBERS, 0), S(9, 1, NUMBERS, 0), S(8, 1, ANSWER, 0), S(2, 2, NONE, 0) },
	  N,
	  S(10, 1, ANSWER, 0),
	  0,
	  0 },
	{ "another address is not held to that",
	  { S(1, 1, NUMBERS, 0), S(9, 1, NUMBERS, 0), S(8, 1, NUMBERS, 0) },
	  3,
	  S(10, 2, NUMBERS, 0),
	  0,
	  NONE },
	{ "of streams that answered one of the address with the most goes for another, the longest silent",
	  { S(5, 1, ANSWER, 0), S(4, 1, ANSWER, 0), S(6, 1, ANSWER, 0), S(3, 2, ANSWER, 0) },
	  N,
	  S(10, 3, ANSWER, 0),
	  0,
	  1 },
	{ "not for one that did not answer: its address may be forged",
	  { S(5, 1, ANSWER, 0), S(4, 1, ANSWER, 0), S(6, 1, ANSWER, 0), S(3, 2, ANSWER, 0) },
	  N,
	  S(10, 3, NUMBERS, 0),
	  -ENOSPC,
	  NONE },
	{ "an address keeps as many as the other gets",
	  { S(5, 1, ANSWER, 0), S(4, 1, ANSWER, 0), S(6, 2, ANSWER, 0), S(3, 2, ANSWER, 0) },
	  N,
	  S(10, 2, ANSWER, 0),
	  -ENOSPC,
	  NONE },
	{ "one by one until they are equal",
	  { S(5, 1, ANSWER, 0), S(4, 1, ANSWER, 0), S(6, 1, ANSWER, 0), S(3, 2, ANSWER, 0) },
	  N,
	  S(10, 2, ANSWER, 0),
	  0,
	  1 },
};

static void who_goes(void **state)
{
	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		const struct row *row = &rows[i];
		size_t goes = NONE;
		const int code = tw_standing__choose(row->there, row->n, &places, &row->newcomer, &goes);

		if (code != row->code || goes != row->goes)
			fail_msg("%s: %d, %zu", row->what, code, goes);
	}
}

static bool see(struct tw_number_row *row, uint8_t source, uint16_t channel, uint64_t seq, uint16_t events)
{
	const struct tw_frame_info info = { .source = source, .channel = channel, .seq = seq, .events = events };

	return tw_number_row__see(row, &info);
}

static void what_goes_on(void **state)
{
	struct tw_number_row row = { .channel = 0 };

	(void)state;
	assert_false(see(&row, TW_SOURCE_CONTROL, 0, 7, 1));
	assert_false(see(&row, TW_SOURCE_FTRACE, 3, 8, 5)); /* another channel */
	assert_false(see(&row, TW_SOURCE_FTRACE, 4, 13, 5));
	assert_false(see(&row, TW_SOURCE_FTRACE, 3, 14, 5)); /* a hole */
	assert_true(see(&row, TW_SOURCE_FTRACE, 3, 19, 0));
	assert_false(see(&row, TW_SOURCE_FTRACE, 3, 19, 0)); /* the same again */
	assert_true(see(&row, TW_SOURCE_CONTROL, 0, 8, 1));
	assert_false(see(&row, TW_SOURCE_CONTROL, 0, 8, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_goes),
		cmocka_unit_test(what_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
