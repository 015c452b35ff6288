/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparisons of numbers, text and bytes, for the evaluator, the binder and the back ends.
 */
#ifndef TW_COMPARE_H
#define TW_COMPARE_H

#include "filter/tree.h"

/*
 * A comparison of numbers, in one form for all operators: (number & mask) is inside or outside of a range. (number & mask) is inside if
 * (number & mask) - low <= span, where the difference is modulo 2^64. This is true of signed and of unsigned numbers.
 */
struct tw_range {
	uint64_t mask, low, span; /* span: the largest number of the range minus low */
	bool is_outside; /* the test is true if the number is outside the range; for an array: if all elements are */
};

/**
 * tw_test__ends() - find the smallest and the largest number for which a NUMBER test is true; for the operator NE, the smallest and the
 * largest number for which the test is false
 * @is_signed: true if numbers are ordered as int64_t, false if as uint64_t
 * @least, @most: the smallest and the largest number that the operand can have
 * Return: false if there is no such number.
 */
bool tw_test__ends(const struct tw_test *test, bool is_signed, uint64_t least, uint64_t most, uint64_t *ret_low,
		   uint64_t *ret_high);

/** tw_range__of() - Return: the range that is equivalent to a NUMBER test of numbers of @size bytes */
struct tw_range tw_range__of(const struct tw_test *test, uint32_t size);

/** tw_range__fits() - whether the test is true for @number. If the operand is signed, the caller has sign-extended it to 64 bits */
static inline bool tw_range__fits(const struct tw_range *range, uint64_t number)
{
	return ((number & range->mask) - range->low <= range->span) != range->is_outside;
}

/**
 * tw_test__prefix() - find the number of bytes of test->bytes that are compared with the beginning of the operand
 * @test: its operator is EQ, NE, or a GLOB for which tw_glob_shape__is_prefix() is true
 * @ret_whole: whether the operand must end after these bytes
 * Return: number of bytes; 0 for a GLOB that matches any text, and for an empty value.
 */
size_t tw_test__prefix(const struct tw_test *test, bool *ret_whole);

/** tw_prefix__mask() - Return: mask of the bits of byte @i that are among the first @prefix bits of all bytes */
static inline uint8_t tw_prefix__mask(size_t prefix, size_t i)
{
	return (uint8_t)(prefix >= 8 * i + 8 ? 0xff : prefix > 8 * i ? 0xff00 >> (prefix - 8 * i) : 0);
}

/** tw_bytes__compare() - compare byte by byte; a value that is a prefix of the other is smaller. Return: < 0, 0 or > 0, as memcmp(3) */
int tw_bytes__compare(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);

/**
 * tw_test__bytes() - whether a TEXT or BYTES test is true for an operand
 * @bytes: the operand
 * @len: its length, bytes; for a text, without the NUL
 */
bool tw_test__bytes(const struct tw_test *test, const uint8_t *bytes, size_t len);

#endif
