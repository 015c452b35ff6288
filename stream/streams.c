/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/streams.h"

#include <errno.h>
#include <stdlib.h>

#include "stream/streams_impl.h"

#define PAGE_IDS 256

struct tw_streams *tw_streams__new(void)
{
	const struct tw_parts_limits limits = { .bytes = TW_KNOWN_PARTS_BYTES, .count = TW_KNOWN_PARTS_COUNT };
	struct tw_streams *knowledge = calloc(1, sizeof(*knowledge));

	if (!knowledge)
		return NULL;
	knowledge->end = &knowledge->first;
	knowledge->parts = tw_parts__new(&limits);
	if (!knowledge->parts) {
		free(knowledge);
		return NULL;
	}
	return knowledge;
}

static void event__free(struct tw_stream_event *event)
{
	if (!event)
		return;
	tw_print__free(event->print);
	tw_format__free(event->format);
	free(event);
}

static void schema__free(struct tw_stream_schema *schema)
{
	for (size_t high = 0; high < PAGE_IDS; high++) {
		for (size_t low = 0; schema->events[high] && low < PAGE_IDS; low++)
			event__free(schema->events[high][low]);
		free(schema->events[high]);
	}
	free(schema);
}

static void stream__free(struct tw_stream *stream)
{
	struct tw_stream_schema *schema;

	while ((schema = stream->schemas)) {
		stream->schemas = schema->next;
		schema__free(schema);
	}
	tw_tasks__fini(&stream->tasks);
	tw_symbols__free(stream->symbols);
	tw_strings__free(stream->strings);
	free(stream);
}

void tw_streams__free(struct tw_streams *knowledge)
{
	struct tw_stream *stream;

	if (!knowledge)
		return;
	while ((stream = knowledge->first)) {
		knowledge->first = stream->next;
		stream__free(stream);
	}
	tw_id_table__fini(&knowledge->by_id);
	tw_parts__free(knowledge->parts);
	free(knowledge->expanded);
	free(knowledge);
}

size_t tw_streams__room(const struct tw_streams *knowledge)
{
	return TW_KNOWN_MEMORY_MAX - knowledge->stats.memory;
}

bool tw_streams__take(struct tw_streams *knowledge, size_t bytes)
{
	if (bytes > tw_streams__room(knowledge))
		return false;
	knowledge->stats.memory += bytes;
	return true;
}

static void keep_first(struct tw_error *first, const struct tw_error *why)
{
	if (!*first->text)
		*first = *why;
}

void tw_streams__refuse(struct tw_streams *knowledge, uint64_t *count, const struct tw_error *why)
{
	(*count)++;
	keep_first(&knowledge->stats.first, why);
	if (count == &knowledge->stats.refused_texts)
		keep_first(&knowledge->stats.text, why);
}

/* Return: NULL beyond the limits, or without memory */
static struct tw_stream *stream__alloc(struct tw_streams *knowledge, uint64_t id)
{
	struct tw_stream *stream;

	if (knowledge->n_streams == TW_KNOWN_STREAMS_MAX || !tw_streams__take(knowledge, sizeof(*stream)))
		return NULL;
	stream = calloc(1, sizeof(*stream));
	if (stream && !tw_id_table__put(&knowledge->by_id, id, stream))
		return stream;
	free(stream);
	knowledge->stats.memory -= sizeof(*stream);
	return NULL;
}

static struct tw_stream *stream__new(struct tw_streams *knowledge, uint64_t id)
{
	struct tw_stream *stream = stream__alloc(knowledge, id);
	struct tw_error why;

	if (!stream) {
		tw_error__set(&why, -E2BIG,
			      "more streams in one capture than are read: %u, and what they say in %zu MiB",
			      TW_KNOWN_STREAMS_MAX, TW_KNOWN_MEMORY_MAX >> 20);
		tw_streams__refuse(knowledge, &knowledge->stats.refused_streams, &why);
		return NULL;
	}
	stream->id = id;
	stream->number = knowledge->n_streams++;
	*knowledge->end = stream;
	knowledge->end = &stream->next;
	return stream;
}

struct tw_stream *tw_streams__get(struct tw_streams *knowledge, uint64_t id)
{
	struct tw_stream *stream = tw_id_table__find(&knowledge->by_id, id);

	return stream ? stream : stream__new(knowledge, id);
}

struct tw_stream *tw_streams__first(const struct tw_streams *knowledge)
{
	return knowledge->first;
}

uint32_t tw_streams__count(const struct tw_streams *knowledge)
{
	return knowledge->n_streams;
}

struct tw_stream_schema *tw_stream__schema(struct tw_stream *stream, uint64_t schema_id)
{
	struct tw_stream_schema *schema = stream->last_schema;

	if (schema && schema->id == schema_id)
		return schema;
	for (schema = stream->schemas; schema && schema->id != schema_id;)
		schema = schema->next;
	stream->last_schema = schema;
	return schema;
}

bool tw_stream__has_whole(struct tw_stream *stream, uint64_t schema_id)
{
	const struct tw_stream_schema *schema = tw_stream__schema(stream, schema_id);
	const uint32_t others = (uint32_t)__builtin_popcount(stream->others);

	return schema && schema->total && (uint64_t)schema->n_events + others >= schema->total;
}

static struct tw_stream_schema *make_schema(struct tw_streams *knowledge, struct tw_stream *stream, uint64_t id)
{
	struct tw_stream_schema *schema = tw_stream__schema(stream, id);

	if (schema || knowledge->n_schemas == TW_KNOWN_SCHEMAS_MAX || !tw_streams__take(knowledge, sizeof(*schema)))
		return schema;
	schema = calloc(1, sizeof(*schema));
	if (!schema)
		return NULL;
	schema->id = id;
	schema->next = stream->schemas;
	stream->schemas = schema;
	knowledge->n_schemas++;
	return schema;
}

int tw_stream__add_format(struct tw_streams *knowledge, struct tw_stream *stream, uint64_t schema_id,
			  struct tw_format *format, struct tw_error *err)
{
	struct tw_stream_schema *schema = make_schema(knowledge, stream, schema_id);
	struct tw_stream_event ***page, *event;

	if (!schema)
		return tw_error__set(
			err, -E2BIG,
			"event %s:%s needs one more schema: %u are kept, and what a capture says may take %zu MiB",
			format->system, format->name, TW_KNOWN_SCHEMAS_MAX, TW_KNOWN_MEMORY_MAX >> 20);
	page = &schema->events[format->id / PAGE_IDS];
	if (!tw_streams__take(knowledge, format->memory + sizeof(*event) + (*page ? 0 : PAGE_IDS * sizeof(**page))))
		return tw_error__set(err, -E2BIG, "event %s:%s does not fit: what a capture says may take %zu MiB",
				     format->system, format->name, TW_KNOWN_MEMORY_MAX >> 20);
	if (!*page)
		*page = calloc(PAGE_IDS, sizeof(**page));
	event = *page ? calloc(1, sizeof(*event)) : NULL;
	if (!event)
		return tw_error__set(err, -ENOMEM, "no memory for event %s:%s", format->system, format->name);
	if (stream->long_size)
		tw_format__assume_long_size(format, stream->long_size);
	event->format = format;
	(*page)[format->id % PAGE_IDS] = event;
	schema->n_events++;
	return 0;
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

static void assume_long_size(struct tw_streams *knowledge, struct tw_stream_event *event, uint8_t long_size)
{
	if (!event)
		return;
	tw_format__assume_long_size(event->format, long_size);
	if (event->print)
		knowledge->stats.memory -= tw_print__memory(event->print);
	tw_print__free(event->print); /* it was made for another long */
	event->print = NULL;
}

void tw_stream__set_long_size(struct tw_streams *knowledge, struct tw_stream *stream, uint8_t long_size)
{
	stream->long_size = long_size;
	for (struct tw_stream_schema *schema = stream->schemas; schema; schema = schema->next) {
		schema->revision++;
		for (size_t high = 0; high < PAGE_IDS; high++)
			for (size_t low = 0; schema->events[high] && low < PAGE_IDS; low++)
				assume_long_size(knowledge, schema->events[high][low], long_size);
	}
}

struct tw_stream_event *tw_stream__event(struct tw_stream *stream, uint64_t schema_id, uint16_t event_id)
{
	const struct tw_stream_schema *schema = tw_stream__schema(stream, schema_id);

	return schema ? tw_stream_schema__event(schema, event_id) : NULL;
}

static void refuse_print(struct tw_streams *knowledge, struct tw_stream_event *event)
{
	struct tw_error why;

	event->print_refused = true;
	tw_error__set(&why, -ENOMEM, "no memory for the text program of event %s:%s", event->format->system,
		      event->format->name);
	tw_streams__refuse(knowledge, &knowledge->stats.refused_texts, &why);
}

const struct tw_print *tw_stream_event__print(struct tw_streams *knowledge, struct tw_stream_event *event)
{
	if (event->print || event->print_refused)
		return event->print;
	event->print = tw_print__new(event->format);
	if (!event->print || !tw_streams__take(knowledge, tw_print__memory(event->print))) {
		tw_print__free(event->print);
		event->print = NULL;
		refuse_print(knowledge, event);
	}
	return event->print;
}

void tw_streams__stats(const struct tw_streams *knowledge, struct tw_streams_stats *ret)
{
	*ret = knowledge->stats;
}
