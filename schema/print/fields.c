/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All of a record's fields as `field=value` pairs: for those who want no text, and where there is none. The values are as
 * trace-cmd report -R has them where a field's own type decides: longs that have no sign in hexadecimal, arrays byte by byte.
 */
#include "base/printable.h"
#include "schema/print.h"

/* libtraceevent's reading of a type. */
static bool is_long(const struct tw_field *field)
{
	return strstr(field->type, "long");
}

static void put_scalar(struct tw_line *line, const struct tw_field *field, const struct tw_value *value)
{
	const bool is_hex = field->is_signed ? is_long(field) && field->size == 4 : is_long(field);

	if (value->kind == TW_FIELD_POINTER || is_hex) {
		tw_line__str(line, "0x");
		tw_line__hex(line, field->size == 4 ? (uint32_t)value->u : value->u);
	} else if (field->is_signed) {
		if (field->size == 2 && value->i >= 0 && value->i < 10)
			tw_line__char(line, ' '); /* shorts are two wide */
		tw_line__i64(line, value->i);
	} else {
		tw_line__u64(line, value->u);
	}
}

static void put_bytes(struct tw_line *line, const struct tw_value *value)
{
	tw_line__str(line, "ARRAY[");
	for (uint32_t i = 0; i < value->len && !line->cut; i++) {
		if (i)
			tw_line__bytes(line, ", ", 2);
		tw_line__hex_byte(line, value->data[i]);
	}
	tw_line__char(line, ']');
}

void tw_print__fields(const struct tw_format *format, const struct tw_record *record, struct tw_line *line)
{
	struct tw_value value;

	for (uint16_t i = format->n_common; i < format->n_fields && !line->cut; i++) {
		const struct tw_field *field = &format->fields[i];
		const bool is_there = !tw_field__read(field, record, &value);

		if (!is_there && record->cut)
			continue;
		tw_line__char(line, ' ');
		tw_line__str(line, field->name);
		tw_line__char(line, '=');
		if (!is_there)
			continue;
		if (value.kind == TW_FIELD_STRING)
			tw_line__bytes(line, value.data, value.len);
		else if (value.kind == TW_FIELD_ARRAY || value.kind == TW_FIELD_BITMASK || value.kind == TW_FIELD_BYTES)
			put_bytes(line, &value);
		else
			put_scalar(line, field, &value);
	}
	tw_printable__end(line);
}
