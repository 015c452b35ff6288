/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/schema/touch.h"

#include <string.h>

/* Gets all results, so that the compiler removes no read. */
static volatile uint64_t seen;

void touch__bytes(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	uint64_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += p[i];
	seen = sum;
}

static void touch_value(const struct tw_field *field, const struct tw_value *value, uint8_t long_size)
{
	struct tw_value element;

	seen = value->u;
	touch__bytes(value->data, value->len);
	for (uint32_t i = 0; !tw_value__element(field, value, i, &element); i++)
		seen = element.u;
	for (uint32_t i = 0; field->kind == TW_FIELD_BITMASK && i <= 8 * value->len; i++)
		seen = tw_value__bit(value, long_size, i);
}

void touch__format(const struct tw_format *format)
{
	touch__bytes(format->system, strlen(format->system));
	touch__bytes(format->name, strlen(format->name));
	touch__bytes(format->print_fmt, strlen(format->print_fmt));
	for (uint16_t i = 0; i < format->n_fields; i++) {
		touch__bytes(format->fields[i].name, strlen(format->fields[i].name));
		touch__bytes(format->fields[i].type, strlen(format->fields[i].type));
	}
}

void touch__record(const struct tw_format *format, const struct tw_record *record)
{
	struct tw_value value;

	for (uint16_t i = 0; i < format->n_fields; i++)
		if (!tw_field__read(&format->fields[i], record, &value))
			touch_value(&format->fields[i], &value, format->long_size);
}
