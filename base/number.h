/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of the command line: digits only, without sign, blanks or 0x; numbers out of range are refused. */
#ifndef TW_NUMBER_H
#define TW_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Range and unit of a number. All zero except max: a count. */
struct tw_number_rule {
	uint64_t min, max; /* of the result; max 0 = no limit */
	uint64_t
		unit; /* a size: bytes for a number without suffix; with K, M or G: 1024, 1024^2, 1024^3 bytes. 0 = no size */
};

/**
 * tw_number__parse() - a whole text that is one number
 * @rule: NULL = any count
 * @ret: for a size, bytes
 * Return: 0; -EINVAL with the error, the position and the valid range in @error.
 */
int tw_number__parse(const char *text, const struct tw_number_rule *rule, uint64_t *ret, struct tw_error *error);

/** tw_number__digits() - decimal digits; *at moves past them. Return: false if there are none, or they do not fit */
bool tw_number__digits(const char **at, uint64_t *ret);

/** tw_number__hex() - the same for hexadecimal digits, without 0x */
bool tw_number__hex(const char **at, uint64_t *ret);

/**
 * tw_number__decimal() - digits with an optional fraction: 60, 0.5, .5
 * @ret_billionths: of the fraction; further digits are ignored
 * Return: as tw_number__digits().
 */
bool tw_number__decimal(const char **at, uint64_t *ret, uint32_t *ret_billionths);

#endif
