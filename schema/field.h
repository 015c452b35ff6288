/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a field's value out of a record. Records may be hostile: what does not lie inside is refused, never read. */
#ifndef TW_FIELD_H
#define TW_FIELD_H

#include "base/line.h"
#include "schema/format.h"

#define TW_MASK_BYTES_MAX 1024 /* of a BITMASK that are listed: 8192 CPUs */

struct tw_record {
	const uint8_t *data;
	uint32_t len;
	bool big_endian; /* byte order of the traced host */
	bool from_wire;  /* the first TW_RECORD_COMMON bytes are big-endian whatever the host: as in an EVENT */
	bool cut;        /* it went on behind @len: whoever captured kept only its beginning */
};

/* A field's value. Bytes point into the record. */
struct tw_value {
	uint8_t kind;    /* enum tw_field_kind; tells which of these is meant */
	bool big_endian; /* of the elements behind data */
	union {
		uint64_t u; /* UINT, BOOL, POINTER, unsigned ENUM */
		int64_t i;  /* INT, signed ENUM; sign-extended */
	};
	const uint8_t *data; /* STRING (up to the first NUL), ARRAY, BITMASK, BYTES */
	uint32_t len;        /* bytes at data */
	uint32_t offset;     /* of the value in the record: of the scalar, or of data */
};

/* What the bytes of a field are besides bytes. */
enum tw_address {
	TW_ADDRESS_NONE,
	TW_ADDRESS_IPV4, /* 4 bytes, in the order of the network */
	TW_ADDRESS_IPV6, /* 16 */
};

/**
 * tw_field__address() - whether a field is an IP address: the name tells, arrays of single bytes called saddr, daddr, saddr_v6
 * and daddr_v6 are
 */
enum tw_address tw_field__address(const struct tw_field *field);

/** tw_field__is_signed() - whether its values, or elements, are read with a sign: only integers and enums are */
static inline bool tw_field__is_signed(const struct tw_field *field)
{
	return field->is_signed && (field->elem_kind == TW_FIELD_INT || field->elem_kind == TW_FIELD_ENUM);
}

/**
 * tw_field__read() - a field's value
 * Return: 0; -ERANGE if the record is too short or a location points outside it (@ret untouched). So it is of what reaches to
 * the end of a record that is cut.
 */
int tw_field__read(const struct tw_field *field, const struct tw_record *record, struct tw_value *ret);

/**
 * tw_value__element() - element @i of an ARRAY as a scalar value
 * Return: 0; -ERANGE past the end.
 */
int tw_value__element(const struct tw_field *field, const struct tw_value *array, uint32_t i, struct tw_value *ret);

/**
 * tw_value__bit() - bit @i of a BITMASK
 * @long_size: of the traced host, bytes: a mask is an array of longs in its byte order
 */
bool tw_value__bit(const struct tw_value *mask, uint8_t long_size, uint32_t i);

/**
 * tw_value__list_bits() - append which bits of a BITMASK are set, as the kernel prints CPUs: "0-3,7"
 * @long_size: as of tw_value__bit()
 *
 * Of a longer mask the first TW_MASK_BYTES_MAX bytes are looked at.
 */
void tw_value__list_bits(const struct tw_value *mask, uint8_t long_size, struct tw_line *line);

/* How fields are called where names have rules: in Wireshark, and so in the filter language. */
#define TW_FIELD_NAME_MAX 256 /* of one whole name, bytes with NUL */

/** tw_field_name__may_have() - Wireshark's rule for the characters of a part of a name */
static inline bool tw_field_name__may_have(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/**
 * tw_field_name__join() - "trace.SYSTEM.EVENT.FIELD", what may not be in a name replaced by '_'
 * @parts: NULL-terminated list of the parts behind "trace"
 * @ret: TW_FIELD_NAME_MAX bytes; cut if it does not fit
 */
void tw_field_name__join(const char *const *parts, char *ret);

#endif
