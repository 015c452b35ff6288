/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions as people could type them, about the events of a pool, and the values that they ask for. */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include "filter/tree.h"
#include "pool.h"

#define EXPRESSION_TEXT_MAX TW_FILTER_TEXT_MAX
#define WANTED_MAX          24
#define WANTED_BYTES        48

/* A value that the expression compares with, for records to have. */
struct wanted {
	uint8_t operand;  /* enum tw_operand */
	uint8_t compared; /* enum tw_compared */
	char field[64];
	uint64_t number;
	uint8_t bytes[WANTED_BYTES]; /* of TEXT the text, of a bit mask its bits as a number in number */
	uint32_t len;
};

struct expression {
	char text[EXPRESSION_TEXT_MAX + 1];
	const struct pool *pool;
	const struct tw_format *format; /* the event that it is about most of all */
	struct wanted wanted[WANTED_MAX];
	unsigned int n_wanted;
};

/* Kinds of expressions that may be left out. */
struct expression_options {
	bool in_frames; /* nothing that frames do not tell: comm, host */
	bool printable; /* texts of letters, digits and the like only */
};

/** expression__make() - the next one; always one that can be bound to the pool's schema */
void expression__make(struct expression *e, const struct pool *pool, const struct expression_options *options,
		      struct chance *chance);

#endif
