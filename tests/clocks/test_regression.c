/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines that pass between limits, and the line that fits points best. */
#include "clocks/regression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clocks/line_bounds.h"

/* Between limits that only one line satisfies, the bounds are its value, whatever its slope. Wider limits elsewhere change nothing. */
static void test_one_line(void **state)
{
	(void)state;
	for (double slope = -0.5; slope <= 0.5; slope += 0.125) {
		const struct tw_line_limit limits[] = {
			{ 1000, 40 + 1000 * slope, 40 + 1000 * slope },
			{ 2000, -1e6, 1e6 },
			{ 3000, 40 + 3000 * slope, 40 + 3000 * slope },
		};
		double low, high;

		assert_true(tw_line_bounds__find(limits, 3, 1, &low, &high));
		assert_float_equal(low, 40, 0.1);
		assert_float_equal(high, 40, 0.1);
		assert_false(tw_line_bounds__find(limits, 3, slope > 0 ? slope - 0.01 : -slope - 0.01, &low, &high));
	}
}

/* The steepest lines touch a lower and an upper limit. */
static void test_crossing(void **state)
{
	static const struct tw_line_limit gates[] = { { 100, -10, 10 }, { 200, -10, 10 } };
	static const struct tw_line_limit bent[] = { { 100, 0, 1 }, { 200, 50, 51 }, { 300, 0, 1 } };
	double low, high;

	(void)state;
	assert_true(tw_line_bounds__find(gates, 2, 1, &low, &high));
	assert_float_equal(low, -30, 0.1);
	assert_float_equal(high, 30, 0.1);
	assert_true(tw_line_bounds__find(gates, 2, 0.05, &low, &high));
	assert_float_equal(high, 15, 0.1);
	assert_true(tw_line_bounds__find(gates, 1, 0.05, &low, &high));
	assert_float_equal(low, -15, 0.1);
	assert_false(tw_line_bounds__find(bent, 3, 1, &low, &high));
	assert_false(tw_line_bounds__find(gates, 0, 1, &low, &high));
}

#define N 40

/* Makes points on a line that bends at the point @bend, with an alternating deviation. */
static void make_points(struct tw_regression_point *points, size_t bend)
{
	for (size_t i = 0; i < N; i++)
		points[i] = (struct tw_regression_point){
			.x = (double)i - N,
			.y = 5 + 2 * ((double)i - N) + (i < bend ? 3 * (double)(bend - i) : 0) + (i % 2 ? 0.1 : -0.1),
			.weight = 1,
		};
}

static void test_fit(void **state)
{
	struct tw_regression_point points[N];
	struct tw_regression_line line;

	(void)state;
	make_points(points, 0);
	assert_true(tw_regression__fit(points, N, &line));
	assert_float_equal(line.at_0, 5, 0.1);
	assert_float_equal(line.slope, 2, 0.01);
	assert_float_equal(line.from, -N, 0.01);
	points[N - 2].y += 1000; /* a point without weight */
	points[N - 2].weight = 1e-9;
	assert_true(tw_regression__fit(points, N, &line));
	assert_float_equal(line.at_0, 5, 0.1);
	assert_false(tw_regression__fit(points, TW_REGRESSION_MIN - 1, &line));
	for (size_t i = 0; i < N; i++)
		points[i].x = 1;
	assert_false(tw_regression__fit(points, N, &line));
}

/* Points from before a bend are left out. */
static void test_bend(void **state)
{
	struct tw_regression_point points[N];
	struct tw_regression_line line;

	(void)state;
	make_points(points, N / 2);
	assert_true(tw_regression__fit(points, N, &line));
	assert_float_equal(line.at_0, 5, 1);
	assert_float_equal(line.slope, 2, 0.2);
	assert_true(line.from >= -N / 2. - 2);
	make_points(points, N - 4);
	assert_false(tw_regression__fit(points, N, &line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_line),
		cmocka_unit_test(test_crossing),
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_bend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
