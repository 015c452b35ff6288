/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of times that strangers sent: what would overflow is cut. */
#ifndef TW_SATURATE_H
#define TW_SATURATE_H

#include <stdint.h>

static inline int64_t tw_saturate__plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

static inline int64_t tw_saturate__minus(int64_t a, int64_t b)
{
	int64_t difference;

	if (__builtin_sub_overflow(a, b, &difference))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return difference;
}

/** tw_saturate__size() - how far from 0 */
static inline uint64_t tw_saturate__size(int64_t a)
{
	return a < 0 ? -(uint64_t)a : (uint64_t)a;
}

#endif
