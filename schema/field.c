/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/field.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/tracewire.h"

static bool is_called_address(const char *name, const char *suffix)
{
	return (name[0] == 's' || name[0] == 'd') && !strncmp(name + 1, "addr", 4) && !strcmp(name + 5, suffix);
}

enum tw_address tw_field__address(const struct tw_field *field)
{
	if (field->kind != TW_FIELD_ARRAY || field->elem_size != 1 || field->elem_kind == TW_FIELD_BOOL ||
	    field->place != TW_PLACE_FIXED)
		return TW_ADDRESS_NONE;
	if (field->count == 4 && is_called_address(field->name, ""))
		return TW_ADDRESS_IPV4;
	if (field->count == 16 && (is_called_address(field->name, "_v6") || is_called_address(field->name, "v6")))
		return TW_ADDRESS_IPV6;
	return TW_ADDRESS_NONE;
}

void tw_address__put(struct tw_line *line, const uint8_t *bytes, size_t len)
{
	char text[INET6_ADDRSTRLEN];

	if (inet_ntop(len == 4 ? AF_INET : AF_INET6, bytes, text, sizeof(text)))
		tw_line__str(line, text);
}

/* The common fields of an EVENT are big-endian; all other bytes have the traced host's byte order. */
static bool is_big_endian(const struct tw_record *record, uint32_t offset)
{
	return record->big_endian || (record->from_wire && offset < TW_RECORD_COMMON);
}

static bool lies_inside(const struct tw_record *record, uint64_t offset, uint64_t len)
{
	return offset + len <= record->len;
}

/* @size is 1, 2, 4 or 8. */
static void load_scalar(uint8_t kind, bool is_signed, const uint8_t *p, uint32_t size, struct tw_value *ret)
{
	const unsigned int unused = 64 - 8 * size;

	ret->kind = kind;
	ret->data = p;
	ret->len = size;
	ret->u = tw_load_uint(p, size, ret->big_endian);
	if (is_signed && (kind == TW_FIELD_INT || kind == TW_FIELD_ENUM))
		ret->i = (int64_t)(ret->u << unused) >> unused;
}

/* Finds the bytes of a field that is no scalar. The caller must check that the bytes are in the record. */
static int locate(const struct tw_field *field, const struct tw_record *record, uint64_t *ret_offset, uint64_t *ret_len)
{
	uint32_t location;

	*ret_offset = field->offset;
	*ret_len = field->size;
	if (field->place == TW_PLACE_FIXED)
		return 0;
	if (field->place == TW_PLACE_REST) {
		if (record->cut)
			return -ERANGE;
		*ret_len = field->offset < record->len ? record->len - field->offset : 0;
		*ret_len -= *ret_len % field->elem_size;
		return 0;
	}
	if (!lies_inside(record, field->offset, sizeof(location)))
		return -ERANGE;
	location = tw_load32(record->data + field->offset, is_big_endian(record, field->offset));
	*ret_offset = location & 0xffff;
	*ret_len = location >> 16;
	if (field->place == TW_PLACE_REL_LOC)
		*ret_offset += (uint64_t)field->offset + sizeof(location);
	return 0;
}

static int read_bytes(const struct tw_field *field, const struct tw_record *record, struct tw_value *ret)
{
	uint64_t offset, len;
	const uint8_t *nul;
	int err = locate(field, record, &offset, &len);

	if (err || !lies_inside(record, offset, len))
		return -ERANGE;
	ret->kind = field->kind;
	ret->big_endian = is_big_endian(record, (uint32_t)offset);
	ret->u = 0;
	ret->data = record->data + offset;
	ret->len = (uint32_t)len;
	ret->offset = (uint32_t)offset;
	if (field->kind == TW_FIELD_STRING && len && (nul = memchr(ret->data, '\0', len)))
		ret->len = (uint32_t)(nul - ret->data);
	return 0;
}

int tw_field__read(const struct tw_field *field, const struct tw_record *record, struct tw_value *ret)
{
	if (field->kind >= TW_FIELD_STRING)
		return read_bytes(field, record, ret);
	if (!lies_inside(record, field->offset, field->size))
		return -ERANGE;
	ret->big_endian = is_big_endian(record, field->offset);
	ret->offset = field->offset;
	load_scalar(field->kind, field->is_signed, record->data + field->offset, field->size, ret);
	return 0;
}

int tw_value__element(const struct tw_field *field, const struct tw_value *array, uint32_t i, struct tw_value *ret)
{
	const uint32_t size = field->elem_size;

	if (array->kind != TW_FIELD_ARRAY || i >= array->len / size)
		return -ERANGE;
	ret->big_endian = array->big_endian;
	ret->offset = array->offset + i * size;
	load_scalar(field->elem_kind, field->is_signed, array->data + (size_t)i * size, size, ret);
	return 0;
}

bool tw_value__bit(const struct tw_value *mask, uint8_t long_size, uint32_t i)
{
	uint32_t byte = i / 8;

	/* Inside each long of a big-endian host the first bit is in the last byte. */
	if (mask->big_endian && long_size)
		byte = byte / long_size * long_size + (long_size - 1 - byte % long_size);
	return byte < mask->len && (mask->data[byte] >> i % 8 & 1);
}

void tw_value__list_bits(const struct tw_value *mask, uint8_t long_size, struct tw_line *line)
{
	const uint32_t n = (mask->len < TW_MASK_BYTES_MAX ? mask->len : TW_MASK_BYTES_MAX) * 8;
	bool comma = false;

	for (uint32_t from = 0, to; from < n; from = to + 1) {
		to = from;
		if (!tw_value__bit(mask, long_size, from))
			continue;
		while (to + 1 < n && tw_value__bit(mask, long_size, to + 1))
			to++;
		if (comma)
			tw_line__char(line, ',');
		tw_line__u64(line, from);
		if (to > from) {
			tw_line__char(line, '-');
			tw_line__u64(line, to);
		}
		comma = true;
	}
}

void tw_field_name__join(const char *const *parts, char *ret)
{
	char *at = ret;
	char *const end = ret + TW_FIELD_NAME_MAX - 1;

	memcpy(at, "trace", 5);
	at += 5;
	for (; *parts; parts++) {
		if (at < end)
			*at++ = '.';
		for (const char *p = *parts; *p && at < end; p++)
			*at++ = tw_field_name__may_have(*p) ? *p : '_';
	}
	*at = 0;
}
