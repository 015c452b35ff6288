/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses in events, hidden in the frame: once a record has been copied there, what schema/pointer_field.h takes for an
 * address is replaced in place. What looks at records before that, filters and symbols, sees them as they are.
 */
#ifndef TW_POINTERS_H
#define TW_POINTERS_H

#include "producer/field_offsets.h"
#include "producer/pointers/pointer_key.h"
#include "producer/symbols/kernel_text.h"
#include "schema/print.h"
#include "wire/encode.h"

struct tw_hashed_pointers {
	struct tw_pointer_key key;
	struct tw_field_offset_table table;
};

/** tw_hashed_pointers__init() - a key, and no events yet. Return: 0, -EIO or -ENOMEM */
int tw_hashed_pointers__init(struct tw_hashed_pointers *pointers, struct tw_error *err);

/** tw_hashed_pointers__fini() - an all-zero one is fine */
void tw_hashed_pointers__fini(struct tw_hashed_pointers *pointers);

/**
 * tw_hashed_pointers__set_format() - hide this event's addresses from now on; one thread, while readers run
 * @print: of @format; NULL = not known
 *
 * Return: 0 or -ENOMEM: then the event must not be sent.
 */
int tw_hashed_pointers__set_format(struct tw_hashed_pointers *pointers, const struct tw_format *format,
				   const struct tw_print *print);

/** tw_hashed_pointers__set_unknown() - the same for one of whose records nothing is known: whatever looks like the kernel's addresses */
int tw_hashed_pointers__set_unknown(struct tw_hashed_pointers *pointers, uint16_t id);

/** tw_hashed_pointers__set_text() - where the kernel's code lies; before the first event is sent */
void tw_hashed_pointers__set_text(struct tw_hashed_pointers *pointers, const struct tw_kernel_text *text);

/**
 * tw_hashed_pointers__hide_strings() - a text like printk_formats with other addresses
 * @text: lines of `0xADDRESS : "TEXT"`; others are left out
 *
 * Return: NULL without memory; free().
 */
char *tw_hashed_pointers__hide_strings(const struct tw_hashed_pointers *pointers, const char *text);

/** tw_hashed_pointers__hide() - replace what is at these spots; @record: its common fields may be in any order of bytes */
void tw_hashed_pointers__hide(const struct tw_hashed_pointers *pointers, const struct tw_field_offsets *spots,
			      uint8_t *record, uint32_t len);

/** tw_hashed_pointers__add_event() - as tw_frame__add_event(), and hide the addresses; NULL @pointers = don't */
static inline bool tw_hashed_pointers__add_event(const struct tw_hashed_pointers *pointers, struct tw_frame *frame,
						 const uint8_t *record, uint32_t len, uint64_t time)
{
	const struct tw_field_offsets *spots;
	uint16_t id;

	if (!tw_frame__add_event(frame, record, len, time))
		return false;
	if (!pointers)
		return true;
	memcpy(&id, record, sizeof(id));
	spots = tw_field_offset_table__find(pointers->table.by_id, id);
	if (spots) /* the record is the end of the frame so far */
		tw_hashed_pointers__hide(pointers, spots, frame->buf + frame->len - len, len);
	return true;
}

#endif
