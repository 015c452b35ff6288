/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads field values from a record. Records may be hostile: bytes outside the record are never read. */
#ifndef TW_FIELD_H
#define TW_FIELD_H

#include "base/line.h"
#include "schema/format.h"

#define TW_MASK_BYTES_MAX 1024 /* tw_value__list_bits() lists the bits of at most this number of bytes: 8192 CPUs */

struct tw_record {
	const uint8_t *data;
	uint32_t len;
	bool big_endian; /* byte order of the traced host */
	bool from_wire;  /* the record is from an EVENT: its first TW_RECORD_COMMON bytes are always big-endian */
	bool cut;        /* the record was truncated at @len: the capturing program kept only its beginning */
};

/* A field's value. @data points into the record. */
struct tw_value {
	uint8_t kind;    /* enum tw_field_kind; selects the member of the union */
	bool big_endian; /* byte order of the bytes at data */
	union {
		uint64_t u; /* UINT, BOOL, POINTER, unsigned ENUM */
		int64_t i;  /* INT, signed ENUM; sign-extended */
	};
	const uint8_t *data; /* the value's bytes; of a STRING, the bytes before its first NUL */
	uint32_t len;        /* number of bytes at data */
	uint32_t offset;     /* offset of @data in the record */
};

/* The kind of IP address that a field contains. */
enum tw_address {
	TW_ADDRESS_NONE,
	TW_ADDRESS_IPV4, /* 4 bytes, network byte order */
	TW_ADDRESS_IPV6, /* 16 bytes, network byte order */
};

/** tw_field__address() - IPV4 for an array of 4 bytes named saddr or daddr, IPV6 for one of 16 bytes named saddr_v6 or daddr_v6 */
enum tw_address tw_field__address(const struct tw_field *field);

/** tw_address__put() - append the IP address in @bytes: IPv4 if @len is 4, else IPv6 */
void tw_address__put(struct tw_line *line, const uint8_t *bytes, size_t len);

/** tw_field__is_signed() - whether the field's value, or its elements, are signed; only integers and enums can be signed */
static inline bool tw_field__is_signed(const struct tw_field *field)
{
	return field->is_signed && (field->elem_kind == TW_FIELD_INT || field->elem_kind == TW_FIELD_ENUM);
}

/**
 * tw_field__read() - read a field's value
 * Return: 0; -ERANGE, with @ret unchanged, if the field or a part of it is not in the record. For a field with TW_PLACE_REST, a truncated
 * record always gives -ERANGE.
 */
int tw_field__read(const struct tw_field *field, const struct tw_record *record, struct tw_value *ret);

/** tw_value__element() - element @i of an ARRAY as a scalar value. Return: 0; -ERANGE past the end, or if the value is no ARRAY */
int tw_value__element(const struct tw_field *field, const struct tw_value *array, uint32_t i, struct tw_value *ret);

/** tw_value__bit() - bit @i of a BITMASK, an array of longs of @long_size bytes in the traced host's byte order; false past its end */
bool tw_value__bit(const struct tw_value *mask, uint8_t long_size, uint32_t i);

/** tw_value__list_bits() - append the set bits in the first TW_MASK_BYTES_MAX bytes of a BITMASK as the kernel lists CPUs: "0-3,7" */
void tw_value__list_bits(const struct tw_value *mask, uint8_t long_size, struct tw_line *line);

/* Names of fields by the rules of Wireshark. The filter language has the same rules. */
#define TW_FIELD_NAME_MAX 256 /* size of a whole name, bytes including NUL */

/** tw_field_name__may_have() - whether Wireshark permits @c in a part of a name, between two dots */
static inline bool tw_field_name__may_have(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/**
 * tw_field_name__join() - make "trace.SYSTEM.EVENT.FIELD", with '_' for characters that are not permitted
 * @parts: NULL-terminated list of the parts after "trace"
 * @ret: TW_FIELD_NAME_MAX bytes; a longer name is cut
 */
void tw_field_name__join(const char *const *parts, char *ret);

#endif
