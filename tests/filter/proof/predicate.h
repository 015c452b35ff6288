/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Write random comparisons of an expression. */
#ifndef PREDICATE_H
#define PREDICATE_H

#include "base/line.h"
#include "expression.h"

/* An expression that is being written. */
struct writing {
	struct expression *e;
	const struct expression_options *options;
	struct chance *chance;
	struct tw_line line;
};

/** compared_as() - how a field is compared: enum tw_compared */
uint8_t compared_as(const struct tw_field *field);

/** predicate__field() - write a comparison of a field of an event */
void predicate__field(struct writing *w, const struct tw_format *format, const struct tw_field *field);

/** predicate__key() - write a comparison of a property that every event has */
void predicate__key(struct writing *w);

/* The part of a comparison after the name: write operator and value for a number of @bits bits, a text, or bytes. */
void predicate__number(struct writing *w, struct wanted wanted, unsigned int bits, bool is_signed);
void predicate__text(struct writing *w, struct wanted wanted, uint32_t most);
void predicate__bytes(struct writing *w, struct wanted wanted, const struct tw_field *field);

/** predicate__want() - note a value in the expression, if there is room */
void predicate__want(struct writing *w, const struct wanted *wanted);

#endif
