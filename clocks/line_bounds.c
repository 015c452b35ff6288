/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/line_bounds.h"

#define EXACT 0.01 /* a line may miss the limits by this much, because of rounding */

/* Where the lines of one slope meet distance 0: the highest line below all upper limits, and the lowest line above all lower limits. */
struct reach {
	double high, low;
	double high_distance, low_distance; /* distances of the limits that these two lines touch */
};

/* @sign: 1, or -1 to exchange up and down */
static struct reach reach_of(const struct tw_line_limit *limits, size_t n, double slope, double sign)
{
	struct reach ret = { 0 };

	for (size_t i = 0; i < n; i++) {
		const double rise = slope * limits[i].distance;
		const double high = (sign > 0 ? limits[i].high : -limits[i].low) - rise;
		const double low = (sign > 0 ? limits[i].low : -limits[i].high) - rise;

		if (!i || high < ret.high) {
			ret.high = high;
			ret.high_distance = limits[i].distance;
		}
		if (!i || low > ret.low) {
			ret.low = low;
			ret.low_distance = limits[i].distance;
		}
	}
	return ret;
}

/*
 * Get the highest line. A smaller slope gives a higher line, so the smallest possible slope is wanted. The gap between upper and lower
 * limits is a concave function of the slope, so Newton's method approaches its zero from one side, and ends there after a few rounds.
 */
static bool highest(const struct tw_line_limit *limits, size_t n, double slope_max, double sign, double *ret)
{
	double slope = -slope_max;

	for (size_t round = 0; round <= 2 * n; round++) {
		const struct reach reach = reach_of(limits, n, slope, sign);
		const double missing = reach.low - reach.high, gain = reach.low_distance - reach.high_distance;

		if (missing <= EXACT) {
			*ret = reach.high;
			return true;
		}
		if (gain <= 0)
			return false;
		slope += missing / gain;
		if (slope > slope_max)
			return false;
	}
	return false;
}

bool tw_line_bounds__exist(const struct tw_line_limit *limits, size_t n, double slope_max, double likely)
{
	const struct reach reach = reach_of(limits, n, likely, 1);
	double unused;

	return n && (reach.low - reach.high <= EXACT || highest(limits, n, slope_max, 1, &unused));
}

bool tw_line_bounds__find(const struct tw_line_limit *limits, size_t n, double slope_max, double *ret_low,
			  double *ret_high)
{
	double high, low;

	if (!n || !highest(limits, n, slope_max, 1, &high) || !highest(limits, n, slope_max, -1, &low))
		return false;
	*ret_low = -low;
	*ret_high = high;
	return true;
}
