/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of values by size. The buckets have equal width, or there are 32 buckets between each power of two and the next. In the second
 * case, a bucket is one unit wide, or at most 3.2 % of its values, and there is one row to show for each power of two. Bounds are
 * right-inclusive: a row (2, 4] contains 3 and 4.
 */
#ifndef TW_HISTOGRAM_H
#define TW_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_HISTOGRAM_STEP_BITS 5 /* 2^5 buckets between powers of two */
#define TW_HISTOGRAM_BUCKETS   ((65 - TW_HISTOGRAM_STEP_BITS) << TW_HISTOGRAM_STEP_BITS) /* for all numbers of 64 bits */

/* How values are divided into buckets. */
struct tw_histogram_scale {
	/* The smallest bound; values are rounded up to multiples of it. For times in ns: 1, 1000 or 1000000. 0 = 1 */
	uint64_t unit;
	uint64_t linear; /* width of each bucket; 0 = powers of two */
};

struct tw_histogram {
	struct tw_histogram_scale scale;
	uint64_t n, min, max; /* of all values; min and max are valid if n is not 0 */
	uint64_t sum;         /* of all values; UINT64_MAX = it exceeds 64 bits */
	uint64_t beyond;      /* number of values above the last bucket; only with buckets of equal width */
	uint64_t buckets[TW_HISTOGRAM_BUCKETS];
};

/** tw_histogram__init() - make an empty histogram */
void tw_histogram__init(struct tw_histogram *histogram, const struct tw_histogram_scale *scale);

/* The number of the highest bit of @value, from 0; @value is not 0. */
static inline unsigned int tw_histogram__highest_bit(uint64_t value)
{
#ifdef __bpf__ /* BPF has no instruction for it */
	unsigned int bit = 0;

	for (unsigned int shift = 32; shift; shift /= 2) {
		if (!(value >> shift))
			continue;
		value >>= shift;
		bit += shift;
	}
	return bit;
#else
	return 63 - (unsigned int)__builtin_clzll(value);
#endif
}

/** tw_histogram__bucket() - the index of the bucket of @value; TW_HISTOGRAM_BUCKETS = beyond the last one */
static inline size_t tw_histogram__bucket(const struct tw_histogram_scale *scale, uint64_t value)
{
	const uint64_t width = scale->linear ? scale->linear : scale->unit;
	const uint64_t whole = value ? (value - 1) / (width ? width : 1) : 0;
	unsigned int shift;

	if (scale->linear)
		return whole < TW_HISTOGRAM_BUCKETS ? (size_t)whole : TW_HISTOGRAM_BUCKETS;
	if (whole < 1u << (TW_HISTOGRAM_STEP_BITS + 1))
		return (size_t)whole;
	shift = tw_histogram__highest_bit(whole) - TW_HISTOGRAM_STEP_BITS;
	return ((size_t)shift << TW_HISTOGRAM_STEP_BITS) + (size_t)(whole >> shift);
}

/** tw_histogram__bound() - the largest value of bucket @i; UINT64_MAX if it exceeds 64 bits */
uint64_t tw_histogram__bound(const struct tw_histogram_scale *scale, size_t i);

/** tw_histogram__add() - count a value */
static inline void tw_histogram__add(struct tw_histogram *histogram, uint64_t value)
{
	const size_t i = tw_histogram__bucket(&histogram->scale, value);

	if (i < TW_HISTOGRAM_BUCKETS)
		histogram->buckets[i]++;
	else
		histogram->beyond++;
	histogram->min = !histogram->n || value < histogram->min ? value : histogram->min;
	histogram->max = !histogram->n || value > histogram->max ? value : histogram->max;
	if (__builtin_add_overflow(histogram->sum, value, &histogram->sum))
		histogram->sum = UINT64_MAX;
	histogram->n++;
}

/**
 * tw_histogram__quantile() - a value such that @per_mille thousandths of all values are not larger
 * The result is the bound of a bucket, or the maximum if that is smaller. Return: 0 for an empty histogram.
 */
uint64_t tw_histogram__quantile(const struct tw_histogram *histogram, unsigned int per_mille);

/**
 * tw_histogram__distance() - how different two distributions are, from 0 to 1
 * The result is the largest difference, at any bound, of the shares of values up to this bound: the Kolmogorov-Smirnov statistic, as far as
 * the buckets show it. Both histograms must have the same scale. Return: 0 if one is empty.
 */
double tw_histogram__distance(const struct tw_histogram *a, const struct tw_histogram *b);

/* A row of a printed histogram: the number of values that are above @above and not above @bound. */
struct tw_histogram_row {
	uint64_t above, bound; /* if @above is 0, the row also contains 0; bound UINT64_MAX = without limit */
	uint64_t n;
};

/** tw_histogram__rows_max() - the largest number of rows: one for each power of two or each bucket of equal width, and one beyond */
static inline size_t tw_histogram__rows_max(const struct tw_histogram *histogram)
{
	return histogram->scale.linear ? TW_HISTOGRAM_BUCKETS + 1 : 66;
}

/**
 * tw_histogram__rows() - make the rows from the first that is not empty to the last that is not empty
 * @ret: tw_histogram__rows_max() rows
 * Return: their number.
 */
size_t tw_histogram__rows(const struct tw_histogram *histogram, struct tw_histogram_row *ret);

#endif
