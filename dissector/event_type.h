/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one event id means within one schema of one stream, and how its fields are shown. */
#ifndef TW_EVENT_TYPE_H
#define TW_EVENT_TYPE_H

#include "dissector/fields.h"
#include "schema/print.h"
#include "wire/schema_text.h"

struct tw_dissect;
struct tw_schema_id;
struct tw_dissector_stream;

/* How one field is shown. */
struct tw_shown_field {
	const struct tw_field *field;
	struct tw_name *name;                       /* trace.SYSTEM.EVENT.FIELD; NULL beyond the limit of names */
	struct tw_name *any;                        /* trace.any.FIELD; the same */
	const struct tw_print_names *value_strings; /* for its values; NULL if there are none */
	struct tw_name *flags;                      /* trace.SYSTEM.EVENT.FIELD.names; NULL if they are not for bits */
	uint8_t type;                               /* enum tw_type */
	uint8_t long_size;                          /* of the traced host */
	bool has_addresses;                         /* that are printed as symbols */
	bool is_stack;                              /* elements up to the end of the record, whatever the format says */
};

struct tw_event_type {
	struct tw_format *format;
	const uint32_t *frames; /* that brought the text: several if it came in parts, none if from the cache */
	uint32_t n_frames;
	uint32_t n_fields; /* the common ones excluded */
	/* NULL until tw_event_type__prepare(): */
	struct tw_shown_field *fields;
	const struct tw_print *print; /* NULL if there is no room for it */
	const char *refusal;          /* why texts are field=value; NULL if they aren't */
};

/** tw_event_type__prepare() - compile its print fmt and register the names of its fields, before it is first shown */
void tw_event_type__prepare(struct tw_event_type *type);

/* Taking in format texts: from SCHEMA records, and from the cache for a stream whose SCHEMA has not come by yet. */
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
