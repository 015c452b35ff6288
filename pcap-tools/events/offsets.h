/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The latest OFFSET records of a stream. The one that applies to an event is the newest one that precedes the event's packet in the file.
 * If the frames of the file are merged, later OFFSET records are read before the event is passed on, so its record is found by its number.
 */
#ifndef TW_EVENT_OFFSETS_H
#define TW_EVENT_OFFSETS_H

#include "wire/decode.h"

#define TW_EVENT_OFFSETS \
	32 /* latest records that are kept; for events to which an older one applies, the error bound is unknown */

struct tw_event_offset {
	int64_t offset;
	uint64_t error_ns; /* TW_ERROR_UNKNOWN = unknown */
};

struct tw_event_offsets {
	struct tw_event_offset latest[TW_EVENT_OFFSETS]; /* a ring */
	uint64_t n;                                      /* records so far */
};

/** tw_event_offsets__add() - add an OFFSET record */
void tw_event_offsets__add(struct tw_event_offsets *offsets, const struct tw_offset_view *record);

/** tw_event_offsets__after() - the record that applies after the first @n records. Return: NULL if there is none, or it is not kept */
const struct tw_event_offset *tw_event_offsets__after(const struct tw_event_offsets *offsets, uint64_t n);

#endif
