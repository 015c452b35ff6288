/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the print engine. The results of C's operators on integers, without C's undefined behaviour. */
#ifndef TW_PRINT_ARITH_H
#define TW_PRINT_ARITH_H

#include "schema/print/lex.h"

/** tw_arith__narrow() - convert @value to an integer of @size bytes, and extend the result to 64 bits; @size 0: return @value */
static inline uint64_t tw_arith__narrow(uint64_t value, uint8_t size, bool is_signed)
{
	const unsigned int unused = 64 - 8u * size;

	if (!size || size >= 8)
		return value;
	return is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) : value << unused >> unused;
}

/** tw_arith__divide() - quotient or remainder; 0 if the divisor is 0 */
static inline uint64_t tw_arith__divide(uint64_t a, uint64_t b, bool is_signed, bool remainder)
{
	if (!b)
		return 0;
	if (!is_signed)
		return remainder ? a % b : a / b;
	if (b == UINT64_MAX) /* INT64_MIN / -1 overflows */
		return remainder ? 0 : -a;
	return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

/** tw_arith__shift() - shift by @by bits, less than 64; a shift to the right repeats the sign bit if @is_signed */
static inline uint64_t tw_arith__shift(uint64_t a, uint64_t by, bool is_signed, bool left)
{
	if (left)
		return a << by;
	return is_signed ? (uint64_t)((int64_t)a >> by) : a >> by;
}

/** tw_arith__shift_count() - number of bits by which x86 and arm64 shift an integer of @size bytes if @by bits are requested */
static inline uint64_t tw_arith__shift_count(uint64_t by, uint8_t size)
{
	return by & (size < 8 ? 31 : 63);
}

/** tw_arith__compare() - 1 if the comparison is true, otherwise 0; @punct: TW_PUNCT() of the operator */
static inline uint64_t tw_arith__compare(uint16_t punct, uint64_t a, uint64_t b, bool is_signed)
{
	const bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

	switch (punct) {
	case TW_PUNCT('<', 0):
		return less;
	case TW_PUNCT('>', 0):
		return !less && a != b;
	case TW_PUNCT('<', '='):
		return less || a == b;
	case TW_PUNCT('>', '='):
		return !less;
	case TW_PUNCT('=', '='):
		return a == b;
	default:
		return a != b;
	}
}

/** tw_arith__binary() - result of a binary operator; @a and @b have their common type, and the caller narrows the result */
static inline uint64_t tw_arith__binary(uint16_t punct, uint64_t a, uint64_t b, bool is_signed)
{
	switch (punct) {
	case TW_PUNCT('+', 0):
		return a + b;
	case TW_PUNCT('-', 0):
		return a - b;
	case TW_PUNCT('*', 0):
		return a * b;
	case TW_PUNCT('&', 0):
		return a & b;
	case TW_PUNCT('|', 0):
		return a | b;
	case TW_PUNCT('^', 0):
		return a ^ b;
	case TW_PUNCT('/', 0):
	case TW_PUNCT('%', 0):
		return tw_arith__divide(a, b, is_signed, punct == TW_PUNCT('%', 0));
	case TW_PUNCT('<', '<'):
	case TW_PUNCT('>', '>'):
		return tw_arith__shift(a, b, is_signed, punct == TW_PUNCT('<', '<'));
	case TW_PUNCT('&', '&'):
		return a && b;
	case TW_PUNCT('|', '|'):
		return a || b;
	default:
		return tw_arith__compare(punct, a, b, is_signed);
	}
}

/** tw_arith__unary() - result of the operator -, ~, ! or +; the caller narrows the result */
static inline uint64_t tw_arith__unary(uint16_t punct, uint64_t a)
{
	switch (punct) {
	case TW_PUNCT('-', 0):
		return -a;
	case TW_PUNCT('~', 0):
		return ~a;
	case TW_PUNCT('!', 0):
		return !a;
	default:
		return a;
	}
}

#endif
