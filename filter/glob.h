/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/. Glob patterns with the syntax of the kernel's event filters. */
#ifndef TW_GLOB_H
#define TW_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * tw_glob__matches() - whether a pattern matches the whole text
 *
 * `*` matches any number of bytes, or none; `?` one byte; `[a-z]` one byte from a to z; `[!a-z]` one byte that is not from a to z. `\` and
 * the byte after it match that byte. A `]` directly after `[` or `[!` belongs to the class. A `[` without a closing bracket is an ordinary
 * byte. A `\` at the end of the pattern is ignored.
 *
 * The number of steps grows at most with the product of both lengths.
 */
bool tw_glob__matches(const uint8_t *pattern, size_t pattern_len, const uint8_t *text, size_t text_len);

/* The parts of a pattern, for back ends that have no patterns, or that write patterns in another syntax. */
struct tw_glob_shape {
	const uint8_t *body; /* the pattern without the stars at its beginning and its end */
	size_t body_len;
	size_t characters; /* number of elements of the body; without inner stars, the length of the text that the body matches */
	bool leading, trailing, inner; /* stars at the beginning of the pattern, at its end, inside the body */
	bool plain;                    /* the body has only ordinary characters */
	bool negates;                  /* the body has a negated class, such as [!a-z] */
	bool open_escape;              /* the last character is a backslash that escapes nothing */
};

/** tw_glob_shape__of() - Return: the parts of a pattern. If it has only stars, `leading` is set and the body is empty */
struct tw_glob_shape tw_glob_shape__of(const uint8_t *pattern, size_t len);

/**
 * tw_glob_shape__is_prefix() - whether a pattern has no special characters except stars at its end. It then matches a text that begins with
 * the body; without a star, only a text that equals the body
 */
static inline bool tw_glob_shape__is_prefix(const struct tw_glob_shape *glob)
{
	return glob->plain && (!glob->leading || !glob->body_len);
}

/**
 * tw_glob__element() - Return: length of the element at @at in bytes. An element is a byte, a backslash and a byte, or a class in brackets
 * @left: bytes of the pattern from @at on, at least 1
 */
size_t tw_glob__element(const uint8_t *at, size_t left);

#endif
