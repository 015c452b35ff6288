/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Schemas as streams tell them on an interface, frame by frame; each is of use when all its texts have come. Bounded. */
#ifndef CLI_SCHEMA_COLLECTOR_H
#define CLI_SCHEMA_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "schema/schema.h"
#include "wire/decode.h"

#define COLLECTED_SCHEMAS_MAX 4 /* at once, TW_SCHEMA_MEMORY_MAX each; beyond that the one longest not heard of goes */

struct collected_schema {
	uint64_t stream_id, id;
	bool big_endian;
	bool complete; /* all texts are there, and how long a long is */
	struct tw_schema *schema;
	unsigned int refused; /* texts that cannot be read: nothing is known of their events */
	struct tw_error why;  /* of the first of them */
	uint64_t heard;       /* order of the last frame */
	uint32_t total, n;    /* texts that there are, and that came; total 0 = not told yet */
	uint8_t *seen;        /* a bit a text */
	bool has_host;
};

struct schema_collector;

/** schema_collector__new() - Return: NULL without memory */
struct schema_collector *schema_collector__new(void);

/** schema_collector__free() - and all that it collected; NULL is fine */
void schema_collector__free(struct schema_collector *collector);

/**
 * schema_collector__take() - look into a frame
 * @ret_info: its header, if it can be read
 *
 * Return: the schema that the frame tells of, complete or not, borrowed until the next call; NULL if it tells of none.
 */
const struct collected_schema *schema_collector__take(struct schema_collector *collector, const void *frame, size_t len,
						      struct tw_frame_info *ret_info);

#endif
