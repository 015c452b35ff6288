/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. What stands left of an operator: a key that every event has, or a field of some events. */
#ifndef TW_FILTER_NAME_H
#define TW_FILTER_NAME_H

#include "filter/language/syntax.h"

enum tw_name_kind {
	TW_NAME_OPERAND, /* something that every event has; enum tw_operand tells what */
	TW_NAME_EVENT,   /* the event's own name */
	TW_NAME_SYSTEM,
	TW_NAME_FIELD,
};

#define TW_NAME_PARTS_MAX 256 /* bytes of a name with its parts */

struct tw_filter_name {
	uint8_t kind;    /* enum tw_name_kind */
	uint8_t operand; /* enum tw_operand */
	char buf[TW_NAME_PARTS_MAX];
	const char *system, *event; /* in buf; NULL = any */
	const char *field;          /* of FIELD */
};

/** tw_filter_name__read() - take a predicate's name apart. Return: 0, -EINVAL if it cannot be one */
int tw_filter_name__read(const struct tw_predicate *predicate, struct tw_filter_name *ret, struct tw_error *error);

/** tw_filter_name__is_of() - whether it can mean something in that event */
bool tw_filter_name__is_of(const struct tw_filter_name *name, const struct tw_format *format);

/** tw_filter_name__find() - the field in an event of which it is; NULL if there is none */
const struct tw_field *tw_filter_name__find(const struct tw_filter_name *name, const struct tw_format *format);

/** tw_filter_name__is_key() - whether a word alone is a key, so that a field of that name needs more */
bool tw_filter_name__is_key(const char *word);

/** tw_filter_name__unknown() - say that no event of the schema has it, and what may have been meant. Return: -EINVAL */
int tw_filter_name__unknown(const struct tw_filter_name *name, const struct tw_schema *schema, uint32_t column,
			    struct tw_error *error);

/**
 * tw_filter_own_name__check() - of event and system: that some event is called what they are compared with; each one of a set
 * Return: 0, or -EINVAL with what may have been meant. Ranges, patterns and order may be about names that nothing has.
 */
int tw_filter_own_name__check(const struct tw_filter_name *name, const struct tw_predicate *predicate,
			      const struct tw_schema *schema, struct tw_error *error);

#endif
