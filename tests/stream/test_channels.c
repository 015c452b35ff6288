/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A channel tells from the event numbers of a frame whether it is in order, after a gap, late or a duplicate. */
#include "stream/channels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct tw_stream_channel channel;

static int setup(void **state)
{
	(void)state;
	channel = (struct tw_stream_channel){ .next = 0 };
	return 0;
}

static void check(uint64_t seq, uint16_t events, enum tw_stream_arrival expected, uint64_t missing)
{
	uint64_t found = 77;

	assert_int_equal(tw_stream_channel__see(&channel, seq, events, &found), expected);
	assert_int_equal(found, missing);
}

static void test_arrivals(void **state)
{
	(void)state;
	check(100, 5, TW_STREAM_IN_ORDER, 0); /* the first frame */
	check(105, 1, TW_STREAM_IN_ORDER, 0);
	check(106, 0, TW_STREAM_IN_ORDER, 0); /* a piece of an event has no numbers */
	check(50, 0, TW_STREAM_IN_ORDER, 0);
	check(110, 2, TW_STREAM_AFTER_GAP, 4);
	check(112, 1, TW_STREAM_IN_ORDER, 0);
	check(106, 2, TW_STREAM_LATE, 0);
	check(106, 2, TW_STREAM_LATE, 0);
	check(108, 3, TW_STREAM_DUPLICATE, 0); /* the number 110 arrived before */
	check(105, 1, TW_STREAM_DUPLICATE, 0);
	check(111, 4, TW_STREAM_DUPLICATE, 0); /* 111 arrived before, 113 did not */
	check(115, 1, TW_STREAM_IN_ORDER, 0);
}

static void test_oldest_gap_is_forgotten(void **state)
{
	(void)state;
	check(0, 1, TW_STREAM_IN_ORDER, 0);
	for (uint64_t i = 1; i <= TW_STREAM_CHANNEL_GAPS_MAX + 1; i++)
		check(2 * i, 1, TW_STREAM_AFTER_GAP, 1);
	check(1, 1, TW_STREAM_DUPLICATE, 0);
	check(3, 1, TW_STREAM_LATE, 0);
}

static void test_fill(void **state)
{
	uint64_t counter = 0, *found = NULL;

	(void)state;
	tw_stream_channel__miss(&channel, 10, 10, &counter);
	assert_int_equal(channel.next_gap, 0);
	tw_stream_channel__miss(&channel, 10, 20, &counter);
	assert_false(tw_stream_channel__fill(&channel, 9, 11, &found));
	assert_false(tw_stream_channel__fill(&channel, 19, 21, &found));
	assert_null(found);
	assert_true(tw_stream_channel__fill(&channel, 14, 16, &found));
	assert_ptr_equal(found, &counter);
	assert_null(tw_stream_channel__gap(&channel, 14, 15));
	assert_null(tw_stream_channel__gap(&channel, 13, 15));
	assert_non_null(tw_stream_channel__gap(&channel, 10, 14));
	assert_non_null(tw_stream_channel__gap(&channel, 16, 20));
	assert_true(tw_stream_channel__fill(&channel, 10, 14, &found));
	assert_true(tw_stream_channel__fill(&channel, 16, 20, &found));
	assert_null(tw_stream_channel__gap(&channel, 10, 11));
	assert_null(tw_stream_channel__gap(&channel, 19, 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_arrivals, setup),
		cmocka_unit_test_setup(test_oldest_gap_is_forgotten, setup),
		cmocka_unit_test_setup(test_fill, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
