/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/capture.h"

struct tw_capture_used tw_capture_used;

static wmem_map_t *streams;
static struct tw_stream *last_stream;
static GPtrArray *formats; /* malloc'ed by the schema library */

static void free_format(gpointer format)
{
	tw_format__free(format);
}

static void open_capture(void)
{
	streams = wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
	formats = g_ptr_array_new_with_free_func(free_format);
	last_stream = NULL;
	tw_capture_used = (struct tw_capture_used){ 0 };
}

static void close_capture(void)
{
	g_ptr_array_free(formats, TRUE);
	formats = NULL;
	streams = NULL;
	last_stream = NULL;
}

void tw_capture__register(void)
{
	register_init_routine(open_capture);
	register_cleanup_routine(close_capture);
}

bool tw_capture__allow(uint32_t *used, uint32_t n, uint32_t max)
{
	if (n > max - *used)
		return false;
	*used += n;
	return true;
}

bool tw_table16__allow_page(void)
{
	return tw_capture__allow(&tw_capture_used.table_pages, 1, TW_TABLE_PAGES_MAX);
}

void tw_capture__own_format(struct tw_format *format)
{
	g_ptr_array_add(formats, format);
}

static struct tw_stream *new_stream(uint64_t id)
{
	wmem_allocator_t *scope = wmem_file_scope();
	struct tw_stream *stream;

	if (!tw_capture__allow(&tw_capture_used.streams, 1, TW_STREAMS_MAX))
		return NULL;
	stream = wmem_new0(scope, struct tw_stream);
	stream->id = id;
	stream->tasks = wmem_map_new(scope, g_direct_hash, g_direct_equal);
	stream->schemas = wmem_map_new(scope, g_int64_hash, g_int64_equal);
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
		if (!tw_capture__allow(&tw_capture_used.schemas, 1, TW_SCHEMAS_MAX))
			return NULL;
		schema = wmem_new0(wmem_file_scope(), struct tw_schema_id);
		schema->id = id;
		schema->stream = stream;
		wmem_map_insert(stream->schemas, &schema->id, schema);
	}
	stream->last_schema = schema;
	return schema;
}
