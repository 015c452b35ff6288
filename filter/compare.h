/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparing numbers, text and bytes: what the evaluator does with a field's, the binder with names that are known, a back end with the
 * few values that there can be.
 */
#ifndef TW_COMPARE_H
#define TW_COMPARE_H

#include "filter/tree.h"

/*
 * Every comparison of numbers as one: under a mask, within a range or outside it. Modulo 2^64 that is a subtraction and a comparison,
 * with sign or without.
 */
struct tw_range {
	uint64_t mask, low, span; /* span: what lies in it is this far above low at most */
	bool is_outside;          /* the test is true outside; for an array, if all elements are */
};

/**
 * tw_test__ends() - the least and the largest number that a NUMBER test takes of those from @least to @most; of NE, that it does not take
 * @is_signed: how the numbers are ordered
 * Return: false if it takes none.
 */
bool tw_test__ends(const struct tw_test *test, bool is_signed, uint64_t least, uint64_t most, uint64_t *ret_low,
		   uint64_t *ret_high);

/** tw_range__of() - of a NUMBER test on numbers of @size bytes */
struct tw_range tw_range__of(const struct tw_test *test, uint32_t size);

/** tw_range__fits() - whether a number, extended by its own sign to 64 bits, makes the test true */
static inline bool tw_range__fits(const struct tw_range *range, uint64_t number)
{
	return ((number & range->mask) - range->low <= range->span) != range->is_outside;
}

/** tw_prefix__mask() - the bits of byte @i that are among the first @prefix bits */
static inline uint8_t tw_prefix__mask(size_t prefix, size_t i)
{
	return (uint8_t)(prefix >= 8 * i + 8 ? 0xff : prefix > 8 * i ? 0xff00 >> (prefix - 8 * i) : 0);
}

/** tw_bytes__compare() - byte by byte, a beginning comes first. Return: less than 0, 0, more than 0 */
int tw_bytes__compare(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);

/**
 * tw_test__bytes() - whether text or bytes pass a test that compares them
 * @len: of a text up to its NUL, which is not counted
 */
bool tw_test__bytes(const struct tw_test *test, const uint8_t *bytes, size_t len);

#endif
