/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/ftype.h"

static enum tw_ftype integer_of(unsigned int size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? TW_FTYPE_I8 : TW_FTYPE_U8;
	case 2:
		return is_signed ? TW_FTYPE_I16 : TW_FTYPE_U16;
	case 4:
		return is_signed ? TW_FTYPE_I32 : TW_FTYPE_U32;
	case 8:
		return is_signed ? TW_FTYPE_I64 : TW_FTYPE_U64;
	default:
		return TW_FTYPE_BYTES;
	}
}

static enum tw_ftype array_of_bytes(const struct tw_field *field)
{
	switch (tw_field__address(field)) {
	case TW_ADDRESS_IPV4:
		return TW_FTYPE_IPV4;
	case TW_ADDRESS_IPV6:
		return TW_FTYPE_IPV6;
	default:
		return TW_FTYPE_BYTES;
	}
}

enum tw_ftype tw_ftype__of(const struct tw_field *field)
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
		return TW_FTYPE_BOOL;
	case TW_FIELD_POINTER:
		return TW_FTYPE_POINTER;
	case TW_FIELD_STRING:
	case TW_FIELD_BITMASK:
		return TW_FTYPE_TEXT;
	default:
		return TW_FTYPE_BYTES;
	}
}

enum tw_ftype_class tw_ftype__class(enum tw_ftype type)
{
	switch (type) {
	case TW_FTYPE_TEXT:
		return TW_CLASS_TEXT;
	case TW_FTYPE_BYTES:
		return TW_CLASS_BYTES;
	case TW_FTYPE_IPV4:
		return TW_CLASS_IPV4;
	case TW_FTYPE_IPV6:
		return TW_CLASS_IPV6;
	default:
		return TW_CLASS_NUMBER;
	}
}

enum tw_ftype tw_ftype__any(enum tw_ftype type)
{
	if (tw_ftype__class(type) != TW_CLASS_NUMBER || type == TW_FTYPE_POINTER || type == TW_FTYPE_U64)
		return type;
	return TW_FTYPE_I64;
}

enum tw_ftype tw_ftype__merge(enum tw_ftype a, enum tw_ftype b)
{
	a = tw_ftype__any(a);
	b = tw_ftype__any(b);
	if (a == b)
		return a;
	if (a == TW_FTYPE_TEXT || b == TW_FTYPE_TEXT)
		return TW_FTYPE_TEXT;
	if (tw_ftype__class(a) != TW_CLASS_NUMBER)
		return tw_ftype__class(b) == TW_CLASS_NUMBER ? b : TW_FTYPE_BYTES;
	if (tw_ftype__class(b) != TW_CLASS_NUMBER)
		return a;
	return a == TW_FTYPE_POINTER || b == TW_FTYPE_POINTER ? TW_FTYPE_U64 : TW_FTYPE_I64;
}
