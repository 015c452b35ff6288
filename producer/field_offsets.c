/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/field_offsets.h"

#include <errno.h>
#include <stdlib.h>

int tw_field_offset_table__init(struct tw_field_offset_table *table)
{
	*table = (struct tw_field_offset_table){ 0 };
	/* the pages of unused ids take no memory, because they are never written */
	table->by_id = calloc(UINT16_MAX + 1, sizeof(*table->by_id));
	return table->by_id ? 0 : -ENOMEM;
}

void tw_field_offset_table__fini(struct tw_field_offset_table *table)
{
	while (table->all) {
		struct tw_field_offsets *next = table->all->next;

		free(table->all);
		table->all = next;
	}
	free((void *)table->by_id);
	*table = (struct tw_field_offset_table){ 0 };
}

struct tw_field_offsets *tw_field_offsets__new(size_t n)
{
	return calloc(1, sizeof(struct tw_field_offsets) + n * sizeof(struct tw_field_offset));
}

/* Stack traces are open-ended: their format declares eight callers, but the kernel writes as many as it found. */
bool tw_field_offset__is_open_ended(const struct tw_format *format, const struct tw_field *field)
{
	return field->place == TW_PLACE_REST ||
	       (field->place == TW_PLACE_FIXED && field->kind == TW_FIELD_ARRAY && !strcmp(format->system, "ftrace") &&
		field == &format->fields[format->n_fields - 1]);
}

void tw_field_offsets__add(struct tw_field_offsets *offsets, const struct tw_format *format,
			   const struct tw_field *field, uint64_t min)
{
	const uint32_t size = tw_field_offset__is_open_ended(format, field) ? UINT32_MAX : field->size;

	if (field->elem_size != 4 && field->elem_size != 8)
		return;
	tw_field_offsets__add_bytes(offsets, (uint8_t)field->elem_size, field->place, field->offset, size);
	offsets->entries[offsets->n - 1].min = min;
}

void tw_field_offsets__add_bytes(struct tw_field_offsets *offsets, uint8_t width, enum tw_field_place place,
				 uint32_t offset, uint32_t size)
{
	struct tw_field_offset *entry = &offsets->entries[offsets->n++];

	memset(entry, 0, sizeof(*entry)); /* also clears the padding, because is_same() compares bytes */
	entry->offset = offset;
	entry->size = size;
	entry->width = width;
	entry->place = (uint8_t)place;
}

static bool is_same(const struct tw_field_offsets *a, const struct tw_field_offsets *b)
{
	return a && b && a->n == b->n && !memcmp(a->entries, b->entries, a->n * sizeof(a->entries[0]));
}

bool tw_field_offset_table__set(struct tw_field_offset_table *table, uint16_t id, struct tw_field_offsets *offsets)
{
	if (offsets && !offsets->n) {
		free(offsets);
		offsets = NULL;
	}
	if (is_same(atomic_load(&table->by_id[id]), offsets)) {
		free(offsets);
		return true;
	}
	atomic_store_explicit(&table->by_id[id], offsets, memory_order_release);
	if (!offsets)
		return false;
	offsets->next = table->all;
	table->all = offsets;
	atomic_store(&table->any, true);
	return true;
}
