/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects schemas from the streams on an interface, frame by frame, in a limited amount of memory. A schema is complete when all its texts
 * and a HOST record have arrived.
 */
#ifndef CLI_SCHEMA_COLLECTOR_H
#define CLI_SCHEMA_COLLECTOR_H

#include "cli/filter/format_reader.h"

/*
 * Number of schemas collected at the same time, of at most TW_SCHEMA_MEMORY_MAX bytes each. A further schema replaces the schema that has
 * received no frame for the longest time.
 */
#define COLLECTED_SCHEMAS_MAX 4

struct collected_schema {
	uint64_t stream_id, id;
	bool big_endian;
	bool complete; /* all texts were received, and also a HOST record, which states the size of a long */
	struct tw_schema *schema;
	struct refused_formats refused;
	uint64_t heard;    /* number of the last frame with this schema; the collector numbers the frames it gets */
	uint32_t total, n; /* number of texts in the schema, 0 = unknown; number of texts received */
	uint8_t *seen;     /* one bit for each text: whether it was received */
	bool has_host;
};

struct schema_collector;

/** schema_collector__new() - make an empty collector. Return: NULL if there is no memory */
struct schema_collector *schema_collector__new(void);

/** schema_collector__free() - free @collector, which may be NULL, with all schemas */
void schema_collector__free(struct schema_collector *collector);

/**
 * schema_collector__take() - add the texts in a frame to the schema that the frame names
 * @ret_info: header of the frame, if the frame is valid
 *
 * Return: the schema of the frame, complete or not, borrowed until the next call; NULL if the frame is no control frame with a schema, or
 * if there is no memory.
 */
const struct collected_schema *schema_collector__take(struct schema_collector *collector, const void *frame, size_t len,
						      struct tw_frame_info *ret_info);

#endif
