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

/* What a pattern looks like, for back ends that have no such patterns or not quite. */
struct tw_glob_shape {
	const uint8_t *body; /* between the stars in front and at the end, as it is written */
	size_t body_len;
	size_t characters;             /* that the body fits, if it has no stars itself */
	bool leading, trailing, inner; /* stars in front, at the end, within the body */
	bool plain;                    /* nothing in the body stands for anything but itself */
	bool negates;                  /* it has a class of characters that are not to be there */
	bool open_escape;              /* the last character is a backslash that nothing follows */
};

/** tw_glob_shape__of() - take a pattern apart; of nothing but stars, `leading` is set and the body empty */
struct tw_glob_shape tw_glob_shape__of(const uint8_t *pattern, size_t len);

/**
 * tw_glob_shape__is_prefix() - whether a pattern has no wildcard but * at the end: then a text fits that begins with the body, or
 * without a star equals it
 */
static inline bool tw_glob_shape__is_prefix(const struct tw_glob_shape *glob)
{
	return glob->plain && (!glob->leading || !glob->body_len);
}

/** tw_glob__element() - length of what fits one character, or of a star: 1, 2 behind a backslash, a whole class in brackets */
size_t tw_glob__element(const uint8_t *at, size_t left);

#endif
