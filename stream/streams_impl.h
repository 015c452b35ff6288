/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the room. What knowledge.c, which keeps it, and learn.c, which fills it, share. */
#ifndef TW_KNOWLEDGE_STATE_H
#define TW_KNOWLEDGE_STATE_H

#include "base/id_table.h"
#include "stream/streams.h"
#include "wire/parts.h"
#include "wire/schema_text.h"

struct tw_streams {
	struct tw_stream *first, **end;
	struct tw_id_table by_id; /* the same */
	uint32_t n_streams, n_schemas;
	struct tw_parts *parts;
	struct tw_streams_stats stats;
	char *expanded; /* room for one text, from the first on */
};

/** tw_streams__room() - bytes that may still be taken */
size_t tw_streams__room(const struct tw_streams *knowledge);

/** tw_streams__take() - count @bytes of memory. Return: false, nothing counted, if that is more than there may be */
bool tw_streams__take(struct tw_streams *knowledge, size_t bytes);

/** tw_streams__refuse() - one more in @count, one of the stats; the first of all, and the first text, say why */
void tw_streams__refuse(struct tw_streams *knowledge, uint64_t *count, const struct tw_error *why);

/** tw_stream__add_format() - take a format in, under the id that it has. Return: 0, or -errno: it stays the caller's */
int tw_stream__add_format(struct tw_streams *knowledge, struct tw_stream *stream, uint64_t schema_id,
			  struct tw_format *format, struct tw_error *err);

/** tw_stream__set_long_size() - of the host; for the formats that are there and those to come */
void tw_stream__set_long_size(struct tw_streams *knowledge, struct tw_stream *stream, uint8_t long_size);

#endif
