/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The input: length of the record, flags, an untrusted format text, then the record. The text is passed to the parsers of header_page,
 * header_event and formats. Every value of every field is read to its last byte, so that a sanitizer checks each read.
 */
#include <stdlib.h>

#include "base/bytes.h"
#include "schema/format.h"
#include "schema/schema.h"
#include "tests/schema/touch.h"

/* Flags, the third byte of the input. */
#define BIG_ENDIAN_HOST 0x01
#define FROM_WIRE       0x02
#define LONG_OF_4       0x04

#define HEAD 3 /* bytes: u16 length of the record, flags */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_layouts(const char *text, size_t len)
{
	struct tw_page_layout page;
	struct tw_entry_layout entry;
	struct tw_error err;

	if (!tw_page_layout__parse(text, len, &page, &err))
		touch__bytes(&page, sizeof(page));
	if (!tw_entry_layout__parse(text, len, &entry, &err))
		touch__bytes(&entry, sizeof(entry));
}

/* Adds the text twice, so that its second format replaces the first. */
static void parse_format(const char *text, size_t len, const struct tw_record *record, uint8_t long_size)
{
	struct tw_schema *schema = tw_schema__new();
	const struct tw_format *format = NULL;
	struct tw_error err;

	if (!schema)
		return;
	if (!tw_schema__add(schema, "ftrace", text, len, NULL, &err))
		tw_schema__set_long_size(schema, long_size);
	if (!tw_schema__add(schema, "any", text, len, &format, &err)) {
		touch__format(format);
		touch__record(format, record);
	}
	if (tw_schema__count(schema) && tw_schema__at(schema, 0) != format)
		abort();
	tw_schema__free(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_record record = { 0 };
	uint8_t *bytes;
	size_t len;

	if (size < HEAD)
		return 0;
	len = size - HEAD;
	record.len = tw_load_be16(data);
	if (record.len > len)
		record.len = (uint32_t)len;
	record.big_endian = data[2] & BIG_ENDIAN_HOST;
	record.from_wire = data[2] & FROM_WIRE;
	bytes = malloc(record.len ? record.len : 1); /* in separate memory, so that a read beyond its end is found */
	if (!bytes)
		return 0;
	memcpy(bytes, data + size - record.len, record.len);
	record.data = bytes;
	parse_layouts((const char *)data + HEAD, len - record.len);
	parse_format((const char *)data + HEAD, len - record.len, &record, data[2] & LONG_OF_4 ? 4 : 8);
	free(bytes);
	return 0;
}
