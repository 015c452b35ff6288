/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/. The left side of an operator: a key that every event has, or a field of some events. */
#ifndef TW_FILTER_NAME_H
#define TW_FILTER_NAME_H

#include "filter/language/syntax.h"

enum tw_name_kind {
	TW_NAME_OPERAND, /* a property of every event; enum tw_operand has which */
	TW_NAME_EVENT,   /* the event's name */
	TW_NAME_SYSTEM,
	TW_NAME_FIELD,
};

#define TW_NAME_PARTS_MAX 256 /* bytes of a name with all parts */

struct tw_filter_name {
	uint8_t kind;    /* enum tw_name_kind */
	uint8_t operand; /* enum tw_operand */
	char buf[TW_NAME_PARTS_MAX];
	const char *system, *event; /* in buf; NULL = any */
	const char *field;          /* of FIELD */
};

/** tw_filter_name__read() - split a predicate's name. Return: 0, -EINVAL if it is no valid name */
int tw_filter_name__read(const struct tw_predicate *predicate, struct tw_filter_name *ret, struct tw_error *error);

/** tw_filter_name__is_of() - whether it can refer to something in that event */
bool tw_filter_name__is_of(const struct tw_filter_name *name, const struct tw_format *format);

/** tw_filter_name__find() - the field of an event for which tw_filter_name__is_of() is true; NULL if there is none */
const struct tw_field *tw_filter_name__find(const struct tw_filter_name *name, const struct tw_format *format);

/** tw_filter_name__is_key() - whether a single word is a key, so that a field of that name must be qualified */
bool tw_filter_name__is_key(const char *word);

/** tw_filter_name__unknown() - makes the error that no event of the schema has it, with a suggestion. Return: -EINVAL */
int tw_filter_name__unknown(const struct tw_filter_name *name, const struct tw_schema *schema, uint32_t column,
			    struct tw_error *error);

/**
 * tw_filter_own_name__check() - for event and system: check that some event has the name that they are compared with; for a set, each
 * name
 * Return: 0, or -EINVAL with a suggestion. Ranges, patterns and order may use unknown names.
 */
int tw_filter_own_name__check(const struct tw_filter_name *name, const struct tw_predicate *predicate,
			      const struct tw_schema *schema, struct tw_error *error);

#endif
