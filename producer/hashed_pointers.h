/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hashed pointers replace the kernel's addresses in a stream that leaves the host. The same address has the same replacement within a
 * stream, and another one in each stream. The kernel's code is moved as a whole, so distances within it and symbols stay valid. All
 * other addresses are hashed (SipHash-2-4).
 *
 * Addresses are hashed in the frame, after a record was copied there: every field that schema/pointer_field.h considers an address is
 * replaced. Filters and symbols use the record before that, with the real addresses. Bytes that belong to no field are cleared, because
 * the kernel leaves old content of the ring in them, which may include addresses.
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

/* A range of addresses that is moved as a whole. */
struct tw_pointer_range {
	uint64_t start, size; /* bytes */
	uint64_t moved;       /* new start of the range */
};

struct tw_pointer_key {
	uint8_t secret[TW_POINTER_SECRET];
	struct tw_pointer_range ranges[TW_POINTER_RANGES];
	size_t n_ranges;
};

/** tw_pointer_key__init() - a new secret and no moved ranges. Return: 0; -EIO if the kernel gives no random number */
int tw_pointer_key__init(struct tw_pointer_key *key, struct tw_error *error);

/**
 * tw_pointer_key__move() - move each range of addresses as a whole; call it before any address is hashed
 * @end: after the last; @start or less = no effect
 *
 * A range that cannot be moved is hashed: without a random number, or after TW_POINTER_RANGES ranges.
 */
void tw_pointer_key__move(struct tw_pointer_key *key, uint64_t start, uint64_t end);

/** tw_pointer_key__keeps_distances() - whether all of these bytes are in one moved range */
bool tw_pointer_key__keeps_distances(const struct tw_pointer_key *key, uint64_t start, uint64_t size);

/**
 * tw_pointer_key__hash() - the replacement of an address
 * @width: of the field, bytes: 4 or 8
 *
 * The caller passes addresses only.
 */
uint64_t tw_pointer_key__hash(const struct tw_pointer_key *key, uint64_t address, uint8_t width);

struct tw_hashed_pointers {
	struct tw_pointer_key key;
	struct tw_field_offset_table table;
};

/** tw_hashed_pointers__init() - a key and no events. Return: 0, -EIO or -ENOMEM */
int tw_hashed_pointers__init(struct tw_hashed_pointers *pointers, struct tw_error *error);

/** tw_hashed_pointers__fini() - free it; all-zero is fine */
void tw_hashed_pointers__fini(struct tw_hashed_pointers *pointers);

/**
 * tw_hashed_pointers__set_format() - hash the addresses of this event from now on; called by one thread, while readers run
 * @print: of @format; NULL = unknown
 *
 * Return: 0, or -ENOMEM: the event must not be sent then.
 */
int tw_hashed_pointers__set_format(struct tw_hashed_pointers *pointers, const struct tw_format *format,
				   const struct tw_print *print);

/** tw_hashed_pointers__set_unknown() - the same for an event of unknown format: every value that looks like a kernel address */
int tw_hashed_pointers__set_unknown(struct tw_hashed_pointers *pointers, uint16_t id);

/** tw_hashed_pointers__set_text() - set the ranges of the kernel's code; call it before the first event is sent */
void tw_hashed_pointers__set_text(struct tw_hashed_pointers *pointers, const struct tw_kernel_text *text);

/**
 * tw_hashed_pointers__hash_strings() - a text like printk_formats with hashed addresses
 * @text: lines of `0xADDRESS : "TEXT"`; other lines are left out
 *
 * Return: NULL without memory; caller frees.
 */
char *tw_hashed_pointers__hash_strings(const struct tw_hashed_pointers *pointers, const char *text);

/** tw_hashed_pointers__hash_record() - replace the values at these offsets; @record: its common fields may be in any byte order */
void tw_hashed_pointers__hash_record(const struct tw_hashed_pointers *pointers, const struct tw_field_offsets *offsets,
				     uint8_t *record, uint32_t len);

/** tw_hashed_pointers__add_event() - as tw_frame__add_event(), then hash the addresses; NULL @pointers = do not */
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
