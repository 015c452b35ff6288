/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/. Compiles the regular expressions of the operator `matches`, and searches texts with them. */
#ifndef TW_PATTERN_H
#define TW_PATTERN_H

#include "filter/language/syntax.h"

/* Limits of one search. A search that exceeds one of them counts as no match. */
#define TW_PATTERN_STEPS_MAX 1000000 /* match limit of PCRE2 */
#define TW_PATTERN_HEAP_MAX  16384   /* KiB */

/**
 * tw_pattern__new() - compile a regular expression
 * @ret_at: offset of an error in the expression, bytes
 * @why: buffer of 256 bytes for the reason of an error
 * Return: a pcre2_code; NULL if it cannot be compiled, with @ret_at and @why filled.
 */
void *tw_pattern__new(const struct tw_literal *literal, size_t *ret_at, char *why);

/** tw_pattern__free() - free an expression from tw_pattern__new(); @pattern may be NULL */
void tw_pattern__free(void *pattern);

/**
 * tw_pattern__finds() - whether a regular expression matches anywhere in a text; false if the search fails or exceeds a limit
 * @pattern: from tw_pattern__new(); may be used by several threads at the same time
 *
 * The first call in a thread allocates memory for searches, which is freed when the thread ends.
 */
bool tw_pattern__finds(const void *pattern, const uint8_t *text, size_t len);

#endif
