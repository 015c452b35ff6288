/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/capture/knowledge.h"

#include <errno.h>
#include <stdlib.h>

#include "wire/parts.h"
#include "wire/schema_text.h"

struct tw_knowledge {
	struct tw_known_stream *first, **end, *last_used;
	uint32_t n_streams, n_schemas;
	size_t memory; /* of programs; formats are bounded by their schemas */
	struct tw_parts *parts;
	struct tw_knowledge_stats stats;
	char expanded[TW_SCHEMA_RAW_MAX];
};

struct tw_knowledge *tw_knowledge__new(void)
{
	const struct tw_parts_limits limits = { .bytes = TW_KNOWN_PARTS_BYTES, .count = TW_KNOWN_PARTS_COUNT };
	struct tw_knowledge *knowledge = calloc(1, sizeof(*knowledge));

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

static void schema__free(struct tw_known_schema *schema)
{
	for (size_t high = 0; high < 256; high++) {
		for (size_t low = 0; schema->events[high] && low < 256; low++) {
			struct tw_known_event *event = schema->events[high][low];

			if (event)
				tw_print__free(event->print);
			free(event);
		}
		free(schema->events[high]);
	}
	tw_schema__free(schema->formats);
	free(schema);
}

static void stream__free(struct tw_known_stream *stream)
{
	struct tw_known_schema *schema;

	while ((schema = stream->schemas)) {
		stream->schemas = schema->next;
		schema__free(schema);
	}
	tw_task_table__fini(&stream->tasks);
	tw_symbols__free(stream->symbols);
	tw_strings__free(stream->strings);
	free(stream);
}

void tw_knowledge__free(struct tw_knowledge *knowledge)
{
	struct tw_known_stream *stream;

	if (!knowledge)
		return;
	while ((stream = knowledge->first)) {
		knowledge->first = stream->next;
		stream__free(stream);
	}
	tw_parts__free(knowledge->parts);
	free(knowledge);
}

static struct tw_known_stream *stream__new(uint64_t id)
{
	struct tw_known_stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return NULL;
	stream->id = id;
	stream->symbols = tw_symbols__new();
	stream->strings = tw_strings__new();
	stream->print_host = (struct tw_print_host){ .symbols = stream->symbols, .strings = stream->strings };
	if (stream->symbols && stream->strings)
		return stream;
	stream__free(stream);
	return NULL;
}

struct tw_known_stream *tw_knowledge__stream(struct tw_knowledge *knowledge, uint64_t id)
{
	struct tw_known_stream *stream = knowledge->last_used;

	if (stream && stream->id == id)
		return stream;
	for (stream = knowledge->first; stream && stream->id != id;)
		stream = stream->next;
	if (!stream && knowledge->n_streams < TW_KNOWN_STREAMS_MAX && (stream = stream__new(id))) {
		stream->number = knowledge->n_streams++;
		*knowledge->end = stream;
		knowledge->end = &stream->next;
	}
	knowledge->last_used = stream;
	return stream;
}

struct tw_known_stream *tw_knowledge__first(const struct tw_knowledge *knowledge)
{
	return knowledge->first;
}

uint32_t tw_knowledge__count(const struct tw_knowledge *knowledge)
{
	return knowledge->n_streams;
}

static struct tw_known_schema *find_schema(struct tw_known_stream *stream, uint64_t id)
{
	struct tw_known_schema *schema = stream->last_schema;

	if (schema && schema->id == id)
		return schema;
	for (schema = stream->schemas; schema && schema->id != id;)
		schema = schema->next;
	stream->last_schema = schema;
	return schema;
}

static struct tw_known_schema *make_schema(struct tw_knowledge *knowledge, struct tw_known_stream *stream, uint64_t id)
{
	struct tw_known_schema *schema = find_schema(stream, id);

	if (schema || knowledge->n_schemas == TW_KNOWN_SCHEMAS_MAX)
		return schema;
	schema = calloc(1, sizeof(*schema));
	if (!schema)
		return NULL;
	schema->id = id;
	schema->formats = tw_schema__new();
	if (!schema->formats) {
		free(schema);
		return NULL;
	}
	if (stream->long_size)
		tw_schema__set_long_size(schema->formats, stream->long_size);
	schema->next = stream->schemas;
	stream->schemas = schema;
	knowledge->n_schemas++;
	return schema;
}

static void refused(struct tw_knowledge *knowledge, const struct tw_error *err)
{
	if (!knowledge->stats.refused_texts++)
		knowledge->stats.first = *err;
}

static void learn_format(struct tw_knowledge *knowledge, struct tw_known_stream *stream, uint64_t schema_id,
			 const struct tw_schema_text *text)
{
	struct tw_known_schema *schema = make_schema(knowledge, stream, schema_id);
	struct tw_error err;

	if (!schema) {
		tw_error__set(&err, -E2BIG, "more than %u schemas", TW_KNOWN_SCHEMAS_MAX);
		refused(knowledge, &err);
		return;
	}
	if (tw_schema__add(schema->formats, text->system, text->text, text->len, NULL, &err))
		refused(knowledge, &err);
}

/* Metadata are repeated for those who join late: a format that is there stays, and is not expanded again. */
static bool has_format(struct tw_known_stream *stream, uint64_t schema_id, const struct tw_schema_view *view)
{
	const struct tw_known_schema *schema = find_schema(stream, schema_id);

	return view->kind == TW_SCHEMA_EVENT && schema && tw_schema__by_id(schema->formats, view->event_id);
}

static void learn_schema(struct tw_knowledge *knowledge, struct tw_known_stream *stream,
			 const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct tw_schema_view view;
	struct tw_schema_text text;
	struct tw_error err;

	if (!tw_schema_tlv__parse(tlv, &view) || has_format(stream, frame->schema_id, &view))
		return;
	if (tw_schema_text__expand(&view, knowledge->expanded, sizeof(knowledge->expanded), &text, &err))
		refused(knowledge, &err);
	else if (view.kind == TW_SCHEMA_EVENT)
		learn_format(knowledge, stream, frame->schema_id, &text);
	else if (view.kind == TW_SCHEMA_PRINTK)
		tw_strings__parse(stream->strings, text.text, text.len);
}

static void learn_host(struct tw_known_stream *stream, const struct tw_tlv_view *tlv)
{
	struct tw_cursor list = { .at = tlv->value, .left = tlv->len };
	struct tw_attr_view attr;
	uint64_t number;

	tw_identity__host(&stream->identity, tlv);
	stream->has_host = true;
	while (tw_host__next(&list, &attr)) {
		if (attr.len != sizeof(number))
			continue;
		number = tw_load_be64(attr.value);
		if (attr.attr == TW_HOST_CPUS)
			stream->cpus = number;
		if (attr.attr == TW_HOST_LONG_SIZE && (number == 4 || number == 8))
			stream->long_size = (uint8_t)number;
	}
	for (struct tw_known_schema *schema = stream->schemas; stream->long_size && schema; schema = schema->next)
		tw_schema__set_long_size(schema->formats, stream->long_size);
}

static void learn_clock(struct tw_known_stream *stream, const struct tw_tlv_view *tlv)
{
	const uint32_t both = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL;
	struct tw_clock_view view;

	if (stream->has_wall || !tw_clock__parse(tlv, &view) || (view.valid & both) != both)
		return;
	stream->has_wall = true;
	stream->wall_minus = view.reading[TW_CLOCK_REAL] - view.reading[TW_CLOCK_TRACE];
}

static void learn_task(struct tw_known_stream *stream, const struct tw_tlv_view *tlv)
{
	struct tw_comm_view view;

	if (tw_comm__parse(tlv, &view))
		tw_task_table__add(&stream->tasks, &view);
}

static void learn_symbol(struct tw_known_stream *stream, const struct tw_tlv_view *tlv)
{
	struct tw_symbol_view view;

	if (tw_symbol__parse(tlv, &view))
		tw_symbols__add(stream->symbols, view.address, view.size, (const char *)view.name, view.len, NULL, 0);
}

static void learn_stats(struct tw_known_stream *stream, const struct tw_tlv_view *tlv)
{
	const size_t n = sizeof(stream->stats) / sizeof(*stream->stats);
	struct tw_cursor list = { .at = tlv->value, .left = tlv->len };
	struct tw_stat_view stat;

	while (tw_stats__next(&list, &stat)) {
		if (stat.channel == TW_CHANNEL_CONTROL && stat.stat < n)
			stream->stats[stat.stat] = stat.value;
	}
}

void tw_knowledge__learn(struct tw_knowledge *knowledge, struct tw_known_stream *stream,
			 const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct tw_tlv_view whole = *tlv;
	struct tw_part_view part;

	if (tlv->type == TW_TLV_PART &&
	    (!tw_part__parse(tlv, &part) || part.inner_type == TW_TLV_EVENT ||
	     tw_parts__add(knowledge->parts, stream->id, frame->channel, &part, &whole) != TW_PARTS_WHOLE))
		return;
	switch (whole.type) {
	case TW_TLV_SCHEMA:
		return learn_schema(knowledge, stream, frame, &whole);
	case TW_TLV_HOST:
		return learn_host(stream, &whole);
	case TW_TLV_CLOCK:
		return learn_clock(stream, &whole);
	case TW_TLV_COMM:
		return learn_task(stream, &whole);
	case TW_TLV_SYMBOL:
		return learn_symbol(stream, &whole);
	case TW_TLV_STATS:
		return learn_stats(stream, &whole);
	default:
		return;
	}
}

static struct tw_known_event *make_event(struct tw_known_schema *schema, uint16_t id)
{
	const struct tw_format *format = tw_schema__by_id(schema->formats, id);
	struct tw_known_event ***page = &schema->events[id >> 8];
	struct tw_known_event *event;

	if (!format)
		return NULL;
	if (!*page)
		*page = calloc(256, sizeof(**page));
	event = *page ? calloc(1, sizeof(*event)) : NULL;
	if (!event)
		return NULL;
	event->format = format;
	(*page)[id & 0xff] = event;
	return event;
}

struct tw_known_event *tw_known_stream__event(struct tw_known_stream *stream, uint64_t schema_id, uint16_t event_id)
{
	struct tw_known_schema *schema = find_schema(stream, schema_id);
	struct tw_known_event *event = NULL;

	if (!schema)
		return NULL;
	if (schema->events[event_id >> 8])
		event = schema->events[event_id >> 8][event_id & 0xff];
	return event ? event : make_event(schema, event_id);
}

const struct tw_print *tw_known_event__print(struct tw_knowledge *knowledge, struct tw_known_event *event)
{
	if (event->print || knowledge->memory > TW_KNOWN_MEMORY_MAX)
		return event->print;
	event->print = tw_print__new(event->format);
	if (event->print)
		knowledge->memory += tw_print__memory(event->print);
	return event->print;
}

void tw_knowledge__stats(const struct tw_knowledge *knowledge, struct tw_knowledge_stats *ret)
{
	*ret = knowledge->stats;
}
