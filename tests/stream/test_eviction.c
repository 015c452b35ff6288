/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which stream is evicted from a full table. */
#include "stream/eviction.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define N      4
#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static const struct tw_places places = { .n = N, .of_one_source = 3, .silence = 100 };

/* One stream: the time of its last frame, its address, its proof, and whether it ended. */
#define S(when, from, what, over)                                                            \
	{                                                                                    \
		.heard = (when), .source = (from), .proof = TW_PROOF_##what, .ended = (over) \
	}

struct table {
	struct tw_standing there[N];
	size_t n;
};

static const struct table
	one = { { S(1, 1, NUMBERS, 0) }, 1 },
	two_ended = { { S(1, 1, NONE, 0), S(9, 2, ANSWER, 1), S(8, 3, ANSWER, 1), S(7, 4, NUMBERS, 0) }, N },
	two_proved_nothing = { { S(1, 1, NUMBERS, 0), S(9, 2, NONE, 0), S(8, 3, NONE, 0), S(1, 4, ANSWER, 0) }, N },
	two_of_each = { { S(5, 1, NUMBERS, 0), S(4, 2, NUMBERS, 0), S(3, 3, ANSWER, 0), S(1, 4, ANSWER, 0) }, N },
	all_answer = { { S(5, 1, ANSWER, 0), S(1, 2, ANSWER, 0), S(3, 3, ANSWER, 0), S(2, 4, ANSWER, 0) }, N },
	one_does_not = { { S(5, 1, ANSWER, 0), S(1, 2, ANSWER, 0), S(6, 3, NUMBERS, 0), S(2, 4, ANSWER, 0) }, N },
	crowd = { { S(1, 1, NUMBERS, 0), S(9, 1, NUMBERS, 0), S(8, 1, NUMBERS, 0) }, 3 },
	crowd_and_ended = { { S(1, 1, NUMBERS, 0), S(9, 1, NUMBERS, 0), S(8, 1, NUMBERS, 0), S(2, 2, NONE, 1) }, N },
	crowd_of_two_kinds = { { S(1, 1, NUMBERS, 0), S(9, 1, NUMBERS, 0), S(8, 1, ANSWER, 0), S(2, 2, NONE, 0) }, N },
	three_and_one = { { S(5, 1, ANSWER, 0), S(4, 1, ANSWER, 0), S(6, 1, ANSWER, 0), S(3, 2, ANSWER, 0) }, N },
	two_and_two = { { S(5, 1, ANSWER, 0), S(4, 1, ANSWER, 0), S(6, 2, ANSWER, 0), S(3, 2, ANSWER, 0) }, N };

#define ROOM N /* the table has room */

static const struct {
	const char *what;
	const struct table *table;
	struct tw_standing newcomer;
	int wanted; /* ROOM; or the index of the evicted stream; or -errno */
} rows[] = {
	{ "there is room", &one, S(1000, 2, NONE, 0), ROOM },
	{ "one that ended goes before all others, and of two the longest silent", &two_ended, S(10, 5, NUMBERS, 0), 2 },
	{ "one that proved nothing goes before one that did, though it was heard later", &two_proved_nothing,
	  S(10, 5, NONE, 0), 2 },
	{ "one that proved something stays for one that proved nothing", &two_of_each, S(10, 5, NONE, 0), -ENOSPC },
	{ "or that proved as much", &two_of_each, S(10, 5, NUMBERS, 0), -ENOSPC },
	{ "numbers go for an answer, the longest silent first", &two_of_each, S(10, 5, ANSWER, 0), 1 },
	{ "an answer stays for another", &all_answer, S(101, 5, ANSWER, 0), -ENOSPC },
	{ "until it has been silent for long: its producer died without END", &all_answer, S(102, 5, NONE, 0), 1 },
	{ "of the dead, too, the one that proved less", &one_does_not, S(1000, 5, NONE, 0), 2 },
	{ "an address that has as many as it may takes none from others, though there is room", &crowd,
	  S(10, 1, NUMBERS, 0), -EDQUOT },
	{ "and none that others would give", &crowd_and_ended, S(10, 1, NUMBERS, 0), -EDQUOT },
	{ "but one of its own that goes", &crowd_of_two_kinds, S(10, 1, ANSWER, 0), 0 },
	{ "another address is not held to that", &crowd, S(10, 2, NUMBERS, 0), ROOM },
	{ "of streams that answered one of the address with the most goes for another, the longest silent",
	  &three_and_one, S(10, 3, ANSWER, 0), 1 },
	{ "not for one that did not answer: its address may be forged", &three_and_one, S(10, 3, NUMBERS, 0), -ENOSPC },
	{ "an address gets more until it has as many", &three_and_one, S(10, 2, ANSWER, 0), 1 },
	{ "and no more than that", &two_and_two, S(10, 2, ANSWER, 0), -ENOSPC },
};

static void who_goes(void **state)
{
	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		const struct table *t = rows[i].table;
		size_t goes = TW_STANDING_NOBODY;
		const int code = tw_standing__choose(t->there, t->n, &places, &rows[i].newcomer, &goes);
		const int got = code ? code : goes == TW_STANDING_NOBODY ? ROOM : (int)goes;

		if (got != rows[i].wanted)
			fail_msg("%s: %d", rows[i].what, got);
	}
}

/* The frames of one stream; @goes_on: the frame continues the numbers of the previous frame of its channel. */
static const struct {
	const char *what;
	struct tw_frame_info info;
	bool goes_on;
} frames[] = {
#define EVENTS(of, from, n)                                                               \
	{                                                                                 \
		.source = TW_SOURCE_FTRACE, .channel = (of), .seq = (from), .events = (n) \
	}
#define CONTROL(from)                                                   \
	{                                                               \
		.source = TW_SOURCE_CONTROL, .seq = (from), .events = 1 \
	}
	{ "the first control frame", CONTROL(7), false }, { "the first frame of events", EVENTS(3, 8, 5), false },
	{ "another channel", EVENTS(4, 13, 5), false },   { "a hole", EVENTS(3, 14, 5), false },
	{ "the next number", EVENTS(3, 19, 0), true },    { "the same again", EVENTS(3, 19, 0), false },
	{ "the next control frame", CONTROL(8), true },   { "that again", CONTROL(8), false },
#undef EVENTS
#undef CONTROL
};

static void what_goes_on(void **state)
{
	struct tw_number_row row = { .channel = 0 };

	(void)state;
	for (size_t i = 0; i < LEN(frames); i++) {
		if (tw_number_row__see(&row, &frames[i].info) != frames[i].goes_on)
			fail_msg("%s", frames[i].what);
	}
}

/* The traced task leaves its first CPU after one frame. After TW_OTHERS_MAX + 1 frames of the next CPU, that CPU's numbers count. */
static void first_channel_left(void **state)
{
	struct tw_number_row row = { .channel = 0 };
	struct tw_frame_info frame = { .source = TW_SOURCE_FTRACE, .channel = 1, .events = 1 };
	unsigned int n = 0;

	(void)state;
	assert_false(tw_number_row__see(&row, &frame));
	frame.channel = 2;
	for (; n < 200 && !tw_number_row__see(&row, &frame); n++)
		frame.seq++;
	assert_int_equal(n, TW_OTHERS_MAX + 1);
}

/* TW_OTHERS_MAX + 1 CPUs send in turn, so TW_OTHERS_MAX frames of other CPUs lie between two frames of the first CPU. It still counts. */
static void channels_in_turn(void **state)
{
	struct tw_number_row row = { .channel = 0 };

	(void)state;
	for (uint16_t seq = 0; seq < 2; seq++) {
		for (uint16_t channel = 1; channel <= TW_OTHERS_MAX + 1; channel++) {
			const struct tw_frame_info frame = {
				.source = TW_SOURCE_FTRACE, .channel = channel, .seq = seq, .events = 1
			};

			if (tw_number_row__see(&row, &frame) != (seq == 1 && channel == 1))
				fail_msg("frame %u of channel %u", seq, channel);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_goes),
		cmocka_unit_test(what_goes_on),
		cmocka_unit_test(first_channel_left),
		cmocka_unit_test(channels_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
