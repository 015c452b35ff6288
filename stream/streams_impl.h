/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of streams and its memory accounting; internal to stream/. */
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
	struct tw_stream *first, *last; /* list of known streams */
	struct tw_stream *live[TW_STREAMS_LIVE_MAX];
	struct tw_stream *latest;   /* from the latest tw_streams__get() or _admit(); NULL after a stream has left */
	struct tw_hash_table by_id; /* values: pointers to the known streams */
	uint32_t n_known, n_live, n_schemas;
	uint32_t appeared; /* number of streams added so far, including removed ones */
	uint32_t position; /* from tw_streams__set_position() */
	struct tw_parts *parts;
	struct tw_streams_stats stats;
	char *expanded; /* TW_SCHEMA_RAW_MAX bytes for a decompressed text; NULL before the first text */
	char *group;    /* TW_SCHEMA_GROUP_MAX bytes for a decompressed group; NULL before the first group */
};

/** tw_streams__room() - bytes that remain of the table's memory limit */
size_t tw_streams__room(const struct tw_streams *streams);

/** tw_stream__take() - add @bytes to the counted memory of the stream. Return: false, with nothing added, if they exceed the limit */
bool tw_stream__take(struct tw_stream *stream, size_t bytes);

/** tw_stream__changed() - update the counted memory: the size of an object of the stream changed from @before to @now bytes */
static inline void tw_stream__changed(struct tw_stream *stream, size_t before, size_t now)
{
	stream->memory += now - before;
	stream->table->stats.memory += now - before;
}

/**
 * tw_streams__refuse() - count a refusal; the reasons of the first refusal and of the first refused text are kept
 * @count: a member of streams->stats
 */
void tw_streams__refuse(struct tw_streams *streams, uint64_t *count, const struct tw_error *why);

/** tw_stream__update_schema() - add the text of a SCHEMA; a refused text is counted. Return: false if the SCHEMA is malformed */
bool tw_stream__update_schema(struct tw_stream *stream, uint64_t schema_id, const struct tw_tlv_view *tlv);

/** tw_stream__set_long_size() - set the size of a long, bytes, for later formats; also for existing ones, unless all history is kept */
void tw_stream__set_long_size(struct tw_stream *stream, uint8_t long_size);

/** tw_stream__set_machine() - set the host's architecture for existing and later formats */
void tw_stream__set_machine(struct tw_stream *stream, enum tw_machine machine);

/** tw_stream__free_schemas() - free all schemas of a stream, with their formats and print programs */
void tw_stream__free_schemas(struct tw_stream *stream);

#endif
