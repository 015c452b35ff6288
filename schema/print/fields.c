/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All of a record's fields as `field=value` pairs: for those who want no text, and where there is none. */
#include "schema/print.h"

static void put_scalar(struct tw_line *line, const struct tw_value *value, bool is_signed)
{
	if (value->kind == TW_FIELD_POINTER) {
		tw_line__str(line, "0x");
		tw_line__hex(line, value->u);
	} else if (is_signed) {
		tw_line__i64(line, value->i);
	} else {
		tw_line__u64(line, value->u);
	}
}

static void put_array(struct tw_line *line, const struct tw_field *field, const struct tw_value *array)
{
	struct tw_value element;

	tw_line__char(line, '{');
	for (uint32_t i = 0; !line->cut && !tw_value__element(field, array, i, &element); i++) {
		if (i)
			tw_line__char(line, ',');
		put_scalar(line, &element, field->is_signed);
	}
	tw_line__char(line, '}');
}

static void put_bytes(struct tw_line *line, const struct tw_value *value)
{
	for (uint32_t i = 0; i < value->len && !line->cut; i++) {
		if (i)
			tw_line__char(line, ' ');
		tw_line__char(line, "0123456789abcdef"[value->data[i] >> 4]);
		tw_line__char(line, "0123456789abcdef"[value->data[i] & 0xf]);
	}
}

void tw_print__fields(const struct tw_format *format, const struct tw_record *record, struct tw_line *line)
{
	struct tw_value value;

	for (uint16_t i = format->n_common; i < format->n_fields; i++) {
		const struct tw_field *field = &format->fields[i];

		tw_line__char(line, ' ');
		tw_line__str(line, field->name);
		tw_line__char(line, '=');
		if (tw_field__read(field, record, &value))
			continue;
		if (value.kind == TW_FIELD_STRING)
			tw_line__bytes(line, value.data, value.len);
		else if (value.kind == TW_FIELD_ARRAY)
			put_array(line, field, &value);
		else if (value.kind == TW_FIELD_BITMASK || value.kind == TW_FIELD_BYTES)
			put_bytes(line, &value);
		else
			put_scalar(line, &value, field->is_signed);
	}
}
