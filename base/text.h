/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts from strangers, which may hold any bytes. */
#ifndef TW_TEXT_H
#define TW_TEXT_H

#include <stddef.h>
#include <stdint.h>

/**
 * tw_text__utf8() - length of the UTF-8 character at @s, @len bytes of which are there, 1 at least
 * Return: 0 if it is none: no overlong forms, surrogates, or beyond U+10FFFF.
 */
size_t tw_text__utf8(const uint8_t *s, size_t len);

/**
 * tw_text__copy() - make a text for terminals and files of what may be none
 * @size: of @to, 1 at least; cut between two characters, with a NUL at the end
 *
 * Control characters, C1 among them, and what is no UTF-8 become '?'.
 */
void tw_text__copy(char *to, size_t size, const void *from, size_t len);

#endif
