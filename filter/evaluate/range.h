/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the filter room. Every comparison of numbers as one: under a mask, within a range or outside it. Modulo
 * 2^64 that is a subtraction and a comparison, with sign or without.
 */
#ifndef TW_RANGE_H
#define TW_RANGE_H

#include "filter/tree.h"

struct tw_range {
	uint64_t mask, low, span; /* span: what lies in it is this far above low at most */
	bool is_outside;          /* the test is true outside; for an array, if all elements are */
};

/** tw_range__of() - of a NUMBER test on numbers of @size bytes */
struct tw_range tw_range__of(const struct tw_test *test, uint32_t size);

/** tw_range__fits() - whether a number, extended by its own sign to 64 bits, makes the test true */
static inline bool tw_range__fits(const struct tw_range *range, uint64_t number)
{
	return ((number & range->mask) - range->low <= range->span) != range->is_outside;
}

#endif
