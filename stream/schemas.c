/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses SCHEMA texts, and stores the formats of a stream's schemas and the print programs of the formats. */
#include <errno.h>

#include "stream/streams_impl.h"

#define PAGE_IDS 256

/* The table of strings grows by at most STRINGS_MIN + STRINGS_GROWTH * length of the added text, unless an array is doubled. */
#define STRINGS_MIN    2048 /* bytes: the empty table and its first entries */
#define STRINGS_GROWTH 20   /* a line of the text has at least 5 bytes; its string takes 96 bytes */

static void schema__free(struct tw_stream_schema *schema, const struct tw_alloc *alloc)
{
	for (size_t high = 0; high < PAGE_IDS; high++) {
		for (size_t low = 0; schema->events[high] && low < PAGE_IDS; low++) {
			struct tw_stream_event *event = schema->events[high][low];

			if (!event)
				continue;
			tw_print__free(event->print);
			tw_format__free(event->format);
			tw_alloc__free(alloc, event, sizeof(*event));
		}
		tw_alloc__free(alloc, schema->events[high], PAGE_IDS * sizeof(*schema->events[high]));
	}
	tw_alloc__free(alloc, schema, sizeof(*schema));
}

void tw_stream__free_schemas(struct tw_stream *stream)
{
	struct tw_stream_schema *schema;

	while ((schema = stream->schemas)) {
		stream->schemas = schema->next;
		stream->table->n_schemas--;
		schema__free(schema, stream->table->options.alloc);
	}
	tw_hash_table__fini(&stream->schemas_by_id);
}

struct tw_stream_schema *tw_stream__schema(struct tw_stream *stream, uint64_t schema_id)
{
	struct tw_stream_schema *schema = stream->last_schema;

	if (!schema || schema->id != schema_id)
		stream->last_schema = schema = tw_hash_table__pointer(&stream->schemas_by_id, schema_id);
	return schema;
}

bool tw_stream__has_whole(struct tw_stream *stream, uint64_t schema_id)
{
	const struct tw_stream_schema *schema = tw_stream__schema(stream, schema_id);
	const int others = stream->others_schema == schema_id ? __builtin_popcount(stream->others) : 0;

	return schema && schema->total && (uint64_t)schema->n_events + (unsigned int)others >= schema->total;
}

struct tw_stream_schema *tw_stream__get_schema(struct tw_stream *stream, uint64_t id)
{
	const struct tw_alloc *alloc = stream->table->options.alloc;
	struct tw_stream_schema *schema = tw_stream__schema(stream, id);

	if (schema || stream->table->n_schemas == TW_STREAM_SCHEMAS_MAX || !tw_stream__take(stream, sizeof(*schema)))
		return schema;
	schema = tw_alloc__new(alloc, sizeof(*schema));
	if (!schema || tw_hash_table__set_pointer(&stream->schemas_by_id, id, schema)) {
		tw_alloc__free(alloc, schema, sizeof(*schema));
		return NULL;
	}
	schema->id = id;
	schema->next = stream->schemas;
	stream->schemas = schema;
	stream->table->n_schemas++;
	return schema;
}

/* Store a format. Return: 0; -errno, and the caller still owns @format */
static int put_format(struct tw_stream *stream, uint64_t schema_id, struct tw_format *format, struct tw_error *error)
{
	struct tw_stream_schema *schema = tw_stream__get_schema(stream, schema_id);
	const struct tw_alloc *alloc = stream->table->options.alloc;
	struct tw_stream_event ***page, *event;

	if (!schema)
		return tw_error__set(
			error, -ENOSPC,
			"the schema of event %s:%s is not kept: there is no memory, or the capture has reached a "
			"limit (%u schemas, %zu MiB of metadata)",
			format->system, format->name, TW_STREAM_SCHEMAS_MAX, stream->table->options.memory >> 20);
	page = &schema->events[format->id / PAGE_IDS];
	if (!tw_stream__take(stream, format->memory + sizeof(*event) + (*page ? 0 : PAGE_IDS * sizeof(**page))))
		return tw_error__set(error, -ENOSPC,
				     "event %s:%s does not fit: the limit of metadata for a capture is %zu MiB",
				     format->system, format->name, stream->table->options.memory >> 20);
	if (!*page)
		*page = tw_alloc__new(alloc, PAGE_IDS * sizeof(**page));
	event = *page ? tw_alloc__new(alloc, sizeof(*event)) : NULL;
	if (!event)
		return tw_error__set(error, -ENOMEM, "no memory for event %s:%s", format->system, format->name);
	if (stream->long_size)
		tw_format__assume_long_size(format, stream->long_size);
	format->machine = stream->machine;
	event->format = format;
	event->position = stream->table->position;
	(*page)[format->id % PAGE_IDS] = event;
	schema->n_events++;
	return 0;
}

static int add_format(struct tw_stream *stream, uint64_t schema_id, uint16_t event_id,
		      const struct tw_schema_text *text, struct tw_error *error)
{
	struct tw_format *format;
	int err = tw_format__parse(text->text, text->len, text->system, &format, error);

	if (err)
		return err;
	if (format->id != event_id)
		err = tw_error__set(error, -EINVAL,
				    "the format text of event %s:%s has id %u, but its record has id %u",
				    format->system, format->name, format->id, event_id);
	else
		err = put_format(stream, schema_id, format, error);
	if (err)
		tw_format__free(format);
	return err;
}

static int add_strings(struct tw_stream *stream, const struct tw_schema_text *text, struct tw_error *error)
{
	const size_t growth = STRINGS_MIN + STRINGS_GROWTH * text->len;
	size_t before = 0;
	int err;

	if (stream->strings)
		before = tw_strings__memory(stream->strings);
	if (before + growth > tw_streams__room(stream->table))
		return tw_error__set(
			error, -ENOSPC,
			"printk_formats of %zu bytes do not fit: the limit of metadata for a capture is %zu MiB",
			text->len, stream->table->options.memory >> 20);
	if (!stream->strings)
		stream->strings = tw_strings__new();
	stream->print_host.strings = stream->strings;
	if (!stream->strings)
		return tw_error__set(error, -ENOMEM, "no memory for printk_formats");
	err = tw_strings__parse(stream->strings, text->text, text->len);
	tw_stream__changed(stream, before, tw_strings__memory(stream->strings));
	return err ? tw_error__set(
			     error, err,
			     "printk_formats of %zu bytes are kept in part: there is no memory, or a limit is reached",
			     text->len)
		   : 0;
}

/* Hash a payload with FNV-1a, to recognise repeated texts; it is not secure against chosen texts. */
static uint64_t hash_of(const struct tw_schema_view *view)
{
	uint64_t hash = 0xcbf29ce484222325u ^ view->raw_length;

	for (size_t i = 0; i < view->len; i++)
		hash = (hash ^ view->data[i]) * 0x100000001b3u;
	return hash;
}

/* Producers repeat metadata for receivers that join late. A known text stays, and its repetition is not decompressed. */
bool tw_stream__has_text(struct tw_stream *stream, uint64_t schema_id, const struct tw_schema_view *view)
{
	if (view->kind == TW_SCHEMA_EVENT)
		return tw_stream__event(stream, schema_id, view->event_id);
	return view->kind != TW_SCHEMA_PRINTK || (stream->strings && stream->printk_hash == hash_of(view));
}

/* Get memory for decompression, which the first call allocates. Return: NULL if out of memory */
static char *buffer(struct tw_streams *streams, char **buf, size_t len, struct tw_error *error)
{
	if (!*buf)
		*buf = tw_alloc__new(streams->options.alloc, len);
	if (!*buf)
		tw_error__set(error, -ENOMEM, "no memory for formats");
	return *buf;
}

static int expand(struct tw_streams *streams, const struct tw_schema_view *view, struct tw_schema_text *ret,
		  struct tw_error *error)
{
	if (!buffer(streams, &streams->expanded, TW_SCHEMA_RAW_MAX, error))
		return -ENOMEM;
	return tw_schema_text__expand(view, streams->expanded, TW_SCHEMA_RAW_MAX, ret, error);
}

static int expand_group(struct tw_streams *streams, const struct tw_schema_view *view, struct tw_schema_group *ret,
			struct tw_error *error)
{
	if (!buffer(streams, &streams->group, TW_SCHEMA_GROUP_MAX, error))
		return -ENOMEM;
	return tw_schema_group__expand(view, streams->group, TW_SCHEMA_GROUP_MAX, ret, error);
}

/* Update the members that tw_stream__has_whole() needs. */
static void note_text(struct tw_stream *stream, uint64_t schema_id, const struct tw_schema_view *view)
{
	struct tw_stream_schema *schema = tw_stream__schema(stream, schema_id);

	if (stream->others_schema != schema_id) {
		stream->others_schema = schema_id;
		stream->others = 0;
	}
	if (view->kind != TW_SCHEMA_EVENT && view->kind < TW_SCHEMA_GROUP)
		stream->others |= (uint8_t)(1u << view->kind);
	if (schema)
		schema->total = view->total;
}

int tw_stream__add_text(struct tw_stream *stream, uint64_t schema_id, const struct tw_schema_view *view,
			const struct tw_schema_text *text, struct tw_error *error)
{
	int err = 0;

	if (tw_stream__has_text(stream, schema_id, view))
		return 0;
	if (view->kind == TW_SCHEMA_EVENT) {
		err = add_format(stream, schema_id, view->event_id, text, error);
	} else {
		err = add_strings(stream, text, error);
		if (!err) {
			stream->printk_hash = hash_of(view);
			stream->printk_position = stream->table->position;
		}
	}
	note_text(stream, schema_id, view);
	return err;
}

static void update_text(struct tw_stream *stream, uint64_t schema_id, const struct tw_schema_view *view)
{
	struct tw_schema_text text;
	struct tw_error error;
	int err;

	note_text(stream, schema_id, view);
	if (tw_stream__has_text(stream, schema_id, view))
		return;
	err = expand(stream->table, view, &text, &error);
	if (!err)
		err = tw_stream__add_text(stream, schema_id, view, &text, &error);
	if (err)
		tw_streams__refuse(stream->table, &stream->table->stats.refused_texts, &error);
}

/* Producers repeat groups, too, for receivers that join late. When the schema is complete, groups are not decompressed any more. */
static void update_group(struct tw_stream *stream, uint64_t schema_id, const struct tw_schema_view *view)
{
	struct tw_schema_group group;
	struct tw_schema_view text;
	struct tw_error error;

	if (tw_stream__has_whole(stream, schema_id))
		return;
	if (expand_group(stream->table, view, &group, &error)) {
		tw_streams__refuse(stream->table, &stream->table->stats.refused_texts, &error);
		return;
	}
	while (tw_schema_group__next(&group, &text))
		update_text(stream, schema_id, &text);
}

bool tw_stream__update_schema(struct tw_stream *stream, uint64_t schema_id, const struct tw_tlv_view *tlv)
{
	struct tw_schema_view view;

	if (!tw_schema_tlv__parse(tlv, &view))
		return false;
	if (view.kind == TW_SCHEMA_GROUP)
		update_group(stream, schema_id, &view);
	else
		update_text(stream, schema_id, &view);
	return true;
}

struct tw_schema *tw_stream_schema__formats(const struct tw_stream_schema *schema)
{
	struct tw_schema *view = tw_schema__new_view();

	for (size_t high = 0; view && high < PAGE_IDS; high++) {
		for (size_t low = 0; view && schema->events[high] && low < PAGE_IDS; low++) {
			const struct tw_stream_event *event = schema->events[high][low];

			if (!event || !tw_schema__lend(view, event->format, NULL))
				continue;
			tw_schema__free(view);
			view = NULL;
		}
	}
	return view;
}

static void assume_long_size(struct tw_stream *stream, struct tw_stream_event *event, uint8_t long_size)
{
	if (!event)
		return;
	tw_format__assume_long_size(event->format, long_size);
	if (event->print)
		tw_stream__changed(stream, tw_print__memory(event->print), 0);
	tw_print__free(event->print); /* it was compiled for another size of a long */
	event->print = NULL;
}

void tw_stream__set_long_size(struct tw_stream *stream, uint8_t long_size)
{
	stream->long_size = long_size;
	if (stream->table->options.history == TW_HISTORY_ALL)
		return;
	for (struct tw_stream_schema *schema = stream->schemas; schema; schema = schema->next) {
		schema->revision++;
		for (size_t high = 0; high < PAGE_IDS; high++)
			for (size_t low = 0; schema->events[high] && low < PAGE_IDS; low++)
				assume_long_size(stream, schema->events[high][low], long_size);
	}
}

void tw_stream__set_machine(struct tw_stream *stream, enum tw_machine machine)
{
	stream->machine = (uint8_t)machine;
	for (struct tw_stream_schema *schema = stream->schemas; schema; schema = schema->next) {
		schema->revision++;
		for (size_t high = 0; high < PAGE_IDS; high++)
			for (size_t low = 0; schema->events[high] && low < PAGE_IDS; low++)
				if (schema->events[high][low])
					schema->events[high][low]->format->machine = stream->machine;
	}
}

struct tw_stream_event *tw_stream__event(struct tw_stream *stream, uint64_t schema_id, uint16_t event_id)
{
	const struct tw_stream_schema *schema = tw_stream__schema(stream, schema_id);

	return schema ? tw_stream_schema__event(schema, event_id) : NULL;
}

static void refuse_print(struct tw_streams *streams, struct tw_stream_event *event)
{
	struct tw_error why;

	event->print_refused = true;
	tw_error__set(
		&why, -ENOMEM,
		"the print format of event %s:%s is not used: there is no memory, or the limit of metadata is reached",
		event->format->system, event->format->name);
	tw_streams__refuse(streams, &streams->stats.refused_texts, &why);
}

const struct tw_print *tw_stream__print(struct tw_stream *stream, struct tw_stream_event *event)
{
	if (event->print || event->print_refused)
		return event->print;
	event->print = tw_print__new(event->format);
	if (!event->print || !tw_stream__take(stream, tw_print__memory(event->print))) {
		tw_print__free(event->print);
		event->print = NULL;
		refuse_print(stream->table, event);
	}
	return event->print;
}
