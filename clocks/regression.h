/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Weighted linear regression (least squares) of points in order of x. If the points do not lie along one line, only the latest of them that
 * do are used. A test of the residuals decides, as in chrony: residuals with random signs change their sign often, so that there are about
 * half as many runs of equal signs as points (Bradley, "Distribution-Free Statistical Tests", 1968).
 */
#ifndef TW_REGRESSION_H
#define TW_REGRESSION_H

#include <stdbool.h>
#include <stddef.h>

#define TW_REGRESSION_MIN 8 /* smallest number of points */

struct tw_regression_point {
	double x, y;
	double weight; /* above 0; points with a weight below TW_REGRESSION_GOOD are left out of the test of the residuals */
};

#define TW_REGRESSION_GOOD 0.04

/* The line y = @at_0 + @slope * x. */
struct tw_regression_line {
	double at_0, slope;
	double from, to; /* range of x of the points that were used */
	double variance; /* weighted mean of the squared residuals */
};

/** tw_regression__fit() - get the line. Return: false if fewer than TW_REGRESSION_MIN points lie along one line */
bool tw_regression__fit(const struct tw_regression_point *points, size_t n, struct tw_regression_line *ret);

#endif
