/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The capture clock compared with REALTIME. */
#include "clocks/capture_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/time.h"

/* The clock reads a time between two readings of REALTIME, within the error of its measured distance from REALTIME. */
static void test_now(void **state)
{
	struct tw_capture_clock clock;
	uint64_t before, now, after;

	(void)state;
	tw_capture_clock__begin(&clock);
	before = tw_time__now(CLOCK_REALTIME);
	now = tw_capture_clock__now(&clock);
	after = tw_time__now(CLOCK_REALTIME);
	assert_in_range(now, before - clock.stamps.error_ns, after + clock.stamps.error_ns);
	assert_int_equal(tw_capture_clock__stepped(&clock), 0);
}

/* The time of a REALTIME stamp lies between the readings of the capture clock before and after it. */
static void test_stamps(void **state)
{
	struct tw_capture_clock clock;

	(void)state;
	tw_capture_clock__begin(&clock);
	for (int i = 0; i < 10000; i++) {
		const uint64_t before = tw_capture_clock__now(&clock);
		const uint64_t stamp = tw_time__now(CLOCK_REALTIME);
		const uint64_t at = tw_capture_clock__at(&clock, stamp);

		assert_in_range(at, before, tw_capture_clock__now(&clock));
		assert_int_equal(tw_capture_clock__stepped(&clock), 0);
	}
}

/* A stamp far in the future or in the past is replaced by the current time. */
static void test_senseless_stamps(void **state)
{
	static const int64_t off[] = { 5000000000, -5000000000, INT64_MAX, INT64_MIN };
	struct tw_capture_clock clock;

	(void)state;
	tw_capture_clock__begin(&clock);
	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
		const uint64_t before = tw_capture_clock__now(&clock);
		const uint64_t at = tw_capture_clock__at(&clock, tw_time__now(CLOCK_REALTIME) + (uint64_t)off[i]);

		assert_in_range(at, before, tw_capture_clock__now(&clock));
	}
}

/* REALTIME is set by an hour: the old measurement is invalid, and the clock continues unchanged. */
static void test_set(void **state)
{
	const int64_t hour = 3600000000000;
	struct tw_capture_clock clock;
	uint64_t before, at;

	(void)state;
	tw_capture_clock__begin(&clock);
	clock.begun -= hour; /* simulated, because a test must not set this machine's clock */
	clock.stamps.distance -= hour;
	before = tw_capture_clock__now(&clock);
	at = tw_capture_clock__at(&clock, tw_time__now(CLOCK_REALTIME));
	assert_in_range(at, before, tw_capture_clock__now(&clock));
	assert_in_range(tw_capture_clock__stepped(&clock), hour - 100000, hour + 100000);
	before = tw_capture_clock__now(&clock);
	at = tw_capture_clock__at(&clock, tw_time__now(CLOCK_REALTIME));
	assert_in_range(at, before, tw_capture_clock__now(&clock));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_now),
		cmocka_unit_test(test_stamps),
		cmocka_unit_test(test_senseless_stamps),
		cmocka_unit_test(test_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
