/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. What the kernel's patterns (`~`) look like, for stages that have no such patterns or not quite. */
#ifndef TW_GLOB_SHAPE_H
#define TW_GLOB_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/** tw_glob__element() - length of what fits one character, or of a star: 1, 2 behind a backslash, a whole class in brackets */
size_t tw_glob__element(const uint8_t *at, size_t left);

#endif
