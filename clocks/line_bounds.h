/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bounds of a quantity that changes at an almost constant rate, from bounds at several times on one side of the time in question: either
 * all before, or all after it. The result contains all lines that pass between the lower and the upper limits. This is the method of Zhang,
 * Liu and Xia, "Clock Synchronization Algorithms for Network Measurements", INFOCOM 2002. It needs no assumption about the delays.
 */
#ifndef TW_LINE_BOUNDS_H
#define TW_LINE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

/* low <= value of the line <= high at @distance, ns, from the time in question; @distance is not negative. */
struct tw_line_limit {
	double distance, low, high;
};

/**
 * tw_line_bounds__find() - get the smallest and the largest value, at distance 0, of the lines that pass between all limits
 * @slope_max: largest size of the slope of a line
 * Return: false if there is no such line.
 */
bool tw_line_bounds__find(const struct tw_line_limit *limits, size_t n, double slope_max, double *ret_low,
			  double *ret_high);

/** tw_line_bounds__exist() - whether there is such a line; @likely: any slope of at most @slope_max. It is fast if such a line has it */
bool tw_line_bounds__exist(const struct tw_line_limit *limits, size_t n, double slope_max, double likely);

#endif
