/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/capture.h"

#define MAP_BYTES 512 /* of an empty wmem_map, about */

static wmem_map_t *streams;
static struct tw_stream *last_stream;
uint32_t tw_capture_cache_read, tw_capture_refusals;
static size_t used; /* of TW_CAPTURE_BYTES_MAX */

/* What the schema library allocated. */
struct owned {
	void *what;
	void (*free)(void *what);
};
static GArray *owned;

static void open_capture(void)
{
	streams = wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
	owned = g_array_new(FALSE, FALSE, sizeof(struct owned));
	last_stream = NULL;
	used = 0;
	tw_capture_cache_read = 0;
	tw_capture_refusals = 0;
}

static void close_capture(void)
{
	/* Programs before the formats they borrow from. */
	for (guint i = owned->len; i--;)
		g_array_index(owned, struct owned, i).free(g_array_index(owned, struct owned, i).what);
	g_array_free(owned, TRUE);
	owned = NULL;
	streams = NULL;
	last_stream = NULL;
}

void tw_capture__register(void)
{
	register_init_routine(open_capture);
	register_cleanup_routine(close_capture);
}

bool tw_capture__allow(size_t n)
{
	if (n > TW_CAPTURE_BYTES_MAX - used)
		return false;
	used += n;
	return true;
}

void tw_capture__own(void *what, void (*free)(void *what))
{
	const struct owned entry = { what, free };

	g_array_append_val(owned, entry);
}

static struct tw_stream *new_stream(uint64_t id)
{
	wmem_allocator_t *scope = wmem_file_scope();
	struct tw_stream *stream;

	if (!tw_capture__allow(sizeof(*stream) + 3 * MAP_BYTES))
		return NULL;
	stream = wmem_new0(scope, struct tw_stream);
	stream->id = id;
	stream->tasks = wmem_map_new(scope, g_direct_hash, g_direct_equal);
	stream->schemas = wmem_map_new(scope, g_int64_hash, g_int64_equal);
	stream->symbol_frames = wmem_map_new(scope, g_int64_hash, g_int64_equal);
	wmem_map_insert(streams, &stream->id, stream);
	return stream;
}

struct tw_stream *tw_capture__stream(uint64_t id)
{
	struct tw_stream *stream;

	if (last_stream && last_stream->id == id)
		return last_stream;
	stream = wmem_map_lookup(streams, &id);
	if (!stream)
		stream = new_stream(id);
	if (stream)
		last_stream = stream;
	return stream;
}

struct tw_schema_id *tw_stream__schema(struct tw_stream *stream, uint64_t id)
{
	struct tw_schema_id *schema;

	if (stream->last_schema && stream->last_schema->id == id)
		return stream->last_schema;
	if (!id)
		return NULL;
	schema = wmem_map_lookup(stream->schemas, &id);
	if (!schema) {
		if (!tw_capture__allow(sizeof(*schema)))
			return NULL;
		schema = wmem_new0(wmem_file_scope(), struct tw_schema_id);
		schema->id = id;
		schema->stream = stream;
		wmem_map_insert(stream->schemas, &schema->id, schema);
	}
	stream->last_schema = schema;
	return schema;
}
