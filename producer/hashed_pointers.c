/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/hashed_pointers.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium/crypto_shorthash.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "schema/pointer_field.h"

_Static_assert(crypto_shorthash_KEYBYTES == TW_POINTER_SECRET, "the secret is SipHash's key");
_Static_assert(crypto_shorthash_BYTES == sizeof(uint64_t), "a hash has the width of an address");

/* Values near 0 and near the largest number are small numbers and error codes. Therefore no range is moved there. */
#define MARGIN            ((uint64_t)1 << 16)
#define LARGEST_ALIGNMENT 8 /* of a record's struct, the size of which is padded to a multiple of the alignment */

int tw_pointer_key__init(struct tw_pointer_key *key, struct tw_error *error)
{
	*key = (struct tw_pointer_key){ 0 };
	if (getrandom(key->secret, sizeof(key->secret), 0) != sizeof(key->secret))
		return tw_error__set(error, -EIO,
				     "cannot get a random number from the kernel, which is needed to hash addresses");
	return 0;
}

static bool overlaps(const struct tw_pointer_key *key, uint64_t moved, uint64_t size)
{
	for (size_t i = 0; i < key->n_ranges; i++)
		if (moved < key->ranges[i].moved + key->ranges[i].size && key->ranges[i].moved < moved + size)
			return true;
	return false;
}

void tw_pointer_key__move(struct tw_pointer_key *key, uint64_t start, uint64_t end)
{
	const uint64_t space = sizeof(long) == 4 ? (uint64_t)UINT32_MAX : UINT64_MAX;
	const uint64_t size = end - start;
	uint64_t moved;

	if (end <= start || key->n_ranges == TW_POINTER_RANGES || size > space / 4)
		return;
	do {
		if (getrandom(&moved, sizeof(moved), 0) != sizeof(moved))
			return;
		moved = MARGIN + moved % (space - size - 2 * MARGIN);
	} while (overlaps(key, moved, size));
	key->ranges[key->n_ranges++] = (struct tw_pointer_range){ start, size, moved };
}

bool tw_pointer_key__keeps_distances(const struct tw_pointer_key *key, uint64_t start, uint64_t size)
{
	for (size_t i = 0; i < key->n_ranges; i++) {
		const struct tw_pointer_range *range = &key->ranges[i];

		if (start - range->start < range->size)
			return size <= range->size - (start - range->start);
	}
	return false;
}

uint64_t tw_pointer_key__hash(const struct tw_pointer_key *key, uint64_t address, uint8_t width)
{
	uint64_t hash;

	for (size_t i = 0; i < key->n_ranges; i++)
		if (address - key->ranges[i].start < key->ranges[i].size)
			return key->ranges[i].moved + (address - key->ranges[i].start);
	crypto_shorthash((unsigned char *)&hash, (const unsigned char *)&address, sizeof(address), key->secret);
	return width == sizeof(uint32_t) ? (uint32_t)hash : hash;
}

/* Finds the first byte at or after @at that belongs to a field, and the end of that field. Return: false if there is no such byte */
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

/*
 * Adds the bytes at the end of a record that belong to no field. If the record has __data_loc or __rel_loc fields, these are the bytes
 * after the data of all such fields; otherwise, the bytes after the last field, which ends at @at. Adds nothing if the kernel may write
 * more at the end than the format declares.
 */
static void add_end(struct tw_field_offsets *offsets, const struct tw_format *format, uint32_t at)
{
	const size_t before = offsets->n;

	for (size_t i = 0; i < format->n_fields; i++) {
		const struct tw_field *field = &format->fields[i];

		if (tw_field_offset__is_open_ended(format, field)) {
			offsets->n = before;
			return;
		}
		if (field->place == TW_PLACE_DATA_LOC || field->place == TW_PLACE_REL_LOC)
			tw_field_offsets__add_bytes(offsets, TW_FIELD_OFFSET_LAST, field->place, field->offset,
						    field->size);
	}
	if (offsets->n == before && at % LARGEST_ALIGNMENT)
		tw_field_offsets__add_bytes(offsets, TW_FIELD_OFFSET_PADDING, TW_PLACE_FIXED, at, UINT32_MAX);
}

/* Adds the padding between fields and after the last field. */
static void add_gaps(struct tw_field_offsets *offsets, const struct tw_format *format)
{
	uint32_t at = 0, start = 0, end = 0;

	while (next_field(format, at, &start, &end)) {
		if (start > at)
			tw_field_offsets__add_bytes(offsets, TW_FIELD_OFFSET_PADDING, TW_PLACE_FIXED, at, start - at);
		at = end;
	}
	add_end(offsets, format, at);
}

/*
 * Whether a field is a task's name. Such a field needs no clearing: the kernel copies the whole array of the name, in which the bytes after
 * the name are already 0.
 */
static bool is_name_of_task(const struct tw_field *field)
{
	const char *underscore = strrchr(field->name, '_');

	return !strcmp(underscore ? underscore + 1 : field->name, "comm");
}

/* Adds the bytes that belong to no field, and the bytes after the end of strings, because the kernel does not clear them. */
static void add_padding(struct tw_field_offsets *offsets, const struct tw_format *format)
{
	add_gaps(offsets, format);
	for (size_t i = 0; i < format->n_fields; i++) {
		const struct tw_field *field = &format->fields[i];

		if (field->kind == TW_FIELD_STRING && field->place == TW_PLACE_FIXED && !is_name_of_task(field))
			tw_field_offsets__add_bytes(offsets, TW_FIELD_OFFSET_TEXT, TW_PLACE_FIXED, field->offset,
						    field->size);
	}
}

int tw_hashed_pointers__init(struct tw_hashed_pointers *p, struct tw_error *error)
{
	const int err = tw_pointer_key__init(&p->key, error);

	if (err)
		return err;
	return tw_field_offset_table__init(&p->table) ? tw_error__set(error, -ENOMEM, "out of memory") : 0;
}

void tw_hashed_pointers__fini(struct tw_hashed_pointers *p)
{
	tw_field_offset_table__fini(&p->table);
	*p = (struct tw_hashed_pointers){ 0 };
}

int tw_hashed_pointers__set_format(struct tw_hashed_pointers *p, const struct tw_format *format,
				   const struct tw_print *print)
{
	/*
	 * Four entries for each field: its values, a gap before it, the bytes after its string, the bytes after its data. One entry for the
	 * end of the record.
	 */
	struct tw_field_offsets *offsets = tw_field_offsets__new(format->n_fields + 3 * (size_t)format->n_fields + 1);

	if (!offsets)
		return -ENOMEM;
	for (size_t i = 0; i < format->n_fields; i++) {
		const uint64_t min = tw_pointer_field__min(format, print, &format->fields[i]);

		if (min)
			tw_field_offsets__add(offsets, format, &format->fields[i], min);
	}
	add_padding(offsets, format);
	tw_field_offset_table__set(&p->table, format->id, offsets);
	return 0;
}

int tw_hashed_pointers__set_unknown(struct tw_hashed_pointers *p, uint16_t id)
{
	struct tw_field_offsets *offsets = tw_field_offsets__new(1);

	if (!offsets)
		return -ENOMEM;
	tw_field_offsets__add_bytes(offsets, sizeof(uint64_t), TW_PLACE_FIXED, TW_RECORD_COMMON, UINT32_MAX);
	offsets->entries[0].min = TW_POINTER_MIN_KERNEL;
	tw_field_offset_table__set(&p->table, id, offsets);
	return 0;
}

void tw_hashed_pointers__set_text(struct tw_hashed_pointers *p, const struct tw_kernel_text *text)
{
	tw_pointer_key__move(&p->key, text->core_start, text->core_end);
	tw_pointer_key__move(&p->key, text->modules_start, text->modules_end);
}

char *tw_hashed_pointers__hash_strings(const struct tw_hashed_pointers *p, const char *text)
{
	char *hashed = NULL;
	size_t size;
	FILE *out = open_memstream(&hashed, &size);

	while (out && *text) {
		const size_t len = strcspn(text, "\n");
		uint64_t address;
		int at = 0;

		if (sscanf(text, "0x%" SCNx64 "%n", &address, &at) == 1 && (size_t)at < len)
			fprintf(out, "0x%" PRIx64 "%.*s\n", tw_pointer_key__hash(&p->key, address, sizeof(long)),
				(int)(len - (size_t)at), text + at);
		text += len + (text[len] == '\n');
	}
	if (out && fclose(out)) {
		free(hashed);
		hashed = NULL;
	}
	return hashed;
}

static inline bool is_address(uint64_t value, const struct tw_field_offset *entry)
{
	const uint64_t all = entry->width == sizeof(uint32_t) ? (uint64_t)UINT32_MAX : UINT64_MAX;

	return value >= entry->min && value <= all - TW_POINTER_ERRORS;
}

static void store(uint8_t *at, uint8_t width, uint64_t value)
{
	const uint32_t narrow = (uint32_t)value;

	if (width == sizeof(narrow))
		memcpy(at, &narrow, sizeof(narrow));
	else
		memcpy(at, &value, sizeof(value));
}

static void hash_values(const struct tw_hashed_pointers *p, const struct tw_field_offset *entry, uint8_t *at,
			uint32_t size)
{
	for (; size >= entry->width; size -= entry->width, at += entry->width) {
		const uint64_t value = tw_field_offset__load(at, entry->width);

		if (is_address(value, entry))
			store(at, entry->width, tw_pointer_key__hash(&p->key, value, entry->width));
	}
}

static void clear_after_text(uint8_t *text, uint32_t size)
{
	const size_t len = strnlen((const char *)text, size);

	memset(text + len, 0, size - len);
}

void tw_hashed_pointers__hash_record(const struct tw_hashed_pointers *p, const struct tw_field_offsets *offsets,
				     uint8_t *record, uint32_t len)
{
	uint32_t end = 0;

	for (size_t i = 0; i < offsets->n; i++) {
		const struct tw_field_offset *entry = &offsets->entries[i];
		uint32_t offset;
		const uint32_t size = tw_field_offset__locate(entry, record, len, &offset);

		if (entry->width == TW_FIELD_OFFSET_PADDING)
			memset(record + offset, 0, size);
		else if (entry->width == TW_FIELD_OFFSET_TEXT)
			clear_after_text(record + offset, size);
		else if (entry->width == TW_FIELD_OFFSET_LAST)
			end = offset + size > end ? offset + size : end;
		else
			hash_values(p, entry, record + offset, size);
	}
	if (end)
		memset(record + end, 0, len - end);
}
