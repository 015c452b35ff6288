/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random expressions, as users could type them, about the events of a pool; and the values in the expressions. */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include "filter/tree.h"
#include "pool.h"

#define EXPRESSION_TEXT_MAX TW_FILTER_TEXT_MAX
#define WANTED_MAX          24
#define WANTED_BYTES        48

/* A value in the expression. Records use it, so that some match. */
struct wanted {
	uint8_t operand;  /* enum tw_operand */
	uint8_t compared; /* enum tw_compared */
	char field[64];
	uint64_t number;
	uint8_t bytes[WANTED_BYTES]; /* the text or the bytes; the bits of a mask are in @number instead */
	uint32_t len;
};

struct expression {
	char text[EXPRESSION_TEXT_MAX + 1];
	const struct pool *pool;
	const struct tw_format *format; /* the event that most comparisons are about */
	struct wanted wanted[WANTED_MAX];
	unsigned int n_wanted;
};

/* Restrictions of the expressions. */
struct expression_options {
	bool in_frames; /* only operands that are in frames: not comm, not host */
	bool printable; /* only texts of letters, digits and similar characters */
};

/** expression__make() - make a random expression; it can always be bound to the pool's schema */
void expression__make(struct expression *e, const struct pool *pool, const struct expression_options *options,
		      struct chance *chance);

#endif
