/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the records of each kind of event have some of their fields, for readers that look at every record: a table by event
 * id, which one thread changes while they run. Replaced entries are freed at the end, as a reader may still use them.
 */
#ifndef TW_FIELD_OFFSETS_H
#define TW_FIELD_OFFSETS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "schema/format.h"

/* Widths of entries without values: */
#define TW_FIELD_OFFSET_PADDING 0 /* bytes that are no field's */
#define TW_FIELD_OFFSET_TEXT    1 /* a text; what follows its end is cleared */
#define TW_FIELD_OFFSET_LAST    2 /* after the last of these the record has nothing */

/* One field: a scalar, or an array of values one after the other; or such bytes. */
struct tw_field_offset {
	uint64_t min;    /* smaller values are ignored */
	uint32_t offset; /* in the record, bytes */
	uint32_t size;   /* bytes; UINT32_MAX = to the record's end */
	uint8_t width;   /* of one value, bytes: 4 or 8, or as above */
	uint8_t place;   /* enum tw_field_place */
};

struct tw_field_offsets {
	struct tw_field_offsets *next; /* in the list of all */
	size_t n;
	struct tw_field_offset entries[];
};

typedef _Atomic(const struct tw_field_offsets *) tw_field_offsets_ref;

struct tw_field_offset_table {
	tw_field_offsets_ref *by_id;  /* UINT16_MAX + 1 of them; NULL = none of its fields */
	struct tw_field_offsets *all; /* also of ids given to other events since */
	atomic_bool any;
};

/** tw_field_offset_table__init() - of no events yet. Return: 0 or -ENOMEM */
int tw_field_offset_table__init(struct tw_field_offset_table *table);

/** tw_field_offset_table__fini() - an all-zero one is fine */
void tw_field_offset_table__fini(struct tw_field_offset_table *table);

/** tw_field_offsets__new() - with room for @n. Return: NULL without memory; free() until it is in a table */
struct tw_field_offsets *tw_field_offsets__new(size_t n);

/** tw_field_offsets__add() - a field that has room; no effect for one that has no values of 4 or 8 bytes */
void tw_field_offsets__add(struct tw_field_offsets *offsets, const struct tw_format *format,
			   const struct tw_field *field, uint64_t min);

/** tw_field_offsets__add_bytes() - an entry that has room; @width: of its values, or as above; @size: UINT32_MAX = to the record's end */
void tw_field_offsets__add_bytes(struct tw_field_offsets *offsets, uint8_t width, enum tw_field_place place,
				 uint32_t offset, uint32_t size);

/** tw_field_offset__is_open_ended() - whether the kernel writes as many values as it has, whatever size the format tells */
bool tw_field_offset__is_open_ended(const struct tw_format *format, const struct tw_field *field);

/**
 * tw_field_offset_table__set() - from now on these are the fields of the event
 * @offsets: taken over; NULL or empty = none
 *
 * Return: whether there are any.
 */
bool tw_field_offset_table__set(struct tw_field_offset_table *table, uint16_t id, struct tw_field_offsets *offsets);

/** tw_field_offset_table__find() - of an event; NULL = none of its fields */
static inline const struct tw_field_offsets *tw_field_offset_table__find(const tw_field_offsets_ref *by_id, uint16_t id)
{
	return atomic_load_explicit(&by_id[id], memory_order_acquire);
}

/**
 * tw_field_offset__locate() - where it is in this record
 * @record: at least the bytes of the field; those of a location in this host's order
 *
 * Return: how many bytes there are, all inside of @len; 0, and 0 in @ret_offset, for what would lie outside.
 */
static inline uint32_t tw_field_offset__locate(const struct tw_field_offset *entry, const uint8_t *record, uint32_t len,
					       uint32_t *ret_offset)
{
	uint32_t offset = entry->offset, size = entry->size, word;

	*ret_offset = 0;
	if (offset > len)
		return 0;
	if (entry->place == TW_PLACE_DATA_LOC || entry->place == TW_PLACE_REL_LOC) {
		if (len - offset < sizeof(word))
			return 0;
		memcpy(&word, record + offset, sizeof(word)); /* the low half the offset, the high half the length */
		offset = (word & 0xffff) +
			 (entry->place == TW_PLACE_REL_LOC ? entry->offset + (uint32_t)sizeof(word) : 0);
		size = word >> 16;
	}
	if (offset > len)
		return 0;
	*ret_offset = offset;
	return size < len - offset ? size : len - offset;
}

/** tw_field_offset__load() - a value of @width bytes, 4 or 8, of this host's order */
static inline uint64_t tw_field_offset__load(const uint8_t *at, uint8_t width)
{
	uint64_t wide;
	uint32_t narrow;

	if (width == sizeof(wide)) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, at, sizeof(narrow));
	return narrow;
}

#endif
