/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Wireshark type of a kernel field. Both the plugin and the generator of the built-in table use it, so that a name has the same type in
 * both. The generator is built without Wireshark, so this file needs no header of Wireshark.
 */
#ifndef TW_FTYPE_H
#define TW_FTYPE_H

#include "schema/field.h"
#include "schema/format.h"

/* The list of types: name, Wireshark's type, its base. The number in U8 to I64 is the size in bits. */
#define TW_FTYPE_LIST(X)                \
	X(U8, FT_UINT8, BASE_DEC)       \
	X(U16, FT_UINT16, BASE_DEC)     \
	X(U32, FT_UINT32, BASE_DEC)     \
	X(U64, FT_UINT64, BASE_DEC)     \
	X(I8, FT_INT8, BASE_DEC)        \
	X(I16, FT_INT16, BASE_DEC)      \
	X(I32, FT_INT32, BASE_DEC)      \
	X(I64, FT_INT64, BASE_DEC)      \
	X(BOOL, FT_BOOLEAN, BASE_NONE)  \
	X(POINTER, FT_UINT64, BASE_HEX) \
	X(TEXT, FT_STRING, BASE_NONE)   \
	X(BYTES, FT_BYTES, BASE_NONE)   \
	X(IPV4, FT_IPv4, BASE_NONE)     \
	X(IPV6, FT_IPv6, BASE_NONE)

enum tw_ftype {
#define X(name, ft, base) TW_FTYPE_##name,
	TW_FTYPE_LIST(X)
#undef X
		TW_FTYPE_COUNT
};

/* Classes of types. Types of one class can share a filter name, because Wireshark compares their values by the same rule. */
enum tw_ftype_class { TW_CLASS_NUMBER, TW_CLASS_TEXT, TW_CLASS_BYTES, TW_CLASS_IPV4, TW_CLASS_IPV6 };

/**
 * tw_ftype__of() - the type of a kernel field
 *
 * Strings are text. Bit masks are also text: the list of their bits ("0-3,7"). Arrays have the type of their elements. However, arrays of
 * integers of one byte are bytes, or an IP address if tw_field__address() recognises one.
 */
enum tw_ftype tw_ftype__of(const struct tw_field *field);

/** tw_ftype__class() - the class of a type; booleans and pointers are numbers */
enum tw_ftype_class tw_ftype__class(enum tw_ftype type);

/** tw_ftype__any() - type of trace.any.NAME if each field NAME has @type: I64 for number types except U64 and POINTER; otherwise @type */
enum tw_ftype tw_ftype__any(enum tw_ftype type);

/**
 * tw_ftype__merge() - the type of trace.any.NAME if fields of that name have types @a and @b
 *
 * First, tw_ftype__any() converts both types. If the converted types are equal, they are the result. If one of them is TEXT, the result is
 * TEXT, because any number can be written as text. If only one is a number, the result is the type of the number. Two different types of
 * numbers become U64 if one is POINTER, and I64 if none is. All other pairs become BYTES.
 */
enum tw_ftype tw_ftype__merge(enum tw_ftype a, enum tw_ftype b);

#endif
