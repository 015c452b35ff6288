/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the schema room. What a type's text tells of a field: its kind, its elements, where its bytes are. */
#ifndef TW_TYPE_H
#define TW_TYPE_H

#include "schema/format.h"
#include "schema/text_cursor.h"

#define TW_TYPE_UNKNOWN 0    /* elem_size: the text does not tell */
#define TW_TYPE_LONG    0xff /* elem_size: a long or an address of the traced host */

struct tw_type {
	uint8_t kind;      /* enum tw_field_kind of the scalar or element: never STRING or ARRAY */
	uint8_t place;     /* enum tw_field_place */
	uint8_t elem_size; /* bytes, or one of the above */
	bool is_char;      /* plain char: an array of it is text */
	bool is_signed;    /* what the words say; the format's own word goes before it */
	bool is_array;
	bool is_table;  /* an array of arrays; of chars it is no text */
	uint32_t count; /* of a one-dimensional array with its length in digits, else 0 */
};

/** tw_type__parse() - never fails: what is not understood is TW_FIELD_UINT of unknown size */
void tw_type__parse(struct tw_text text, struct tw_type *ret);

/**
 * tw_format__find_types() - set long_size, and kind, place and elements of all fields, once these are there: some types only
 * the whole format explains, by its largest offset, by a long among the others, by what it prints
 */
void tw_format__find_types(struct tw_format *format);

/* Names that kernels give to integers, and what they stand for. */
struct tw_type_name {
	const char *name;
	uint8_t size; /* bytes, or TW_TYPE_LONG */
	bool is_signed;
	uint8_t kind; /* enum tw_field_kind */
};

/** tw_type_name__find() - NULL if it is none that we know; then the format's size and sign have to do */
const struct tw_type_name *tw_type_name__find(struct tw_text word);

#endif
