/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. Patterns as the kernel's event filters have them. */
#ifndef TW_GLOB_H
#define TW_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * tw_glob__matches() - whether a pattern fits the whole of a text
 *
 * `*` is any bytes or none, `?` one byte, `[a-z]` one of these, `[!a-z]` one but these, a byte behind `\` stands for
 * itself. A `]` that comes first in brackets is one of the bytes; brackets that are not closed are bytes like others.
 *
 * Takes no more steps than both lengths multiplied.
 */
bool tw_glob__matches(const uint8_t *pattern, size_t pattern_len, const uint8_t *text, size_t text_len);

#endif
