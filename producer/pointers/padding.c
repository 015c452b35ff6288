/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/pointers/padding.h"

#include <string.h>

#define LARGEST_ALIGNMENT 8 /* of a record's structure, which is padded to a multiple */

size_t tw_padding__count(const struct tw_format *format)
{
	return 3 * (size_t)format->n_fields + 1;
}

/* The first byte from @at on that is a field's, or the end of those that are, at @ret_end. Return: false if there is none. */
static bool next_field(const struct tw_format *format, uint32_t at, uint32_t *ret_start, uint32_t *ret_end)
{
	bool found = false;

	for (size_t i = 0; i < format->n_fields; i++) {
		const struct tw_field *field = &format->fields[i];
		const uint32_t end = field->offset + field->size;

		if (end <= at || (found && field->offset >= *ret_start))
			continue;
		*ret_start = field->offset < at ? at : field->offset;
		*ret_end = end;
		found = true;
	}
	return found;
}

static bool is_elsewhere(const struct tw_field *field)
{
	return field->place == TW_PLACE_DATA_LOC || field->place == TW_PLACE_REL_LOC;
}

/* Return: whether what the fields tell is all that records have, but for padding; @elsewhere: set if not where the fields are */
static bool is_bounded(const struct tw_format *format, bool *elsewhere)
{
	*elsewhere = false;
	for (size_t i = 0; i < format->n_fields; i++) {
		const struct tw_field *field = &format->fields[i];

		if (field->place == TW_PLACE_REST || tw_field_offset__is_open_ended(format, field))
			return false;
		*elsewhere |= is_elsewhere(field);
	}
	return true;
}

/* @at: behind the last field */
static void add_end(struct tw_field_offsets *spots, const struct tw_format *format, uint32_t at)
{
	bool elsewhere;

	if (!is_bounded(format, &elsewhere))
		return;
	if (!elsewhere && at % LARGEST_ALIGNMENT)
		tw_field_offsets__add_bytes(spots, TW_FIELD_OFFSET_PADDING, TW_PLACE_FIXED, at, UINT32_MAX);
	for (size_t i = 0; elsewhere && i < format->n_fields; i++) {
		const struct tw_field *field = &format->fields[i];

		if (is_elsewhere(field))
			tw_field_offsets__add_bytes(spots, TW_FIELD_OFFSET_LAST, field->place, field->offset,
						    field->size);
	}
}

static void add_gaps(struct tw_field_offsets *spots, const struct tw_format *format)
{
	uint32_t at = 0, start = 0, end = 0;

	while (next_field(format, at, &start, &end)) {
		if (start > at)
			tw_field_offsets__add_bytes(spots, TW_FIELD_OFFSET_PADDING, TW_PLACE_FIXED, at, start - at);
		at = end;
	}
	add_end(spots, format, at);
}

/* A task's name the kernel copies with all that is behind its end, and from where it has been cleared. */
static bool is_name_of_task(const struct tw_field *field)
{
	const char *underscore = strrchr(field->name, '_');

	return !strcmp(underscore ? underscore + 1 : field->name, "comm");
}

void tw_padding__add(struct tw_field_offsets *spots, const struct tw_format *format)
{
	add_gaps(spots, format);
	for (size_t i = 0; i < format->n_fields; i++) {
		const struct tw_field *field = &format->fields[i];

		if (field->kind == TW_FIELD_STRING && field->place == TW_PLACE_FIXED && !is_name_of_task(field))
			tw_field_offsets__add_bytes(spots, TW_FIELD_OFFSET_TEXT, TW_PLACE_FIXED, field->offset,
						    field->size);
	}
}
