/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/format_types.h"

#include <string.h>

#include "schema/bitmask.h"
#include "schema/ftrace.h"
#include "schema/type.h"

static void type_of(const struct tw_field *field, struct tw_type *ret)
{
	tw_type__parse((struct tw_text){ field->type, strlen(field->type) }, ret);
}

static void find_long_size(struct tw_format *format)
{
	struct tw_type type;

	format->long_size = 8;
	for (uint16_t i = 0; i < format->n_fields && !format->long_size_shown; i++) {
		uint8_t size;

		type_of(&format->fields[i], &type);
		size = tw_type__long_size(&type, format->fields[i].size);
		if (size) {
			format->long_size = size;
			format->long_size_shown = true;
		}
	}
}

/* Where the last field ends, bytes. */
static uint32_t extent(const struct tw_format *format)
{
	uint32_t end = 0;

	for (uint16_t i = 0; i < format->n_fields; i++)
		if (format->fields[i].offset + format->fields[i].size > end)
			end = format->fields[i].offset + format->fields[i].size;
	return end;
}

static void apply_types(struct tw_format *format)
{
	const uint32_t end = extent(format);
	struct tw_type type;

	for (uint16_t i = 0; i < format->n_fields; i++) {
		struct tw_field *field = &format->fields[i];
		bool to_end = (!field->size && field->offset >= end) || tw_ftrace__is_open_ended(format, field);

		type_of(field, &type);
		tw_type__apply(&type, format->long_size, to_end, field);
		if (tw_ftrace__is_binary(format, field))
			field->kind = field->elem_kind = TW_FIELD_BYTES;
	}
	tw_bitmask__find(format);
}

void tw_format__find_types(struct tw_format *format)
{
	find_long_size(format);
	apply_types(format);
}

void tw_format__assume_long_size(struct tw_format *format, uint8_t long_size)
{
	if (format->long_size_shown || (long_size != 4 && long_size != 8))
		return;
	format->long_size = long_size;
	apply_types(format);
}
