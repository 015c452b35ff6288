/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/regression.h"

/* Return: false if the points have the same x. */
static bool fit_all(const struct tw_regression_point *points, size_t n, struct tw_regression_line *ret)
{
	double weight = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;

	for (size_t i = 0; i < n; i++) {
		weight += points[i].weight;
		x += points[i].weight * points[i].x;
		y += points[i].weight * points[i].y;
	}
	x /= weight;
	y /= weight;
	for (size_t i = 0; i < n; i++) {
		const double dx = points[i].x - x, dy = points[i].y - y;

		xx += points[i].weight * dx * dx;
		xy += points[i].weight * dx * dy;
		yy += points[i].weight * dy * dy;
	}
	if (!(xx > 0))
		return false;
	*ret = (struct tw_regression_line){
		.at_0 = y - xy / xx * x,
		.slope = xy / xx,
		.from = points[0].x,
		.to = points[n - 1].x,
		.variance = (yy - xy / xx * xy) / weight,
	};
	return true;
}

/* Whether the residuals of the good points have runs of equal signs that are too long to be random: about one time in 20 if they are. */
static bool has_long_runs(const struct tw_regression_point *points, size_t n, const struct tw_regression_line *line)
{
	size_t good = 0, runs = 0;
	bool last = false;
	double missing;

	for (size_t i = 0; i < n; i++) {
		const bool above = points[i].y > line->at_0 + line->slope * points[i].x;

		if (points[i].weight < TW_REGRESSION_GOOD)
			continue;
		runs += !good || above != last;
		last = above;
		good++;
	}
	/* The number of runs has the mean good / 2 + 1 and the variance (good - 1) / 4; 1.65 standard deviations are 5 %. */
	missing = (double)good / 2 + 1 - (double)runs;
	return good >= TW_REGRESSION_MIN && missing > 0 && missing * missing * 4 > 1.65 * 1.65 * (double)(good - 1);
}

bool tw_regression__fit(const struct tw_regression_point *points, size_t n, struct tw_regression_line *ret)
{
	while (n >= TW_REGRESSION_MIN) {
		const size_t older = n / 4;

		if (!fit_all(points, n, ret))
			return false;
		if (!has_long_runs(points, n, ret))
			return true;
		points += older;
		n -= older;
	}
	return false;
}
