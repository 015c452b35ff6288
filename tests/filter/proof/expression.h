/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions as users could type them, about the events of a pool, and the values that they compare. */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include "filter/tree.h"
#include "pool.h"

#define EXPRESSION_TEXT_MAX TW_FILTER_TEXT_MAX
#define WANTED_MAX          24
#define WANTED_BYTES        48

/* A value in the expression, to be used in records. */
struct wanted {
	uint8_t operand;  /* enum tw_operand */
	uint8_t compared; /* enum tw_compared */
	char field[64];
	uint64_t number;
	uint8_t bytes[WANTED_BYTES]; /* for TEXT the text, for a bit mask its bits as a number in number */
	uint32_t len;
};

struct expression {
	char text[EXPRESSION_TEXT_MAX + 1];
	const struct pool *pool;
	const struct tw_format *format; /* the event that most of it is about */
	struct wanted wanted[WANTED_MAX];
	unsigned int n_wanted;
};

/* Kinds of expressions that can be left out. */
struct expression_options {
	bool in_frames; /* operands that are not in frames: comm, host */
	bool printable; /* only texts of letters, digits and similar characters */
};

/** expression__make() - the next one; it can always be bound to the pool's schema */
void expression__make(struct expression *e, const struct pool *pool, const struct expression_options *options,
		      struct chance *chance);

#endif
