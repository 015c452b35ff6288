/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A series of offsets stays an enclosure of all its samples, however many there are. */
#include "pcap-tools/time/series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "wire/tracewire.h"

#define SAMPLES 5000
#define SECOND  1000000000ull

static struct tw_time_sample samples[SAMPLES];

static void add(struct tw_time_series *series, uint64_t time, int64_t offset, uint64_t error)
{
	assert_int_equal(tw_time_series__add(series, &(struct tw_time_sample){ time, offset, error }), 0);
}

/* The point that applies at @time. */
static const struct tw_time_point *at(const struct tw_time_series *series, uint64_t time)
{
	uint32_t i = series->n - 1;

	while (i && series->points[i].from > time)
		i--;
	return &series->points[i];
}

static void many_samples_stay_inside(void **state)
{
	struct tw_time_series series = { 0 };
	uint64_t time = 7;

	(void)state;
	srand(1);
	for (int i = 0; i < SAMPLES; i++) {
		samples[i] = (struct tw_time_sample){ time, rand() % 2000 - 1000, (uint64_t)rand() % 500 };
		if (i % 97 == 50)
			samples[i].error_ns = TW_ERROR_UNKNOWN;
		add(&series, samples[i].time, samples[i].offset, samples[i].error_ns);
		assert_true(series.n <= TW_TIME_POINTS_MAX);
		time += (uint64_t)rand() % 100;
	}
	assert_int_equal(series.samples, SAMPLES);
	for (int i = 0; i < SAMPLES; i++) {
		const struct tw_time_sample *s = &samples[i];
		const struct tw_time_point *point = at(&series, s->time);

		assert_true(point->offset_min <= s->offset && s->offset <= point->offset_max);
		if (s->error_ns == TW_ERROR_UNKNOWN)
			assert_false(point->is_bounded);
		else if (point->is_bounded)
			assert_true(point->low <= s->offset - (int64_t)s->error_ns &&
				    s->offset + (int64_t)s->error_ns <= point->high);
	}
	assert_true(series.has_unknown);
	for (uint32_t i = 1; i < series.n; i++)
		assert_true(series.points[i - 1].from < series.points[i].from);
	tw_time_series__fini(&series);
}

static void extremes_do_not_overflow(void **state)
{
	struct tw_time_series series = { 0 };
	struct tw_time_slope slope;

	(void)state;
	add(&series, 0, INT64_MIN, TW_ERROR_UNKNOWN - 1);
	add(&series, UINT64_MAX, INT64_MAX, TW_ERROR_UNKNOWN - 1);
	assert_true(series.points[0].low == INT64_MIN && series.points[1].high == INT64_MAX);
	assert_true(tw_time_series__slope(&series, &slope));
	tw_time_series__fini(&series);
}

static void older_samples_widen_the_last_point(void **state)
{
	struct tw_time_series series = { 0 };

	(void)state;
	add(&series, 100, 5, 1);
	add(&series, 100, 9, 2);
	add(&series, 50, -3, 4);
	assert_int_equal(series.n, 1);
	assert_int_equal(series.points[0].low, -7);
	assert_int_equal(series.points[0].high, 11);
	assert_int_equal(series.error_min, 1);
	assert_int_equal(series.error_max, 4);
	tw_time_series__fini(&series);
}

static void the_slope_is_that_of_the_longest_run(void **state)
{
	struct tw_time_series series = { 0 };
	struct tw_time_slope slope;

	(void)state;
	assert_false(tw_time_series__slope(&series, &slope));
	add(&series, 0, 100, 10);
	assert_false(tw_time_series__slope(&series, &slope));
	add(&series, 10 * SECOND, 1100, 30);
	assert_true(tw_time_series__slope(&series, &slope));
	assert_float_equal(slope.ns_per_s, 100, 1e-9);
	assert_float_equal(slope.error, 4, 1e-9);
	tw_time_series__break(&series); /* the clock was set */
	add(&series, 11 * SECOND, 1000000000, 10);
	add(&series, 12 * SECOND, 1000000007, TW_ERROR_UNKNOWN);
	assert_true(tw_time_series__slope(&series, &slope));
	assert_float_equal(slope.ns_per_s, 100, 1e-9);
	add(&series, 31 * SECOND, 1000000020, TW_ERROR_UNKNOWN);
	assert_true(tw_time_series__slope(&series, &slope));
	assert_float_equal(slope.ns_per_s, 1, 1e-9);
	assert_true(slope.error < 0);
	tw_time_series__fini(&series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_samples_stay_inside),
		cmocka_unit_test(extremes_do_not_overflow),
		cmocka_unit_test(older_samples_widen_the_last_point),
		cmocka_unit_test(the_slope_is_that_of_the_longest_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
