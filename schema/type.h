/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to schema/. Finds what the text of a type states about a field: its kind, its elements, and where its bytes are. */
#ifndef TW_TYPE_H
#define TW_TYPE_H

#include "schema/format.h"
#include "schema/text_cursor.h"

#define TW_TYPE_UNKNOWN 0    /* value of elem_size: the text does not give the size */
#define TW_TYPE_LONG    0xff /* value of elem_size: the size of a long or an address of the traced host */

struct tw_type {
	uint8_t kind;      /* enum tw_field_kind of the scalar or element: never STRING or ARRAY */
	uint8_t place;     /* enum tw_field_place */
	uint8_t elem_size; /* bytes, or TW_TYPE_UNKNOWN or TW_TYPE_LONG */
	bool is_char;      /* plain char: an array of it is text */
	bool is_signed;    /* according to the words of the type; `signed:` in the format has precedence */
	bool is_array;
	bool is_table;  /* an array of arrays: not text, even with elements of type char */
	uint32_t count; /* length of a one-dimensional array, if it is given as a number; otherwise 0 */
};

/** tw_type__is_integer_size() - whether C has an integer type of @size bytes */
static inline bool tw_type__is_integer_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/** tw_type__parse() - parse the text of a type; an unknown type is TW_FIELD_UINT of unknown size */
struct tw_type tw_type__parse(const char *type);

/**
 * tw_format__find_types() - set the format's long_size, and the kind, place and elements of each field
 * All lines must have been parsed: a type can depend on the end of the last field, on another field of type long, and on the print fmt.
 */
void tw_format__find_types(struct tw_format *format);

/* The name of an integer type or of a bit mask in kernels, and its meaning. */
struct tw_type_name {
	const char *name;
	uint8_t size; /* bytes, or TW_TYPE_LONG */
	bool is_signed;
	uint8_t kind; /* enum tw_field_kind */
};

/** tw_type_name__find() - find the type called @word. Return: NULL if it is unknown */
const struct tw_type_name *tw_type_name__find(struct tw_text word);

#endif
