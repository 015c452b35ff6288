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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow_beginning),
		cmocka_unit_test(test_anchors_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
