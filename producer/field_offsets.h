/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The offsets of selected fields in the records of each event, for readers that look at these fields in every record. The table has one
 * entry for each event id. One thread changes the table while readers use it. Replaced entries are kept until
 * tw_field_offset_table__fini(), because a reader may still use them.
 */
#ifndef TW_FIELD_OFFSETS_H
#define TW_FIELD_OFFSETS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "schema/format.h"

/* Values of @width for ranges of bytes that do not consist of 4-byte or 8-byte values: */
#define TW_FIELD_OFFSET_PADDING 0 /* bytes that belong to no field */
#define TW_FIELD_OFFSET_TEXT    1 /* a string; the bytes after its end are cleared */
#define TW_FIELD_OFFSET_LAST    2 /* a __data_loc or __rel_loc field; bytes after the data of all these are cleared */

/* Either a field (a scalar or an array), or a range of bytes with one of the widths above. */
struct tw_field_offset {
	uint64_t min;    /* values smaller than this are ignored */
	uint32_t offset; /* offset in the record, bytes */
	uint32_t size;   /* size, bytes; UINT32_MAX = to the end of the record */
	uint8_t width;   /* size of one value, 4 or 8 bytes; for a range: one of the widths above */
	uint8_t place;   /* enum tw_field_place */
};

struct tw_field_offsets {
	struct tw_field_offsets *next; /* next in tw_field_offset_table.all */
	size_t n;
	struct tw_field_offset entries[];
};

typedef _Atomic(const struct tw_field_offsets *) tw_field_offsets_ref;

struct tw_field_offset_table {
	tw_field_offsets_ref *by_id;  /* UINT16_MAX + 1 elements; NULL = no fields of the event are selected */
	struct tw_field_offsets *all; /* all entries, including replaced ones */
	atomic_bool any;
};

/** tw_field_offset_table__init() - make an empty table. Return: 0 or -ENOMEM */
int tw_field_offset_table__init(struct tw_field_offset_table *table);

/** tw_field_offset_table__fini() - free the table and all entries; an all-zero table is fine */
void tw_field_offset_table__fini(struct tw_field_offset_table *table);

/**
 * tw_field_offsets__new() - allocate with room for @n fields. The caller passes the result to tw_field_offset_table__set() or frees it
 * Return: NULL if there is no memory
 */
struct tw_field_offsets *tw_field_offsets__new(size_t n);

/** tw_field_offsets__add() - add a field, for which @offsets must have room. No effect if the field's values do not have 4 or 8 bytes */
void tw_field_offsets__add(struct tw_field_offsets *offsets, const struct tw_format *format,
			   const struct tw_field *field, uint64_t min);

/**
 * tw_field_offsets__add_bytes() - add an entry, for which @offsets must have room
 * @width: size of its values, or one of the widths above
 * @size: UINT32_MAX = to the end of the record
 */
void tw_field_offsets__add_bytes(struct tw_field_offsets *offsets, uint8_t width, enum tw_field_place place,
				 uint32_t offset, uint32_t size);

/** tw_field_offset__is_open_ended() - whether the kernel may write more values than the format declares */
bool tw_field_offset__is_open_ended(const struct tw_format *format, const struct tw_field *field);

/**
 * tw_field_offset_table__set() - replace the selected fields of an event by @offsets, which then belongs to the table
 * Return: false if @offsets is NULL or has no fields
 */
bool tw_field_offset_table__set(struct tw_field_offset_table *table, uint16_t id, struct tw_field_offsets *offsets);

/** tw_field_offset_table__find() - get the selected fields of an event; NULL = no fields */
static inline const struct tw_field_offsets *tw_field_offset_table__find(const tw_field_offsets_ref *by_id, uint16_t id)
{
	return atomic_load_explicit(&by_id[id], memory_order_acquire);
}

/**
 * tw_field_offset__locate() - find the bytes of a field in a record
 * @record: @len bytes; a __data_loc or __rel_loc is in host byte order
 * @ret_offset: offset of the field's data
 * Return: number of the data's bytes that are within @len; 0 if the data begins after @len.
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
		memcpy(&word, record + offset, sizeof(word)); /* low 16 bits: offset, high 16 bits: length */
		offset = (word & 0xffff) +
			 (entry->place == TW_PLACE_REL_LOC ? entry->offset + (uint32_t)sizeof(word) : 0);
		size = word >> 16;
	}
	if (offset > len)
		return 0;
	*ret_offset = offset;
	return size < len - offset ? size : len - offset;
}

/** tw_field_offset__load() - read a value of @width bytes, 4 or 8, in host byte order */
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
