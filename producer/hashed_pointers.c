/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/hashed_pointers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "producer/pointers/padding.h"
#include "schema/pointer_field.h"

int tw_hashed_pointers__init(struct tw_hashed_pointers *p, struct tw_error *err)
{
	const int rc = tw_pointer_key__init(&p->key, err);

	if (rc)
		return rc;
	return tw_field_offset_table__init(&p->table) ? tw_error__set(err, -ENOMEM, "out of memory") : 0;
}

void tw_hashed_pointers__fini(struct tw_hashed_pointers *p)
{
	tw_field_offset_table__fini(&p->table);
	*p = (struct tw_hashed_pointers){ 0 };
}

int tw_hashed_pointers__set_format(struct tw_hashed_pointers *p, const struct tw_format *format,
				   const struct tw_print *print)
{
	struct tw_field_offsets *spots = tw_field_offsets__new(format->n_fields + tw_padding__count(format));

	if (!spots)
		return -ENOMEM;
	for (size_t i = 0; i < format->n_fields; i++) {
		const uint64_t least = tw_pointer_field__least(format, print, &format->fields[i]);

		if (least)
			tw_field_offsets__add(spots, format, &format->fields[i], least);
	}
	tw_padding__add(spots, format);
	tw_field_offset_table__set(&p->table, format->id, spots);
	return 0;
}

int tw_hashed_pointers__set_unknown(struct tw_hashed_pointers *p, uint16_t id)
{
	struct tw_field_offsets *spots = tw_field_offsets__new(1);

	if (!spots)
		return -ENOMEM;
	spots->spots[spots->n++] = (struct tw_field_offset){
		.least = TW_POINTER_LEAST_KERNEL,
		.offset = TW_RECORD_COMMON,
		.size = UINT32_MAX,
		.width = sizeof(uint64_t),
	};
	tw_field_offset_table__set(&p->table, id, spots);
	return 0;
}

void tw_hashed_pointers__set_text(struct tw_hashed_pointers *p, const struct tw_kernel_text *text)
{
	tw_pointer_key__move(&p->key, text->core_start, text->core_end);
	tw_pointer_key__move(&p->key, text->modules_start, text->modules_end);
}

char *tw_hashed_pointers__hide_strings(const struct tw_hashed_pointers *p, const char *text)
{
	char *hidden = NULL;
	size_t size;
	FILE *out = open_memstream(&hidden, &size);

	while (out && *text) {
		const size_t len = strcspn(text, "\n");
		uint64_t address;
		int at = 0;

		if (sscanf(text, "0x%" SCNx64 "%n", &address, &at) == 1 && (size_t)at < len)
			fprintf(out, "0x%" PRIx64 "%.*s\n", tw_pointer_key__hide(&p->key, address, sizeof(long)),
				(int)(len - (size_t)at), text + at);
		text += len + (text[len] == '\n');
	}
	if (out && fclose(out)) {
		free(hidden);
		hidden = NULL;
	}
	return hidden;
}

static inline bool is_address(uint64_t value, const struct tw_field_offset *spot)
{
	const uint64_t all = spot->width == sizeof(uint32_t) ? (uint64_t)UINT32_MAX : UINT64_MAX;

	return value >= spot->least && value <= all - TW_POINTER_ERRORS;
}

static void store(uint8_t *at, uint8_t width, uint64_t value)
{
	const uint32_t narrow = (uint32_t)value;

	if (width == sizeof(narrow))
		memcpy(at, &narrow, sizeof(narrow));
	else
		memcpy(at, &value, sizeof(value));
}

static void hide_values(const struct tw_hashed_pointers *p, const struct tw_field_offset *spot, uint8_t *at,
			uint32_t size)
{
	for (; size >= spot->width; size -= spot->width, at += spot->width) {
		const uint64_t value = tw_field_offset__load(at, spot->width);

		if (is_address(value, spot))
			store(at, spot->width, tw_pointer_key__hide(&p->key, value, spot->width));
	}
}

static void clear_behind_text(uint8_t *text, uint32_t size)
{
	const size_t len = strnlen((const char *)text, size);

	memset(text + len, 0, size - len);
}

void tw_hashed_pointers__hide(const struct tw_hashed_pointers *p, const struct tw_field_offsets *spots, uint8_t *record,
			      uint32_t len)
{
	uint32_t end = 0;

	for (size_t i = 0; i < spots->n; i++) {
		const struct tw_field_offset *spot = &spots->spots[i];
		uint32_t offset;
		const uint32_t size = tw_field_offset__locate(spot, record, len, &offset);

		if (spot->width == TW_FIELD_OFFSET_PADDING)
			memset(record + offset, 0, size);
		else if (spot->width == TW_FIELD_OFFSET_TEXT)
			clear_behind_text(record + offset, size);
		else if (spot->width == TW_FIELD_OFFSET_LAST)
			end = offset + size > end ? offset + size : end;
		else
			hide_values(p, spot, record + offset, size);
	}
	if (end)
		memset(record + end, 0, len - end);
}
