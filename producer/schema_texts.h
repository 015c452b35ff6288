/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The format texts of the enabled events, read from tracefs and kept ready to be sent: what SCHEMA records are made of. If an
 * event prints strings of the kernel's memory, printk_formats is one more. Its addresses change with each boot, and the schema's
 * id with them, so a schema without such an event does not have it.
 */
#ifndef TW_SCHEMA_TEXTS_H
#define TW_SCHEMA_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "producer/events.h"
#include "producer/hashed_pointers.h"
#include "producer/symbols.h"
#include "schema/schema.h"
#include "wire/decode.h"

struct tw_schema_texts {
	struct tw_schema_view *items; /* header_page, header_event, printk_formats, events by id; data is compressed */
	size_t n;
	uint64_t schema_id; /* over all of them, in this order */
};

/* Which texts. */
struct tw_schema_texts_request {
	const char *tracing_dir;             /* as tw_tracing_dir__find() gives it */
	const struct tw_event_list *events;  /* those that are gone meanwhile are left out */
	bool tracers;                        /* with those of system ftrace: tracers and stacks make such records */
	struct tw_addresses *addresses;      /* learns which fields are printed as symbols; may be NULL */
	struct tw_hashed_pointers *pointers; /* learns which fields have addresses; NULL = none are hashed */
	struct tw_schema *schema;            /* takes in the formats; may be NULL */
};

/**
 * tw_schema_texts__load() - read and compress the format texts of events
 * @ret: the caller's; tw_schema_texts__fini()
 *
 * ftrace:print is always among them: writing to an instance's trace_marker makes such events.
 *
 * Return: 0, or -errno with @error filled.
 */
int tw_schema_texts__load(const struct tw_schema_texts_request *request, struct tw_schema_texts *ret,
			  struct tw_error *error);

/** tw_schema_texts__fini() - free what load made; an all-zero set is fine */
void tw_schema_texts__fini(struct tw_schema_texts *texts);

#endif
