/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/. The name on the left side of a comparison: a key that every event has, or a field of some events. */
#ifndef TW_FILTER_NAME_H
#define TW_FILTER_NAME_H

#include "filter/language/syntax.h"

enum tw_name_kind {
	TW_NAME_OPERAND, /* a property that every event has, such as its CPU */
	TW_NAME_EVENT,   /* `event` */
	TW_NAME_SYSTEM,  /* `system` */
	TW_NAME_FIELD,
};

#define TW_NAME_PARTS_MAX 256 /* size of a buffer for a name with all parts, and a NUL */

struct tw_filter_name {
	uint8_t kind;    /* enum tw_name_kind */
	uint8_t operand; /* OPERAND: enum tw_operand */
	char buf[TW_NAME_PARTS_MAX];
	const char *system, *event; /* parts of buf; NULL = any */
	const char *field;          /* FIELD: name of the field, in buf; "" if the name is SYSTEM:EVENT */
};

/** tw_filter_name__read() - split a predicate's name into its parts. Return: 0; -EINVAL if the name is invalid */
int tw_filter_name__read(const struct tw_predicate *predicate, struct tw_filter_name *ret, struct tw_error *error);

/** tw_filter_name__is_of() - whether the system and the event that a name contains, if any, are those of @format */
bool tw_filter_name__is_of(const struct tw_filter_name *name, const struct tw_format *format);

/** tw_filter_name__find() - Return: the field of @format with the name's field name, common fields excluded; NULL if there is none */
const struct tw_field *tw_filter_name__find(const struct tw_filter_name *name, const struct tw_format *format);

/** tw_filter_name__is_key() - whether @word is a key; a field of the same name must then be written EVENT.FIELD or any.FIELD */
bool tw_filter_name__is_key(const char *word);

/** tw_filter_name__unknown() - make the error for a name that no event of the schema has, with a suggestion. Return: -EINVAL */
int tw_filter_name__unknown(const struct tw_filter_name *name, const struct tw_schema *schema, uint32_t column,
			    struct tw_error *error);

/**
 * tw_filter_own_name__check() - check the values of a comparison with `event` or `system`: with `==`, `!=` and `in`, each single value must
 * be the name of an event (or of a system) of the schema; ranges and other operators accept any value
 * Return: 0; -EINVAL, with a suggestion if there is one; -EINVAL also if the schema has no events.
 */
int tw_filter_own_name__check(const struct tw_filter_name *name, const struct tw_predicate *predicate,
			      const struct tw_schema *schema, struct tw_error *error);

#endif
