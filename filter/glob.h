/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/. Patterns with the syntax of the kernel's event filters. */
#ifndef TW_GLOB_H
#define TW_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * tw_glob__matches() - whether a pattern matches the whole text
 *
 * `*` matches any bytes or none, `?` one byte, `[a-z]` one of these, `[!a-z]` any other one, a byte after `\` itself. A `]` that is
 * first in brackets is an ordinary byte, and so are brackets that are not closed.
 *
 * The number of steps is at most the product of both lengths.
 */
bool tw_glob__matches(const uint8_t *pattern, size_t pattern_len, const uint8_t *text, size_t text_len);

/* The parts of a pattern, for back ends with no or other patterns. */
struct tw_glob_shape {
	const uint8_t *body; /* text between the stars at the beginning and the end, as written */
	size_t body_len;
	size_t characters;             /* minimum length that the body matches, if it has no stars */
	bool leading, trailing, inner; /* stars at the beginning, at the end, inside the body */
	bool plain;                    /* the body has only ordinary characters */
	bool negates;                  /* it has a negated class of characters */
	bool open_escape;              /* the last character is a backslash */
};

/** tw_glob_shape__of() - analyse a pattern; for one of only stars, `leading` is set and the body is empty */
struct tw_glob_shape tw_glob_shape__of(const uint8_t *pattern, size_t len);

/**
 * tw_glob_shape__is_prefix() - whether a pattern has no wildcard except * at the end: it matches texts that begin with the body, or
 * without a star equal it
 */
static inline bool tw_glob_shape__is_prefix(const struct tw_glob_shape *glob)
{
	return glob->plain && (!glob->leading || !glob->body_len);
}

/** tw_glob__element() - length of the pattern's next element: 1, 2 for a backslash and its byte, a whole class in brackets */
size_t tw_glob__element(const uint8_t *at, size_t left);

#endif
