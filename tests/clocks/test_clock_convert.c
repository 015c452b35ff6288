/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conversion of times between clocks of one machine: the true time is within the error bound, also if a clock was set in between. */
#include "clocks/clock_convert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"
#include "clocks/distance.h"

#define SECOND TW_NS_PER_SECOND
#define ERROR  400 /* of the readings, ns */
#define TRIES  20000

/* The generator of POSIX's rand(), with a state of its own. */
static uint32_t chance(uint32_t *state, uint32_t below)
{
	*state = *state * 1103515245 + 12345;
	return (uint32_t)((uint64_t)(*state >> 1) * below >> 31);
}

static int64_t near(uint32_t *state, uint32_t most)
{
	return (int64_t)chance(state, 2 * most + 1) - most;
}

/* Simulated clocks: @to is the true time; @from has a rate of its own, and is set by @step at @set_at. */
struct clocks {
	uint32_t random;
	int64_t ahead; /* from - to at time 0, ns */
	int64_t ppb;   /* by which @from gains on @to */
	uint64_t set_at;
	int64_t step;
};

static uint64_t from_at(const struct clocks *c, uint64_t now)
{
	const int64_t gained = (int64_t)((__int128)now * c->ppb / (__int128)SECOND);

	return now + (uint64_t)(c->ahead + gained + (now >= c->set_at ? c->step : 0));
}

static struct tw_clock_point point_at(struct clocks *c, uint64_t now)
{
	return (struct tw_clock_point){ from_at(c, now), now + (uint64_t)near(&c->random, ERROR), ERROR };
}

static void expect_within(const struct tw_clock_time *time, uint64_t truth)
{
	if (tw_time__apart(time->ns, truth) > time->error_ns)
		fail_msg("%llu is off by more than %llu: it is %llu", (unsigned long long)time->ns,
			 (unsigned long long)time->error_ns, (unsigned long long)truth);
}

/* Without a step, the bound is at most that of the readings plus the drift to the nearer one. */
static void test_bound_is_a_bound(void **state)
{
	struct clocks c = { .random = 7, .set_at = UINT64_MAX };

	(void)state;
	for (int i = 0; i < TRIES; i++) {
		const uint64_t start = 1000 * SECOND + chance(&c.random, 1000000000),
			       length = 1 + chance(&c.random, 2000000000);
		const uint64_t now = start + length * chance(&c.random, 1001) / 1000;
		const uint64_t nearest = tw_time__earlier(now - start, start + length - now);
		struct tw_clock_point a, b;
		struct tw_clock_time time;

		c.ppb = near(&c.random, TW_DRIFT_MAX);
		c.ahead = near(&c.random, 1000000000) * 10;
		a = point_at(&c, start);
		b = point_at(&c, start + length);
		assert_true(tw_clock_point__agree(&a, &b, TW_DRIFT_MAX));
		assert_true(tw_clock_point__convert(&a, &b, TW_DRIFT_MAX, from_at(&c, now), &time));
		expect_within(&time, now);
		assert_true(time.error_ns <= ERROR + nearest / 1999 + 2);
		assert_true(tw_clock_point__convert(&a, NULL, TW_DRIFT_MAX, from_at(&c, now), &time));
		expect_within(&time, now);
	}
}

/* The clock was set between the points: the bound still holds. If it was set by more than the time between the points, it stays small. */
static void test_steps(void **state)
{
	static const int64_t steps[] = { 1000000, -1000000, 3600000000000, -3600000000000, 37000000000, -1500000000 };
	struct clocks c = { .random = 11 };

	(void)state;
	for (int i = 0; i < TRIES; i++) {
		const uint64_t start = 5000 * SECOND, length = SECOND + chance(&c.random, 1000000);
		const uint64_t now = start + length * chance(&c.random, 1001) / 1000;
		struct tw_clock_point a, b;
		struct tw_clock_time time;

		c.ppb = near(&c.random, 100000);
		c.set_at = start + 1 + length * chance(&c.random, 999) / 1000;
		c.step = steps[i % 6];
		a = point_at(&c, start);
		b = point_at(&c, start + length);
		assert_false(tw_clock_point__agree(&a, &b, TW_DRIFT_MAX));
		assert_true(tw_clock_point__convert(&a, &b, TW_DRIFT_MAX, from_at(&c, now), &time));
		expect_within(&time, now);
		if (labs(c.step) > (long)(2 * SECOND))
			assert_in_range(time.error_ns, 0, length / 1999 + ERROR + 2);
		else
			assert_in_range(time.error_ns, 0, (uint64_t)labs(c.step) + length / 1999 + ERROR + 2);
	}
}

/* A clock with the same rate that was never set is converted with the error of the readings at any distance. */
static void test_same_rate(void **state)
{
	struct clocks c = { .random = 3, .set_at = UINT64_MAX, .ahead = 5 };
	const struct tw_clock_point a = point_at(&c, 10 * SECOND);
	struct tw_clock_time time;

	(void)state;
	assert_true(tw_clock_point__convert(&a, NULL, 0, from_at(&c, 90000 * SECOND), &time));
	expect_within(&time, 90000 * SECOND);
	assert_int_equal(time.error_ns, ERROR);
	assert_int_equal(tw_clock_point__drift(CLOCK_REALTIME, CLOCK_TAI), 0);
	assert_int_equal(tw_clock_point__drift(CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_RAW), 0);
	assert_int_equal(tw_clock_point__drift(CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW), TW_DRIFT_MAX);
}

/* Times that cannot be converted, and extreme numbers, so that the sanitizers find overflows. */
static void test_impossible(void **state)
{
	static const uint64_t ends[] = { 0, 1, SECOND, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX };
	const struct tw_clock_point a = { 100 * SECOND, 50 * SECOND, 1 };
	const struct tw_clock_point b = { 7 * SECOND, 51 * SECOND, 1 };
	struct tw_clock_time time = { 42, 43 };

	(void)state;
	assert_false(
		tw_clock_point__convert(&a, NULL, 0, 20 * SECOND, &time)); /* before the beginning of the other clock */
	assert_false(tw_clock_point__convert(&a, &b, 0, 50 * SECOND,
					     &time)); /* set back by 94 s, and neither before nor after */
	assert_int_equal(time.ns, 42);
	for (int i = 0; i < 6 * 6 * 6 * 6; i++) {
		const struct tw_clock_point x = { ends[i % 6], ends[i / 6 % 6], ends[i / 36 % 6] };
		const struct tw_clock_point y = { ends[i / 216], ends[i % 6], ends[i / 6 % 6] };

		for (int j = 0; j < 6; j++) {
			tw_clock_point__agree(&x, &y, UINT32_MAX);
			tw_clock_point__convert(&x, &y, UINT32_MAX, ends[j], &time);
		}
	}
}

/* The clocks of this machine: a reading of each, converted to each other one, is between two readings of that one. */
static void test_own_clocks(void **state)
{
	static const clockid_t ids[] = { CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME, CLOCK_TAI };

	(void)state;
	for (int i = 0; i < 16; i++) {
		const clockid_t from = ids[i / 4], to = ids[i % 4];
		const uint32_t drift = tw_clock_point__drift(from, to);
		struct tw_clock_point before, after;
		uint64_t first, reading, last;
		struct tw_clock_time time;

		before = tw_clock_point__read(from, to);
		first = tw_time__now(to);
		reading = tw_time__now(from);
		last = tw_time__now(to);
		after = tw_clock_point__read(from, to);
		assert_true(tw_clock_point__agree(&before, &after, drift));
		assert_true(tw_clock_point__convert(&before, &after, drift, reading, &time));
		assert_true(time.ns + time.error_ns >= first && time.ns <= last + time.error_ns);
	}
}

/* Samples of a stream: time stamps of sockets and cards. */
static void test_samples(void **state)
{
	struct tw_clock_view a = {
		.valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL | 1u << TW_CLOCK_RAW,
		.error_ns = 300,
		.reading = { [TW_CLOCK_TRACE] = 5 * SECOND,
			     [TW_CLOCK_REAL] = 1700 * SECOND,
			     [TW_CLOCK_RAW] = 6 * SECOND },
		.n_phcs = 2,
		.phcs = { { .index = 4, .phc = 11, .trace = 22, .error_ns = 1 },
			  { .index = 1, .phc = 90 * SECOND, .trace = 5 * SECOND, .error_ns = 700 } },
	};
	struct tw_clock_view b = a;
	struct tw_clock_samples samples = { &a, &b, "mono" };
	struct tw_clock_time time;

	(void)state;
	for (int i = 0; i < 6; i++)
		b.reading[i] += SECOND;
	b.phcs[1].phc += SECOND + 100000;
	b.phcs[1].trace += SECOND;
	assert_true(tw_clock_samples__convert(&samples, TW_CLOCK_REAL, 1700 * SECOND + 500, &time));
	assert_int_equal(time.ns, 5 * SECOND + 500);
	assert_int_equal(time.error_ns, 300);
	assert_true(tw_clock_samples__convert(&samples, TW_CLOCK_TRACE, 77, &time));
	assert_int_equal(time.ns, 77);
	assert_int_equal(time.error_ns, 0);
	assert_true(tw_clock_samples__convert(&samples, TW_CLOCK_MONO, 78, &time)); /* the same clock */
	assert_int_equal(time.ns, 78);
	assert_true(tw_clock_samples__convert(&samples, TW_CLOCK_RAW, 6 * SECOND + SECOND / 2, &time));
	assert_int_equal(time.error_ns, 300 + 250000);
	assert_false(tw_clock_samples__convert(&samples, TW_CLOCK_TAI, 5, &time)); /* no reading */
	assert_true(tw_clock_samples__convert_phc(&samples, 1, 91 * SECOND + 100000, &time));
	assert_in_range(time.ns + time.error_ns, 6 * SECOND, 6 * SECOND + 2 * 700);
	assert_false(tw_clock_samples__convert_phc(&samples, 2, 91 * SECOND, &time));
	samples.after = NULL;
	samples.trace_clock = "local"; /* its rate differs from that of REALTIME */
	assert_true(tw_clock_samples__convert(&samples, TW_CLOCK_REAL, 1702 * SECOND, &time));
	assert_int_equal(time.ns, 7 * SECOND);
	assert_int_equal(time.error_ns, 300 + 1000000);
	assert_true(tw_clock_samples__convert(&samples, TW_CLOCK_TRACE, 6 * SECOND, &time));
	b.n_phcs = 1;
	samples.after = &b; /* the clock is gone */
	assert_false(tw_clock_samples__convert_phc(&samples, 1, 91 * SECOND, &time));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bound_is_a_bound), cmocka_unit_test(test_steps),
		cmocka_unit_test(test_same_rate),        cmocka_unit_test(test_impossible),
		cmocka_unit_test(test_own_clocks),       cmocka_unit_test(test_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
