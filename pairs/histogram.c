/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairs/histogram.h"

#define STEPS (1u << TW_HISTOGRAM_STEP_BITS)

void tw_histogram__init(struct tw_histogram *histogram, const struct tw_histogram_scale *scale)
{
	*histogram = (struct tw_histogram){ .scale = *scale };
}

static uint64_t width_of(const struct tw_histogram_scale *scale)
{
	const uint64_t width = scale->linear ? scale->linear : scale->unit;

	return width ? width : 1;
}

/* Return: @units times the unit, or times the width of a linear bucket; UINT64_MAX if this exceeds 64 bits */
static uint64_t value_of(const struct tw_histogram_scale *scale, uint64_t units)
{
	uint64_t value;

	return __builtin_mul_overflow(units, width_of(scale), &value) ? UINT64_MAX : value;
}

/* The end of bucket @i of a scale with powers of two, in units. Return: UINT64_MAX if it exceeds 64 bits */
static uint64_t end_of(size_t i)
{
	const unsigned int shift = i < STEPS ? 0 : (unsigned int)(i >> TW_HISTOGRAM_STEP_BITS) - 1;
	const uint64_t top = (i < STEPS ? i : STEPS + (i & (STEPS - 1))) + 1;

	return top > UINT64_MAX >> shift ? UINT64_MAX : top << shift;
}

uint64_t tw_histogram__bound(const struct tw_histogram_scale *scale, size_t i)
{
	return value_of(scale, scale->linear ? i + 1 : end_of(i));
}

uint64_t tw_histogram__quantile(const struct tw_histogram *histogram, unsigned int per_mille)
{
	const uint64_t n = histogram->n;
	uint64_t rank = n / 1000 * per_mille + (n % 1000 * per_mille + 999) / 1000, seen = 0;

	if (!n)
		return 0;
	rank = rank ? rank : 1;
	for (size_t i = 0; i < TW_HISTOGRAM_BUCKETS; i++) {
		const uint64_t bound = tw_histogram__bound(&histogram->scale, i);

		seen += histogram->buckets[i];
		if (seen >= rank)
			return bound < histogram->max ? bound : histogram->max;
	}
	return histogram->max;
}

double tw_histogram__distance(const struct tw_histogram *a, const struct tw_histogram *b)
{
	uint64_t up_to_a = 0, up_to_b = 0;
	double largest = 0;

	if (!a->n || !b->n)
		return 0;
	for (size_t i = 0; i < TW_HISTOGRAM_BUCKETS; i++) {
		double difference;

		up_to_a += a->buckets[i];
		up_to_b += b->buckets[i];
		difference = (double)up_to_a / (double)a->n - (double)up_to_b / (double)b->n;
		difference = difference < 0 ? -difference : difference;
		largest = difference > largest ? difference : largest;
	}
	return largest;
}

/* The row of bucket @i. */
static size_t row_of(const struct tw_histogram_scale *scale, size_t i)
{
	const uint64_t last = scale->linear ? 0 : end_of(i) - 1; /* the largest number of whole units in the bucket */

	if (scale->linear)
		return i;
	return last ? 64 - (size_t)__builtin_clzll(last) : 0;
}

static struct tw_histogram_row row(const struct tw_histogram_scale *scale, size_t i)
{
	if (scale->linear)
		return (struct tw_histogram_row){ value_of(scale, i), value_of(scale, i + 1), 0 };
	return (struct tw_histogram_row){
		.above = i ? value_of(scale, 1ull << (i - 1)) : 0,
		.bound = i < 64 ? value_of(scale, 1ull << i) : UINT64_MAX,
	};
}

size_t tw_histogram__rows(const struct tw_histogram *histogram, struct tw_histogram_row *ret)
{
	const struct tw_histogram_scale *scale = &histogram->scale;
	size_t first = SIZE_MAX, n = 0;

	for (size_t i = 0; i < TW_HISTOGRAM_BUCKETS; i++) {
		const size_t at = row_of(scale, i);

		if (!histogram->buckets[i])
			continue;
		first = first == SIZE_MAX ? at : first;
		for (; n <= at - first; n++)
			ret[n] = row(scale, first + n);
		ret[at - first].n += histogram->buckets[i];
	}
	if (histogram->beyond)
		ret[n++] = (struct tw_histogram_row){ value_of(scale, TW_HISTOGRAM_BUCKETS), UINT64_MAX,
						      histogram->beyond };
	return n;
}
