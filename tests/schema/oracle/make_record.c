/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "oracle.h"

#define DYNAMIC_UNIT 8 /* bytes: a multiple of every element's size */

static uint32_t end_of_fixed(const struct tw_format *format)
{
	uint32_t end = TW_RECORD_COMMON;

	for (uint16_t i = 0; i < format->n_fields; i++)
		if (format->fields[i].offset + format->fields[i].size > end)
			end = format->fields[i].offset + format->fields[i].size;
	return (end + DYNAMIC_UNIT - 1) / DYNAMIC_UNIT * DYNAMIC_UNIT;
}

static void store32(uint8_t *p, uint32_t value, bool big_endian)
{
	if (big_endian != TW_HOST_BE)
		value = __builtin_bswap32(value);
	memcpy(p, &value, sizeof(value));
}

uint32_t make_record(const struct tw_format *format, bool big_endian, uint8_t *ret, uint32_t size)
{
	uint32_t len = end_of_fixed(format);

	for (uint32_t i = 0; i < size; i++)
		ret[i] = (uint8_t)(rand() >> 8);
	for (uint16_t i = 0; i < format->n_fields; i++) {
		const struct tw_field *field = &format->fields[i];
		const uint32_t data = (uint32_t)rand() % 5 * DYNAMIC_UNIT;
		uint32_t offset = len;

		if ((field->place != TW_PLACE_DATA_LOC && field->place != TW_PLACE_REL_LOC) || len + data > size)
			continue;
		if (field->place == TW_PLACE_REL_LOC)
			offset -= field->offset + 4;
		store32(ret + field->offset, data << 16 | offset, big_endian);
		len += data;
	}
	return len;
}
