/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The format texts of the enabled events, read from tracefs and kept ready to be sent in SCHEMA records. If an event prints strings of
 * the kernel's memory, printk_formats is added. Its addresses change with each boot, and with them the schema id; therefore a schema
 * without such an event does not have it.
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
	uint64_t schema_id; /* of all of them, in this order */
};

/* Which texts to read. */
struct tw_schema_texts_request {
	const char *tracing_dir;             /* as from tw_tracing_dir__find() */
	const struct tw_event_list *events;  /* events that no longer exist are left out */
	bool tracers;                        /* with those of system ftrace: tracers and stacks write such records */
	struct tw_addresses *addresses;      /* gets the fields that are printed as symbols; may be NULL */
	struct tw_hashed_pointers *pointers; /* gets the fields that contain addresses; NULL = none are hashed */
	struct tw_schema *schema;            /* gets the formats; may be NULL */
};

/**
 * tw_schema_texts__load() - read and compress the format texts of events
 * @ret: the caller's; tw_schema_texts__fini()
 *
 * ftrace:print is always included, because a write to an instance's trace_marker records such an event.
 *
 * Return: 0, or -errno with @error filled.
 */
int tw_schema_texts__load(const struct tw_schema_texts_request *request, struct tw_schema_texts *ret,
			  struct tw_error *error);

/** tw_schema_texts__fini() - free the texts; an all-zero set is fine */
void tw_schema_texts__fini(struct tw_schema_texts *texts);

#endif
