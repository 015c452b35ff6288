/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparisons of numbers, text and bytes: used by the evaluator with fields, by the binder with known names, by a back end with the few
 * possible values.
 */
#ifndef TW_COMPARE_H
#define TW_COMPARE_H

#include "filter/tree.h"

/*
 * Every comparison of numbers as one operation: masked, inside or outside a range. Modulo 2^64 that is a subtraction and a comparison,
 * signed or unsigned.
 */
struct tw_range {
	uint64_t mask, low, span; /* span: a number inside the range is at most this far above low */
	bool is_outside;          /* the test is true outside the range; for an array, if all elements are outside */
};

/**
 * tw_test__ends() - the smallest and largest number from @least to @most for which a NUMBER test is true; for NE, for which it is false
 * @is_signed: order of the numbers
 * Return: false if there is none.
 */
bool tw_test__ends(const struct tw_test *test, bool is_signed, uint64_t least, uint64_t most, uint64_t *ret_low,
		   uint64_t *ret_high);

/** tw_range__of() - the range of a NUMBER test on numbers of @size bytes */
struct tw_range tw_range__of(const struct tw_test *test, uint32_t size);

/** tw_range__fits() - whether the test is true for a number that was extended to 64 bits by its sign */
static inline bool tw_range__fits(const struct tw_range *range, uint64_t number)
{
	return ((number & range->mask) - range->low <= range->span) != range->is_outside;
}

/** tw_prefix__mask() - the bits of byte @i that belong to the first @prefix bits */
static inline uint8_t tw_prefix__mask(size_t prefix, size_t i)
{
	return (uint8_t)(prefix >= 8 * i + 8 ? 0xff : prefix > 8 * i ? 0xff00 >> (prefix - 8 * i) : 0);
}

/** tw_bytes__compare() - byte by byte; a prefix is smaller. Return: less than 0, 0, more than 0 */
int tw_bytes__compare(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);

/**
 * tw_test__bytes() - whether a comparison of text or bytes is true
 * @len: for a text without its NUL
 */
bool tw_test__bytes(const struct tw_test *test, const uint8_t *bytes, size_t len);

#endif
