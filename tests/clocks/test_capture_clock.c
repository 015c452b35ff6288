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

/* Converts a software stamp. Return: the time of arrival by the capture clock */
static uint64_t arrival(struct tw_capture_clock *clock, uint64_t realtime)
{
	const struct tw_received_frame frame = { .time = realtime, .time_by = TW_STAMP_SOFTWARE };

	return tw_capture_clock__arrived(clock, NULL, &frame).time;
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
		const uint64_t at = arrival(&clock, stamp);

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
		const uint64_t at = arrival(&clock, tw_time__now(CLOCK_REALTIME) + (uint64_t)off[i]);

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
	at = arrival(&clock, tw_time__now(CLOCK_REALTIME));
	assert_in_range(at, before, tw_capture_clock__now(&clock));
	assert_in_range(tw_capture_clock__stepped(&clock), hour - 100000, hour + 100000);
	before = tw_capture_clock__now(&clock);
	at = arrival(&clock, tw_time__now(CLOCK_REALTIME));
	assert_in_range(at, before, tw_capture_clock__now(&clock));
}

/*
 * Stamps from before a step of REALTIME, in either direction, are not converted, also if several were waiting when the step was noticed.
 * The step is simulated by stamps that differ by its size.
 */
static void test_stamps_before_step(void **state)
{
	static const int64_t steps[] = { 20000000, -20000000 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct tw_capture_clock clock;
		struct tw_stamp_bounds bounds;

		tw_capture_clock__begin(&clock);
		clock.stamps.distance -= steps[i];
		for (int frame = 0; frame < 3; frame++) {
			const uint64_t since = tw_time__now(CLOCK_BOOTTIME);
			const uint64_t old = tw_time__now(CLOCK_REALTIME) - (uint64_t)steps[i];
			const uint64_t after = tw_capture_clock__now(&clock), at = arrival(&clock, old);

			assert_true(at >= after);
			assert_false(tw_stamps__convert_sent(&clock.stamps, old, since, &bounds));
		}
		clock.stamps.set_at -= 2 * TW_NS_PER_SECOND; /* later, stamps are converted again */
		assert_true(tw_stamps__convert(&clock.stamps, tw_time__now(CLOCK_REALTIME), &bounds));
	}
}

/* Converts the stamp of a frame that was passed to the kernel at @since of the capture clock. */
static struct tw_stamped_time departure(struct tw_capture_clock *clock, uint64_t realtime, uint64_t since)
{
	const struct tw_sent_stamp stamp = { .by = TW_STAMP_SOFTWARE, .time = realtime };

	return tw_capture_clock__sent(clock, NULL, &stamp, since);
}

/* The time of a transmit stamp is not too late, and never before the frame was passed to the kernel. */
static void test_sent(void **state)
{
	struct tw_capture_clock clock;

	(void)state;
	tw_capture_clock__begin(&clock);
	for (int i = 0; i < 10000; i++) {
		const uint64_t early = tw_time__now(CLOCK_REALTIME) - TW_NS_PER_MS;
		const uint64_t since = tw_capture_clock__now(&clock), stamp = tw_time__now(CLOCK_REALTIME);
		const uint64_t after = tw_capture_clock__now(&clock);
		const struct tw_stamped_time sent = departure(&clock, stamp, since);

		assert_in_range(sent.time, since, after);
		assert_int_equal(departure(&clock, early, since).by, TW_STAMP_READING);
		assert_int_equal(departure(&clock, stamp + TW_NS_PER_SECOND, since).time, since);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_now),
		cmocka_unit_test(test_stamps),
		cmocka_unit_test(test_senseless_stamps),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_stamps_before_step),
		cmocka_unit_test(test_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
