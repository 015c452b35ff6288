/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The format texts of the selected events, read from tracefs and compressed for SCHEMA records. If an event's record contains pointers to
 * strings in the kernel's memory, the file printk_formats, which has these strings, is added. The addresses in this file change with each
 * boot, and then the schema id changes too. Therefore the file is added only if an event needs it.
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
#include "wire/schema_text.h"

struct tw_schema_texts {
	struct tw_schema_records records; /* in this order: header_page, header_event, printk_formats, events by id */
	uint64_t schema_id;               /* hash of all texts, in the order of @records */
};

/* The texts to read, and the objects that are filled from them. */
struct tw_schema_texts_request {
	const char *tracing_dir;             /* as from tw_tracing_dir__find() */
	const struct tw_event_list *events;  /* the events; an event that does not exist is skipped */
	bool tracers;                        /* also all formats of the system `ftrace`: tracer records, stack traces */
	struct tw_addresses *addresses;      /* gets the fields that are printed as symbols; NULL = not needed */
	struct tw_hashed_pointers *pointers; /* gets the fields that contain addresses; NULL = do not hash */
	struct tw_schema *schema;            /* gets the parsed formats; NULL = not needed */
};

/**
 * tw_schema_texts__load() - read and compress the format texts of events; free them with tw_schema_texts__fini().
 * The format of ftrace:print is always included, because a write to the instance's trace_marker records such an event.
 * Return: 0, or -errno with @error filled
 */
int tw_schema_texts__load(const struct tw_schema_texts_request *request, struct tw_schema_texts *ret,
			  struct tw_error *error);

/** tw_schema_texts__set_host() - set the size of a long and the architecture of this machine for the formats of a schema */
void tw_schema_texts__set_host(struct tw_schema *schema);

/** tw_schema_texts__fini() - free the texts; an all-zero set is fine */
void tw_schema_texts__fini(struct tw_schema_texts *texts);

#endif
