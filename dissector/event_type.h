/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one event id means within one schema of one stream, and how its fields are shown. */
#ifndef TW_EVENT_TYPE_H
#define TW_EVENT_TYPE_H

#include "dissector/fields.h"
#include "schema/print.h"
#include "wire/schema_text.h"

struct tw_schema_id;
struct tw_stream;

/* How one field is shown. */
struct tw_shown_field {
	const struct tw_field *field;
	struct tw_name *name;               /* trace.SYSTEM.EVENT.FIELD; NULL beyond the limit of names */
	struct tw_name *any;                /* trace.any.FIELD; the same */
	const struct tw_print_names *words; /* for its values; NULL if there are none */
	struct tw_name *flags;              /* trace.SYSTEM.EVENT.FIELD.names; NULL if they are not for bits */
	uint8_t type;                       /* enum tw_type */
	uint8_t long_size;                  /* of the traced host */
	bool has_addresses;                 /* that are printed as symbols */
	bool is_stack;                      /* elements up to the end of the record, whatever the format says */
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

/**
 * tw_schema_id__learn() - take in the format text of an event
 * @event_id: what the text's own id must be
 * @frames: copied
 *
 * A text that is there already stays: what was dissected with it must not change.
 *
 * Return: 0; -EINVAL for a text that can't be used, with @err filled; -ENOSPC beyond the capture's limits.
 */
int tw_schema_id__learn(struct tw_schema_id *schema, uint16_t event_id, const struct tw_schema_text *text,
			const uint32_t *frames, uint32_t n_frames, struct tw_error *err);

/** tw_event_type__prepare() - compile its print fmt and register the names of its fields, before it is first shown */
void tw_event_type__prepare(struct tw_event_type *type);

#endif
