/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The latest OFFSET records of a stream. They give the packet time of an event, and the error bound of this time. In a packed capture, the
 * OFFSET records precede events that are older, so the record that applies is found by its time.
 */
#ifndef TW_EVENT_OFFSETS_H
#define TW_EVENT_OFFSETS_H

#include "stream/identity.h"

#define TW_EVENT_OFFSETS \
	32 /* latest records that are kept; for events older than all of them, the error bound is unknown */

struct tw_event_offset {
	uint64_t from; /* time of the stream's clock from which on the record applies, ns */
	int64_t offset;
	uint64_t error_ns; /* TW_ERROR_UNKNOWN = unknown */
};

struct tw_event_offsets {
	struct tw_event_offset latest[TW_EVENT_OFFSETS]; /* a ring */
	uint32_t n;                                      /* records so far, modulo 2^32 */
	bool is_full;
};

/** tw_event_offsets__add() - add an OFFSET record; @id: identity of its stream */
void tw_event_offsets__add(struct tw_event_offsets *offsets, const struct tw_identity *id,
			   const struct tw_offset_view *record);

/** tw_event_offsets__at() - the record that applies at @ns of the stream's clock. Return: NULL if there is none */
const struct tw_event_offset *tw_event_offsets__at(const struct tw_event_offsets *offsets, uint64_t ns);

#endif
