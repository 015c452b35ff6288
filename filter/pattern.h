/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/. The regular expressions of `matches`, and searching for them. */
#ifndef TW_PATTERN_H
#define TW_PATTERN_H

#include "filter/language/syntax.h"

/* Limits of one search. A search that exceeds one of them counts as no match. */
#define TW_PATTERN_STEPS_MAX 1000000
#define TW_PATTERN_HEAP_MAX  16384 /* KiB */

/**
 * tw_pattern__new() - compile a regular expression
 * @ret_at: offset of an error in it, bytes
 * Return: a pcre2_code; NULL with @why, 256 bytes, filled.
 */
void *tw_pattern__new(const struct tw_literal *literal, size_t *ret_at, char *why);
void tw_pattern__free(void *pattern);

/**
 * tw_pattern__finds() - whether it matches anywhere in a text
 * @pattern: can be used by any number of threads at the same time
 *
 * Each thread keeps the memory for searches until it ends.
 */
bool tw_pattern__finds(const void *pattern, const uint8_t *text, size_t len);

#endif
