/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the room: the table and its memory accounting. */
#ifndef TW_STREAMS_IMPL_H
#define TW_STREAMS_IMPL_H

#include "base/hash_table.h"
#include "stream/streams.h"
#include "wire/parts.h"
#include "wire/schema_text.h"

struct tw_streams {
	struct tw_streams_options options;
	struct tw_stream_user users[TW_STREAM_USERS_MAX];
	bool has_user[TW_STREAM_USERS_MAX];
	struct tw_stream *first, *last; /* known */
	struct tw_stream *live[TW_STREAMS_LIVE_MAX];
	struct tw_stream *latest; /* that was made live or got last; NULL when one has left */
	struct tw_hash_table by_id;
	uint32_t n_known, n_live, n_schemas;
	uint32_t appeared; /* streams so far */
	uint32_t position; /* number of the next record, as counted by the reader */
	struct tw_parts *parts;
	struct tw_streams_stats stats;
	char *expanded; /* room for one text, from the first on */
};

/** tw_streams__room() - bytes that may still be taken */
size_t tw_streams__room(const struct tw_streams *streams);

/** tw_stream__take() - add @bytes to the memory of the stream. Return: false, with nothing added, beyond the limit */
bool tw_stream__take(struct tw_stream *stream, size_t bytes);

/** tw_stream__changed() - something of the stream took @before bytes and takes @now */
static inline void tw_stream__changed(struct tw_stream *stream, size_t before, size_t now)
{
	stream->memory += now - before;
	stream->table->stats.memory += now - before;
}

/**
 * tw_streams__refuse() - count a refusal in @count, one of the stats; the reasons of the first one and of the first text are kept
 */
void tw_streams__refuse(struct tw_streams *streams, uint64_t *count, const struct tw_error *why);

/** tw_stream__update_schema() - add a SCHEMA. Return: false if it is malformed; texts without room are counted */
bool tw_stream__update_schema(struct tw_stream *stream, uint64_t schema_id, const struct tw_tlv_view *tlv);

/** tw_stream__set_long_size() - set it for the host; for existing and later formats */
void tw_stream__set_long_size(struct tw_stream *stream, uint8_t long_size);

/** tw_stream__free_schemas() - with their formats and programs */
void tw_stream__free_schemas(struct tw_stream *stream);

#endif
