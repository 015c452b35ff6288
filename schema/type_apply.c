/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a type makes of a field whose offset and size the format tells. */
#include "schema/type.h"

static bool is_integer_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

uint8_t tw_type__long_size(const struct tw_type *type, uint32_t field_size)
{
	uint32_t size = field_size;

	if (type->place != TW_PLACE_FIXED || type->elem_size != TW_TYPE_LONG || type->kind == TW_FIELD_BITMASK)
		return 0;
	if (type->is_array)
		size = type->count && field_size % type->count == 0 ? field_size / type->count : 0;
	return size == 4 || size == 8 ? (uint8_t)size : 0;
}

/* The length in digits tells the size of an element of any type; a symbolic one does not. 0 = not known. */
static uint16_t element_size(const struct tw_type *type, uint8_t long_size, const struct tw_field *field)
{
	if (field->place == TW_PLACE_FIXED && type->count && field->size % type->count == 0 &&
	    is_integer_size(field->size / type->count))
		return (uint16_t)(field->size / type->count);
	return type->elem_size == TW_TYPE_LONG ? long_size : type->elem_size;
}

/* An address has 4 bytes or 8. */
static bool is_readable(uint8_t kind, uint32_t size)
{
	return kind != TW_FIELD_BYTES && is_integer_size(size) && (kind != TW_FIELD_POINTER || size >= 4);
}

static void apply_array(const struct tw_type *type, uint8_t long_size, struct tw_field *field)
{
	const uint16_t size = element_size(type, long_size, field);
	const bool fits = is_readable(type->kind, size) && (field->place != TW_PLACE_FIXED || field->size % size == 0);

	field->kind = field->elem_kind = TW_FIELD_BYTES;
	field->elem_size = 1;
	if (type->is_char) {
		field->kind = field->elem_kind = TW_FIELD_STRING;
	} else if (type->kind == TW_FIELD_BITMASK) {
		field->kind = field->elem_kind = TW_FIELD_BITMASK;
		field->elem_size = long_size;
	} else if (fits) {
		field->kind = TW_FIELD_ARRAY;
		field->elem_kind = type->kind;
		field->elem_size = size;
	}
	if (field->place == TW_PLACE_FIXED)
		field->count = field->size / field->elem_size;
}

static void apply_scalar(const struct tw_type *type, struct tw_field *field)
{
	const bool readable = is_readable(type->kind, field->size);

	field->kind = field->elem_kind = readable ? type->kind : TW_FIELD_BYTES;
	field->elem_size = readable ? (uint16_t)field->size : 1;
}

/* A location needs its four bytes. Where it has others, nobody knows what they are. */
static bool is_bad_location(const struct tw_type *type, const struct tw_field *field)
{
	return type->place != TW_PLACE_FIXED && field->size != 4;
}

void tw_type__apply(const struct tw_type *type, uint8_t long_size, bool to_end, struct tw_field *field)
{
	struct tw_type shape = *type;

	if (shape.kind == TW_FIELD_UINT || shape.kind == TW_FIELD_INT)
		shape.kind = field->is_signed ? TW_FIELD_INT : TW_FIELD_UINT;
	if (is_bad_location(type, field))
		shape = (struct tw_type){ .kind = TW_FIELD_BYTES, .place = TW_PLACE_FIXED };
	field->place = to_end ? (uint8_t)TW_PLACE_REST : shape.place;
	field->count = 0;
	if (shape.is_array || field->place != TW_PLACE_FIXED || shape.kind == TW_FIELD_BITMASK)
		apply_array(&shape, long_size, field);
	else
		apply_scalar(&shape, field);
}
