/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. What the text of a value means as a number, a time, bytes or an address. */
#ifndef TW_FILTER_LITERAL_H
#define TW_FILTER_LITERAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filter/language/syntax.h"

#define TW_LITERAL_BYTES_MAX 256

/* An integer of any sign: -magnitude or magnitude. */
struct tw_integer {
	uint64_t magnitude;
	bool negative; /* never with magnitude 0 */
};

enum tw_literal_status {
	TW_LITERAL_OK,
	TW_LITERAL_OTHER, /* not of this kind at all */
	TW_LITERAL_LARGE, /* more than 64 bits, or nine decimals */
};

/** tw_literal__integer() - decimal, 0x, 0b, 0 octal, 'c', true, false, with a sign */
enum tw_literal_status tw_literal__integer(const struct tw_literal *literal, struct tw_integer *ret);

/** tw_literal__seconds() - 12.5, as ns; not negative */
enum tw_literal_status tw_literal__seconds(const struct tw_literal *literal, uint64_t *ret);

/** tw_literal__bytes() - aa:bb:cc. @ret: TW_LITERAL_BYTES_MAX bytes. Return: how many, 0 if it is something else */
size_t tw_literal__bytes(const struct tw_literal *literal, uint8_t *ret);

/**
 * tw_literal__address() - an IP address
 * @size: 4 or 16 bytes
 * @ret_prefix: bits behind the slash, 0 if there is none. /0 is refused: it says nothing
 */
bool tw_literal__address(const struct tw_literal *literal, size_t size, uint8_t *ret, uint8_t *ret_prefix);

#endif
