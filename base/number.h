/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses numbers, mainly from the command line. Signs and blanks are not accepted. Numbers out of range are refused. */
#ifndef TW_NUMBER_H
#define TW_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Range and unit of a decimal number. With unit 0, the number is a count. With another unit, it is a size, and the suffixes K, M and G are
 * allowed.
 */
struct tw_number_rule {
	uint64_t min, max; /* range of the result: a count, or a number of bytes; max 0 = no limit */
	/* number of bytes that a size of 1 without a suffix means; the suffixes K, M and G always mean powers of 1024 bytes */
	uint64_t unit;
};

/**
 * tw_number__parse() - parse a text that consists of one number
 * @rule: NULL = any count
 * @ret: the number; for a size, the number of bytes
 * Return: 0; -EINVAL with the position of the error or the valid range in @error.
 */
int tw_number__parse(const char *text, const struct tw_number_rule *rule, uint64_t *ret, struct tw_error *error);

/** tw_number__digit() - the value of a decimal or hexadecimal digit; 16 for another character */
static inline unsigned int tw_number__digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a') + 10 : 16;
}

/** tw_number__digits() - read decimal digits and move *at past them. Return: false if there are no digits, or the value exceeds u64 */
bool tw_number__digits(const char **at, uint64_t *ret);

/** tw_number__hex() - like tw_number__digits(), for hexadecimal digits without 0x */
bool tw_number__hex(const char **at, uint64_t *ret);

/**
 * tw_number__decimal() - read digits with an optional fraction, such as `60`, `0.5`, `.5` or `5.`, and move *at past them
 * @ret: the integer part
 * @ret_billionths: the fraction in billionths; digits after the ninth are ignored
 * Return: as tw_number__digits().
 */
bool tw_number__decimal(const char **at, uint64_t *ret, uint32_t *ret_billionths);

#endif
