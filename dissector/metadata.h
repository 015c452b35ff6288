/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking in format texts: from SCHEMA records, and from the cache for a stream whose SCHEMA has not come by yet. */
#ifndef TW_METADATA_H
#define TW_METADATA_H

#include "dissector/packet-tracewire.h"
#include "wire/schema_text.h"

/**
 * tw_metadata__unpack() - the text of a SCHEMA record
 * @ret: lives as long as the packet
 * Return: 0; -errno with @err filled; -ENOSPC if the frame has had its share of unpacking.
 */
int tw_metadata__unpack(struct tw_dissect *d, const struct tw_schema_view *view, struct tw_schema_text *ret,
			struct tw_error *err);

/** tw_metadata__learn() - take in a SCHEMA record; first pass only */
int tw_metadata__learn(struct tw_dissect *d, const struct tw_schema_view *view, struct tw_error *err);

/** tw_metadata__from_cache() - what the cache knows about the frame's schema; asked once per schema */
struct tw_event_type *tw_metadata__from_cache(struct tw_dissect *d, uint16_t event_id);

#endif
