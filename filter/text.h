/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparing text and bytes: what the evaluator does with a field's, the binder with names that are known. */
#ifndef TW_FILTER_TEXT_H
#define TW_FILTER_TEXT_H

#include "filter/language/syntax.h"

/** tw_bytes__compare() - byte by byte, a beginning comes first. Return: less than 0, 0, more than 0 */
int tw_bytes__compare(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);

/**
 * tw_test__bytes() - whether text or bytes pass a test that compares them
 * @len: of a text up to its NUL, which is not counted
 */
bool tw_test__bytes(const struct tw_test *test, const uint8_t *bytes, size_t len);

#endif
