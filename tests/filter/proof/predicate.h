/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One comparison of an expression, at random. */
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

/** compared_as() - enum tw_compared of a field */
uint8_t compared_as(const struct tw_field *field);

/** predicate__field() - of a field of an event */
void predicate__field(struct writing *w, const struct tw_format *format, const struct tw_field *field);

/** predicate__key() - of a property of every event */
void predicate__key(struct writing *w);

/* Parts of these: after the name, which is written already. @bits: of the number. */
void predicate__number(struct writing *w, struct wanted wanted, unsigned int bits, bool is_signed);
void predicate__text(struct writing *w, struct wanted wanted, uint32_t most);
void predicate__bytes(struct writing *w, struct wanted wanted, const struct tw_field *field);

/** predicate__want() - note a value, if there is room */
void predicate__want(struct writing *w, const struct wanted *wanted);

#endif
