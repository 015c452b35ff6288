/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparing text and bytes: what the evaluator does with a field's, the binder with names that are known. */
#ifndef TW_FILTER_TEXT_H
#define TW_FILTER_TEXT_H

#include "filter/language/syntax.h"

/**
 * tw_test__bytes() - whether text or bytes pass a test that compares them
 * @len: of a text up to its NUL, which is not counted
 */
bool tw_test__bytes(const struct tw_test *test, const uint8_t *bytes, size_t len);

/** tw_glob__matches() - whether the kernel's pattern fits the whole text; in time pattern by text at most */
bool tw_glob__matches(const uint8_t *pattern, size_t pattern_len, const uint8_t *text, size_t len);

/**
 * tw_pattern__new() - compile what MATCHES looks for
 * @ret_at: where it is wrong, bytes from its beginning
 * Return: a pcre2_code; NULL with @why, 256 bytes, filled.
 */
void *tw_pattern__new(const struct tw_literal *literal, size_t *ret_at, char *why);
void tw_pattern__free(void *pattern);

#endif
