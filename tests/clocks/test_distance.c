/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bounds of the distance and the drift of two clocks after a few exchanges. test_stream_clock.c simulates long captures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/time.h"
#include "clocks/distance.h"

#define AHEAD (5 * TW_NS_PER_SECOND)

/* Adds an exchange that begins at @at. The stream's clock is AHEAD, and each direction takes @way ns. */
static void exchange(struct tw_distance *d, uint64_t at, uint64_t way)
{
	const uint64_t there = at + way + AHEAD;

	assert_true(tw_distance__take(d, &(struct tw_time_sync_sample){ .asked = at,
									.received = there,
									.answered = there,
									.arrived = at + 2 * way }));
}

/* The bounds of the drift become tight soon, although the oldest exchange took long. */
static void test_slow_beginning(void **state)
{
	struct tw_distance d = { .n_marks = 0 };
	struct tw_bounds drift;

	(void)state;
	exchange(&d, TW_NS_PER_SECOND, 50 * TW_NS_PER_MS);
	exchange(&d, TW_NS_PER_SECOND + 200 * TW_NS_PER_MS, 30000);
	for (uint64_t second = 2; second < 9; second++)
		exchange(&d, second * TW_NS_PER_SECOND, 30000);
	drift = tw_distance__drift(&d);
	assert_in_range(drift.high - drift.low, 1, 20000);
	assert_true(drift.low <= 0 && drift.high >= 0);
}

/* The first exchange stays the anchor, if later exchanges are only slightly faster. */
static void test_anchors_stay(void **state)
{
	struct tw_distance d = { .n_marks = 0 };

	(void)state;
	for (uint64_t second = 1; second < 16; second++)
		exchange(&d, second * TW_NS_PER_SECOND, 30000 - second * 500);
	assert_int_equal(d.n_anchors, 1);
	assert_int_equal(d.anchors[0].time, TW_NS_PER_SECOND + 29500 + AHEAD);
}

/* A step of the rate by 100 ppm is seen. Then the drift is that after the step, and the tighter bounds are not used for 4 s. */
static void test_step_of_the_rate(void **state)
{
	const uint64_t begin = TW_NS_PER_SECOND, changed = 11 * TW_NS_PER_SECOND, pause = 100 * TW_NS_PER_MS;
	struct tw_distance d = { .n_marks = 0 };

	(void)state;
	for (uint64_t at = begin; at < begin + 25 * TW_NS_PER_SECOND; at += pause) {
		const uint64_t gained = at > changed ? (at - changed) / 10000 : 0, back = 300 * TW_NS_PER_MS;
		const struct tw_time_sync_sample sample = { .asked = at,
							    .received = at + 1000 + AHEAD + gained,
							    .answered = at + 1000 + AHEAD + gained,
							    .arrived = at + 2000 };
		struct tw_bounds bounds, plain;

		assert_true(tw_distance__take(&d, &sample));
		if (at < begin + 400 * TW_NS_PER_MS)
			continue;
		bounds = tw_distance__at(&d, sample.answered - back + pause / 2);
		plain = tw_distance__safe_at(&d, sample.answered - back + pause / 2);
		if (at < begin + 4 * TW_NS_PER_SECOND || (d.rate_steps && at < changed + 4 * TW_NS_PER_SECOND))
			assert_int_equal(bounds.high - bounds.low, plain.high - plain.low);
		else if (at < changed || at > changed + 5 * TW_NS_PER_SECOND)
			assert_in_range(bounds.high - bounds.low, 1, (plain.high - plain.low) / 4);
	}
	assert_int_equal(d.rate_steps, 1);
	assert_in_range(tw_bounds__middle(tw_distance__drift(&d)), 99000, 101000);
	assert_int_equal(d.restarts, 0);
}

/* An exchange that is added again with better times replaces the first sample. The pause is that between exchanges. */
static void test_again(void **state)
{
	const uint64_t there = 3 * TW_NS_PER_SECOND + AHEAD + 50000;
	struct tw_distance d = { .n_marks = 0 };
	struct tw_bounds bounds;

	(void)state;
	exchange(&d, TW_NS_PER_SECOND, 50000);
	exchange(&d, 3 * TW_NS_PER_SECOND, 50000);
	assert_true(tw_distance__take(&d, &(struct tw_time_sync_sample){ .asked = 3 * TW_NS_PER_SECOND + 30000,
									 .received = there,
									 .answered = there + 10,
									 .arrived = 3 * TW_NS_PER_SECOND + 100000,
									 .again = true }));
	assert_int_equal(d.n_marks, 2);
	assert_int_equal(tw_distance__pause(&d), 2 * TW_NS_PER_SECOND + 10);
	bounds = tw_distance__at(&d, there + 10);
	assert_in_range(bounds.high - bounds.low, 69990, 70000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow_beginning),
		cmocka_unit_test(test_anchors_stay),
		cmocka_unit_test(test_step_of_the_rate),
		cmocka_unit_test(test_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
