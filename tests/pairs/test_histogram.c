/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairs/histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct tw_histogram_scale ns = { 1, 0 }, us = { 1000, 0 }, by_100 = { 1, 100 };
static struct tw_histogram h;
static struct tw_histogram_row rows[TW_HISTOGRAM_BUCKETS + 1];

/* The bound of a bucket is its largest value. A bucket is at most 1/32 of its values wide, unless the scale is linear. */
static void check_scale(const struct tw_histogram_scale *scale)
{
	uint64_t before = 0;

	for (size_t i = 0; i < TW_HISTOGRAM_BUCKETS; i++) {
		const uint64_t bound = tw_histogram__bound(scale, i);

		assert_int_equal(tw_histogram__bucket(scale, before ? before + 1 : 0), i);
		if (bound == UINT64_MAX)
			break;
		assert_int_equal(tw_histogram__bucket(scale, bound), i);
		assert_true(bound > before);
		if (!scale->linear && i >= 64)
			assert_true(bound - before <= before / 32);
		before = bound;
	}
}

static void test_buckets(void **state)
{
	(void)state;
	check_scale(&ns);
	check_scale(&us);
	check_scale(&by_100);
	assert_int_equal(tw_histogram__bucket(&ns, 0), 0);
	assert_int_equal(tw_histogram__bucket(&ns, 1), 0);
	assert_int_equal(tw_histogram__bucket(&ns, 2), 1);
	assert_int_equal(tw_histogram__bucket(&ns, UINT64_MAX), TW_HISTOGRAM_BUCKETS - 1);
	assert_int_equal(tw_histogram__bucket(&us, 1000), 0);
	assert_int_equal(tw_histogram__bucket(&us, 1001), 1);
	assert_int_equal(tw_histogram__bucket(&by_100, 100), 0);
	assert_int_equal(tw_histogram__bucket(&by_100, 101), 1);
	assert_int_equal(tw_histogram__bucket(&by_100, 100 * TW_HISTOGRAM_BUCKETS), TW_HISTOGRAM_BUCKETS - 1);
	assert_int_equal(tw_histogram__bucket(&by_100, 100 * TW_HISTOGRAM_BUCKETS + 1), TW_HISTOGRAM_BUCKETS);
	assert_int_equal(tw_histogram__bound(&ns, TW_HISTOGRAM_BUCKETS - 1), UINT64_MAX);
}

static void fill(const struct tw_histogram_scale *scale, const uint64_t *values, size_t n)
{
	tw_histogram__init(&h, scale);
	for (size_t i = 0; i < n; i++)
		tw_histogram__add(&h, values[i]);
}

static void expect_row(size_t i, uint64_t above, uint64_t bound, uint64_t n)
{
	assert_int_equal(rows[i].above, above);
	assert_int_equal(rows[i].bound, bound);
	assert_int_equal(rows[i].n, n);
}

static void test_rows(void **state)
{
	static const uint64_t values[] = { 2, 3, 4, 17, 32 }, times[] = { 0, 999, 1000, 1001, 4000 },
			      lengths[] = { 150, 400, 1000000 }, ends[] = { 0, UINT64_MAX };

	(void)state;
	fill(&ns, values, 5);
	assert_int_equal(tw_histogram__rows(&h, rows), 5);
	expect_row(0, 1, 2, 1);
	expect_row(1, 2, 4, 2);
	expect_row(2, 4, 8, 0);
	expect_row(3, 8, 16, 0);
	expect_row(4, 16, 32, 2);

	fill(&us, times, 5);
	assert_int_equal(tw_histogram__rows(&h, rows), 3);
	expect_row(0, 0, 1000, 3);
	expect_row(1, 1000, 2000, 1);
	expect_row(2, 2000, 4000, 1);

	fill(&by_100, lengths, 3);
	assert_int_equal(tw_histogram__rows(&h, rows), 4);
	expect_row(0, 100, 200, 1);
	expect_row(1, 200, 300, 0);
	expect_row(2, 300, 400, 1);
	expect_row(3, 100 * TW_HISTOGRAM_BUCKETS, UINT64_MAX, 1);

	fill(&ns, ends, 2);
	assert_int_equal(tw_histogram__rows(&h, rows), 65);
	assert_true(tw_histogram__rows_max(&h) >= 65);
	expect_row(0, 0, 1, 1);
	expect_row(64, 1ull << 63, UINT64_MAX, 1);

	fill(&ns, NULL, 0);
	assert_int_equal(tw_histogram__rows(&h, rows), 0);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A quantile is not below the value at that rank, and at most the width of a bucket above it. */
static void test_quantiles(void **state)
{
	static uint64_t values[12345];
	static const unsigned int per_mille[] = { 1, 500, 900, 990, 999, 1000 };
	uint64_t x = 88172645463325252u, sum = 0;

	(void)state;
	for (size_t i = 0; i < 12345; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		values[i] = x >> (x % 50 + 12);
		sum += values[i];
	}
	fill(&ns, values, 12345);
	qsort(values, 12345, sizeof(values[0]), by_value);
	assert_int_equal(h.n, 12345);
	assert_int_equal(h.sum, sum);
	assert_int_equal(h.min, values[0]);
	assert_int_equal(h.max, values[12344]);
	for (size_t i = 0; i < sizeof(per_mille) / sizeof(per_mille[0]); i++) {
		const uint64_t exact = values[(12345 * per_mille[i] + 999) / 1000 - 1],
			       shown = tw_histogram__quantile(&h, per_mille[i]);

		assert_true(shown >= exact && shown - exact <= exact / 32 + 1);
	}
	assert_int_equal(tw_histogram__quantile(&h, 1000), h.max);
	fill(&by_100, (const uint64_t[]){ 1000000, 2000000 }, 2);
	assert_int_equal(tw_histogram__quantile(&h, 500), 2000000); /* beyond the buckets, only the maximum is known */
	fill(&ns, (const uint64_t[]){ 7 }, 1);
	assert_int_equal(tw_histogram__quantile(&h, 1), 7);
	fill(&ns, NULL, 0);
	assert_int_equal(tw_histogram__quantile(&h, 500), 0);
	fill(&ns, (const uint64_t[]){ UINT64_MAX, 1 }, 2);
	assert_true(h.sum == UINT64_MAX);
}

static void test_distance(void **state)
{
	static struct tw_histogram other;

	(void)state;
	fill(&ns, (const uint64_t[]){ 1, 2, 3, 4 }, 4);
	other = h;
	assert_true(tw_histogram__distance(&h, &other) == 0);
	fill(&ns, (const uint64_t[]){ 3, 4, 5, 6 }, 4);
	assert_true(tw_histogram__distance(&h, &other) == 0.5);
	assert_true(tw_histogram__distance(&other, &h) == 0.5);
	fill(&ns, NULL, 0);
	assert_true(tw_histogram__distance(&h, &other) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_quantiles),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
