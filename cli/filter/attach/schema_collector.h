/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects schemas from the streams on an interface, frame by frame; a schema is usable when all its texts have arrived. Bounded.
 */
#ifndef CLI_SCHEMA_COLLECTOR_H
#define CLI_SCHEMA_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "schema/schema.h"
#include "wire/decode.h"

#define COLLECTED_SCHEMAS_MAX \
	4 /* schemas at once, TW_SCHEMA_MEMORY_MAX bytes each; the one without frames for the longest time is replaced */

struct collected_schema {
	uint64_t stream_id, id;
	bool big_endian;
	bool complete; /* all texts and the size of a long are known */
	struct tw_schema *schema;
	unsigned int refused; /* invalid texts: the fields of their events are unknown */
	struct tw_error why;  /* error of the first of them */
	uint64_t heard;       /* sequence number of the last frame */
	uint32_t total, n;    /* number of texts, and of those received; total 0 = unknown */
	uint8_t *seen;        /* one bit for each text */
	bool has_host;
};

struct schema_collector;

/** schema_collector__new() - Return: NULL without memory */
struct schema_collector *schema_collector__new(void);

/** schema_collector__free() - free it and all schemas; NULL is fine */
void schema_collector__free(struct schema_collector *collector);

/**
 * schema_collector__take() - take a frame
 * @ret_info: its header, if it is valid
 *
 * Return: the schema of the frame, complete or not, borrowed until the next call; NULL if the frame has none.
 */
const struct collected_schema *schema_collector__take(struct schema_collector *collector, const void *frame, size_t len,
						      struct tw_frame_info *ret_info);

#endif
