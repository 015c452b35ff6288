/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaces virtual addresses, of the kernel and of programs, in a stream that may leave the host. Within a stream, an address always has
 * the same replacement; in another stream, it has another one. Each range of the kernel's code is moved as a whole, so that symbols and
 * distances within the range stay valid. All other addresses are hashed (SipHash-2-4).
 *
 * The addresses are replaced in the frame, after the record was copied into it. They are replaced in every field that
 * schema/pointer_field.h considers an address. Filters and look-ups of symbols use the original record, with the real addresses. Bytes that
 * belong to no field are cleared, because the kernel leaves old content of the ring in them, which may include addresses.
 */
#ifndef TW_HASHED_POINTERS_H
#define TW_HASHED_POINTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "producer/field_offsets.h"
#include "producer/kallsyms.h"
#include "schema/print.h"
#include "wire/encode.h"

#define TW_POINTER_RANGES 2
#define TW_POINTER_SECRET 16 /* bytes */

/* A range of addresses that is moved as a whole, for example the kernel's code. */
struct tw_pointer_range {
	uint64_t start, size; /* bytes */
	uint64_t moved;       /* first address of the range in the stream */
};

struct tw_pointer_key {
	uint8_t secret[TW_POINTER_SECRET];
	struct tw_pointer_range ranges[TW_POINTER_RANGES];
	size_t n_ranges;
};

/** tw_pointer_key__init() - make a key with a new secret and no moved ranges. Return: 0; -EIO if the kernel gives no random number */
int tw_pointer_key__init(struct tw_pointer_key *key, struct tw_error *error);

/**
 * tw_pointer_key__move() - choose new addresses for a range; call it before any address is hashed
 * If there is no random number, if the range is too large, or if TW_POINTER_RANGES ranges were moved already, the range is not moved: its
 * addresses are hashed like all others.
 * @end: the address after the last one; no effect if @end <= @start
 */
void tw_pointer_key__move(struct tw_pointer_key *key, uint64_t start, uint64_t end);

/** tw_pointer_key__keeps_distances() - whether all @size bytes from @start on are in one moved range */
bool tw_pointer_key__keeps_distances(const struct tw_pointer_key *key, uint64_t start, uint64_t size);

/** tw_pointer_key__hash() - replace a value that the caller found to be an address; @width: size of its field, 4 or 8 bytes */
uint64_t tw_pointer_key__hash(const struct tw_pointer_key *key, uint64_t address, uint8_t width);

struct tw_hashed_pointers {
	struct tw_pointer_key key;
	struct tw_field_offset_table table;
};

/** tw_hashed_pointers__init() - make a key and an empty table of fields. Return: 0, -EIO or -ENOMEM */
int tw_hashed_pointers__init(struct tw_hashed_pointers *pointers, struct tw_error *error);

/** tw_hashed_pointers__fini() - free the table and clear the key; all-zero is fine */
void tw_hashed_pointers__fini(struct tw_hashed_pointers *pointers);

/**
 * tw_hashed_pointers__set_format() - hash the addresses in the fields of an event from now on; called by one thread, also while readers run
 * @print: print format of @format; NULL = unknown
 * Return: 0; -ENOMEM: the event must not be sent.
 */
int tw_hashed_pointers__set_format(struct tw_hashed_pointers *pointers, const struct tw_format *format,
				   const struct tw_print *print);

/**
 * tw_hashed_pointers__set_unknown() - for an event of unknown format, hash every aligned 8-byte value that looks like a kernel address
 * Return: as tw_hashed_pointers__set_format()
 */
int tw_hashed_pointers__set_unknown(struct tw_hashed_pointers *pointers, uint16_t id);

/** tw_hashed_pointers__set_text() - move the ranges of the kernel's code; call it before the first event is sent */
void tw_hashed_pointers__set_text(struct tw_hashed_pointers *pointers, const struct tw_kernel_text *text);

/**
 * tw_hashed_pointers__hash_strings() - copy the text of printk_formats with replaced addresses
 * @text: lines of `0xADDRESS : "TEXT"`; the copy omits all other lines
 * Return: the copy, to be freed by the caller; NULL if there is no memory.
 */
char *tw_hashed_pointers__hash_strings(const struct tw_hashed_pointers *pointers, const char *text);

/**
 * tw_hashed_pointers__hash_record() - replace the addresses in a record and clear its padding
 * @record: its common fields, which may be in any byte order, are not read
 */
void tw_hashed_pointers__hash_record(const struct tw_hashed_pointers *pointers, const struct tw_field_offsets *offsets,
				     uint8_t *record, uint32_t len);

/** tw_hashed_pointers__add_event() - add an event as tw_frame__add_event() does, then hash its addresses; NULL @pointers = do not hash */
static inline bool tw_hashed_pointers__add_event(const struct tw_hashed_pointers *pointers, struct tw_frame *frame,
						 const uint8_t *record, uint32_t len, uint64_t time)
{
	const struct tw_field_offsets *offsets;
	uint16_t id;

	if (!tw_frame__add_event(frame, record, len, time))
		return false;
	if (!pointers)
		return true;
	memcpy(&id, record, sizeof(id));
	offsets = tw_field_offset_table__find(pointers->table.by_id, id);
	if (offsets) /* the record is at the end of the frame */
		tw_hashed_pointers__hash_record(pointers, offsets, frame->buf + frame->len - len, len);
	return true;
}

#endif
