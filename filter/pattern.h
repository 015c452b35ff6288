/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. What `matches` looks for, and looking for it. */
#ifndef TW_PATTERN_H
#define TW_PATTERN_H

#include "filter/language/syntax.h"

/* Of one search. An expression that backtracks beyond either has found nothing. */
#define TW_PATTERN_STEPS_MAX 1000000
#define TW_PATTERN_HEAP_MAX  16384 /* KiB */

/**
 * tw_pattern__new() - compile what MATCHES looks for
 * @ret_at: where it is wrong, bytes from its beginning
 * Return: a pcre2_code; NULL with @why, 256 bytes, filled.
 */
void *tw_pattern__new(const struct tw_literal *literal, size_t *ret_at, char *why);
void tw_pattern__free(void *pattern);

/**
 * tw_pattern__finds() - whether it is found somewhere in a text
 * @pattern: any number of threads may use it at the same time
 *
 * Each thread keeps what searching needs until it ends.
 */
bool tw_pattern__finds(const void *pattern, const uint8_t *text, size_t len);

#endif
