/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the schema room. What a type's text tells of a field: its kind, its elements, where its bytes are. */
#ifndef TW_TYPE_H
#define TW_TYPE_H

#include "schema/format.h"
#include "schema/text.h"

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

/** tw_type__long_size() - size of the traced host's long as this field shows it, bytes; 0 if it does not */
uint8_t tw_type__long_size(const struct tw_type *type, uint32_t field_size);

/**
 * tw_type__apply() - set a field's kind, elements and place
 * @long_size: of the traced host, bytes
 * @to_end: the field is all that follows in the record
 * @field: its offset, size and sign are set
 */
void tw_type__apply(const struct tw_type *type, uint8_t long_size, bool to_end, struct tw_field *field);

#endif
