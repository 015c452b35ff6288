/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/field_type.h"

#include "schema/field.h"

static enum tw_type unsigned_of(unsigned int size)
{
	switch (size) {
	case 1:
		return TW_TYPE_U8;
	case 2:
		return TW_TYPE_U16;
	case 4:
		return TW_TYPE_U32;
	case 8:
		return TW_TYPE_U64;
	default:
		return TW_TYPE_BYTES;
	}
}

static enum tw_type integer_of(unsigned int size, bool is_signed)
{
	const enum tw_type type = unsigned_of(size);

	if (!is_signed || type == TW_TYPE_BYTES)
		return type;
	return (enum tw_type)(type - TW_TYPE_U8 + TW_TYPE_I8);
}

static enum tw_type array_of_bytes(const struct tw_field *field)
{
	switch (tw_field__address(field)) {
	case TW_ADDRESS_IPV4:
		return TW_TYPE_IPV4;
	case TW_ADDRESS_IPV6:
		return TW_TYPE_IPV6;
	default:
		return TW_TYPE_BYTES;
	}
}

enum tw_type tw_type__of(const struct tw_field *field)
{
	const unsigned int kind = field->kind == TW_FIELD_ARRAY ? field->elem_kind : field->kind;

	switch (kind) {
	case TW_FIELD_UINT:
	case TW_FIELD_INT:
	case TW_FIELD_ENUM:
		if (field->kind == TW_FIELD_ARRAY && field->elem_size == 1)
			return array_of_bytes(field);
		return integer_of(field->elem_size, field->is_signed);
	case TW_FIELD_BOOL:
		return TW_TYPE_BOOL;
	case TW_FIELD_POINTER:
		return TW_TYPE_POINTER;
	case TW_FIELD_STRING:
	case TW_FIELD_BITMASK:
		return TW_TYPE_TEXT;
	default:
		return TW_TYPE_BYTES;
	}
}

enum tw_class tw_type__class(enum tw_type type)
{
	switch (type) {
	case TW_TYPE_TEXT:
		return TW_CLASS_TEXT;
	case TW_TYPE_BYTES:
		return TW_CLASS_BYTES;
	case TW_TYPE_IPV4:
		return TW_CLASS_IPV4;
	case TW_TYPE_IPV6:
		return TW_CLASS_IPV6;
	default:
		return TW_CLASS_NUMBER;
	}
}

enum tw_type tw_type__any(enum tw_type type)
{
	if (tw_type__class(type) != TW_CLASS_NUMBER || type == TW_TYPE_POINTER || type == TW_TYPE_U64)
		return type;
	return TW_TYPE_I64;
}

enum tw_type tw_type__merge(enum tw_type a, enum tw_type b)
{
	a = tw_type__any(a);
	b = tw_type__any(b);
	if (a == b)
		return a;
	if (a == TW_TYPE_TEXT || b == TW_TYPE_TEXT)
		return TW_TYPE_TEXT;
	if (tw_type__class(a) != TW_CLASS_NUMBER)
		return tw_type__class(b) == TW_CLASS_NUMBER ? b : TW_TYPE_BYTES;
	if (tw_type__class(b) != TW_CLASS_NUMBER)
		return a;
	return a == TW_TYPE_POINTER || b == TW_TYPE_POINTER ? TW_TYPE_U64 : TW_TYPE_I64;
}
