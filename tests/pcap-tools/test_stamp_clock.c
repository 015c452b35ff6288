/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conversion of packet stamps to a clock that nobody can set: without a step, and around steps of the wall clock in both directions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pcap-tools/packets/stamp_clock.h"

#define AHEAD  1700000000000000000ull /* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
#define MS     1000000ull
#define SECOND (1000 * MS)
#define BEGIN  (1000 * SECOND) /* CLOCK_MONOTONIC */

/* Takes a reading that begins at @mono and takes @window, when the difference of the clocks is @ahead. */
static void read_at(struct tw_stamp_clock *clock, uint64_t mono, uint64_t window, uint64_t ahead)
{
	tw_stamp_clock__take(clock, &(struct tw_stamp_clock_reading){
					    .before = mono,
					    .real = mono + window / 2 + ahead,
					    .after = mono + window,
				    });
}

/* A packet stamped at @mono, when the difference of the clocks was @ahead, has this time. */
static void expect(const struct tw_stamp_clock *clock, uint64_t mono, uint64_t ahead)
{
	assert_int_equal(tw_stamp_clock__convert(clock, mono + ahead), mono);
}

/* Without a step, the error becomes that of the best readings, and a slow reading changes nothing. */
static void steady(void **state)
{
	struct tw_stamp_clock clock = { 0 };

	(void)state;
	read_at(&clock, BEGIN, 100, AHEAD);
	assert_in_range(tw_stamp_clock__error(&clock), 50, 51);
	read_at(&clock, BEGIN + 10 * MS, 40, AHEAD);
	assert_in_range(tw_stamp_clock__error(&clock), 20, 21);
	read_at(&clock, BEGIN + 20 * MS, 5 * MS, AHEAD);
	assert_in_range(tw_stamp_clock__error(&clock), 20, 21);
	expect(&clock, BEGIN - SECOND, AHEAD);
	expect(&clock, BEGIN + 15 * MS, AHEAD);
	assert_true(tw_stamp_clock__covers(&clock, BEGIN + 25 * MS + AHEAD));
	assert_false(tw_stamp_clock__covers(&clock, BEGIN + 26 * MS + AHEAD));
}

/*
 * The wall clock is set by @step at BEGIN + 15 ms, between the readings at 10 and 20 ms. Packets from before, also late ones, and from
 * after the step have the times at which they were stamped.
 */
static void step_by(int64_t step)
{
	const uint64_t ahead = AHEAD + (uint64_t)step;
	struct tw_stamp_clock clock = { 0 };

	for (uint64_t ms = 0; ms <= 10; ms += 10)
		read_at(&clock, BEGIN + ms * MS, 40, AHEAD);
	read_at(&clock, BEGIN + 20 * MS, 40, ahead);
	for (uint64_t ms = 0; ms < 15; ms++)
		expect(&clock, BEGIN + ms * MS, AHEAD);
	expect(&clock, BEGIN - 80 * MS, AHEAD); /* waited for 100 ms */
	for (uint64_t ms = 15; ms <= 20; ms++)
		expect(&clock, BEGIN + ms * MS, ahead);
	read_at(&clock, BEGIN + 30 * MS, 40, ahead);
	expect(&clock, BEGIN + 9 * MS, AHEAD);
	for (uint64_t ms = 15; ms <= 30; ms++)
		expect(&clock, BEGIN + ms * MS, ahead);
}

static void steps(void **state)
{
	static const int64_t seconds[] = { 1, -1, 3600, -3600, 86400ll * 365 * 20, -86400ll * 365 * 20 };

	(void)state;
	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
		step_by(seconds[i] * (int64_t)SECOND);
}

/* A stamp from after a step forward is not covered by the readings before it, so that the caller reads the clocks again. */
static void unnoticed(void **state)
{
	struct tw_stamp_clock clock = { 0 };

	(void)state;
	read_at(&clock, BEGIN, 40, AHEAD);
	assert_false(tw_stamp_clock__covers(&clock, BEGIN - MS + AHEAD + SECOND));
	read_at(&clock, BEGIN + MS, 40, AHEAD + SECOND);
	expect(&clock, BEGIN + MS / 2, AHEAD + SECOND);
	expect(&clock, BEGIN - MS, AHEAD);
}

/* After two steps, stamps from after the second and between the two are converted. */
static void twice(void **state)
{
	struct tw_stamp_clock clock = { 0 };

	(void)state;
	read_at(&clock, BEGIN, 40, AHEAD);
	read_at(&clock, BEGIN + 10 * MS, 40, AHEAD + SECOND);
	read_at(&clock, BEGIN + 20 * MS, 40, AHEAD - SECOND);
	expect(&clock, BEGIN + 11 * MS, AHEAD + SECOND);
	expect(&clock, BEGIN + 19 * MS, AHEAD - SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steady),
		cmocka_unit_test(steps),
		cmocka_unit_test(unnoticed),
		cmocka_unit_test(twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
