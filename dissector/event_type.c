/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/event_type.h"

#include <errno.h>

#include "dissector/known_formats.h"
#include "dissector/packet-tracewire.h"
#include "schema/schema.h"

#define FIELD_BYTES \
	(sizeof(struct tw_shown_field) + sizeof(struct tw_print_names)) /* that a field takes here, at most */

static void free_format(void *format)
{
	tw_format__free(format);
}

/*
 * A text that is there already stays: what was dissected with it must not change.
 * @event_id: what the text's own id must be
 * @frames: that brought it; copied
 * Return: 0; -EINVAL for a text that cannot be used; -ENOSPC beyond the capture's limits.
 */
static int take_format(struct tw_schema_id *schema, uint16_t event_id, const struct tw_schema_text *text,
		       const uint32_t *frames, uint32_t n_frames, struct tw_error *err)
{
	struct tw_event_type *type;
	struct tw_format *format;
	int r;

	if (tw_schema_id__type(schema, event_id))
		return 0;
	r = tw_format__parse(text->text, text->len, text->system, &format, err);
	if (r)
		return r;
	if (format->id != event_id) {
		r = tw_error__set(err, -EINVAL, "the text is of event id %u, the record says %u", format->id, event_id);
		goto refuse;
	}
	if (!tw_capture__allow(format->memory + format->n_fields * FIELD_BYTES + sizeof(*type) +
			       tw_table16__growth(&schema->types, event_id))) {
		r = tw_error__set(err, -ENOSPC, "the capture has more format texts than the dissector keeps");
		goto refuse;
	}
	type = wmem_new0(wmem_file_scope(), struct tw_event_type);
	tw_capture__own(format, free_format);
	if (schema->stream->long_size)
		tw_format__assume_long_size(format, schema->stream->long_size);
	type->format = format;
	type->frames = wmem_memdup(wmem_file_scope(), frames, n_frames * sizeof(*frames));
	type->n_frames = n_frames;
	type->n_fields = (uint32_t)(format->n_fields - format->n_common);
	tw_table16__put(&schema->types, event_id, type);
	return 0;

refuse:
	tw_format__free(format);
	return r;
}

static void free_print(void *print)
{
	tw_print__free(print);
}

static void compile(struct tw_event_type *type)
{
	struct tw_print *print = tw_print__new(type->format);

	if (!print || !tw_capture__allow(tw_print__memory(print))) {
		tw_print__free(print);
		type->refusal = "The capture has more print formats than the dissector keeps";
		return;
	}
	tw_capture__own(print, free_print);
	type->print = print;
	type->refusal = tw_print__refusal(print);
}

static void add_value_strings(const struct tw_event_type *type, struct tw_shown_field *shown)
{
	const struct tw_format *format = type->format;
	struct tw_print_names value_strings;

	if (!type->print || !tw_print__names(type->print, shown->field, &value_strings) ||
	    value_strings.n > TW_VALUE_STRINGS_MAX)
		return;
	shown->value_strings = wmem_memdup(wmem_file_scope(), &value_strings, sizeof(value_strings));
	tw_value_strings__add(shown->name, value_strings.names, value_strings.n);
	if (value_strings.flags)
		shown->flags = tw_fields__flags(format->system, format->name, shown->field->name);
}

static bool is_printed_as_symbol(const struct tw_event_type *type, const struct tw_field *field)
{
	const struct tw_field *const *addresses;
	size_t n = 0;

	addresses = type->print ? tw_print__addresses(type->print, &n) : NULL;
	for (size_t i = 0; i < n; i++)
		if (addresses[i] == field)
			return true;
	return false;
}

/* The kernel says eight callers in the format and writes as many as there were. */
static bool is_stack(const struct tw_format *format, const struct tw_field *field)
{
	return field->kind == TW_FIELD_ARRAY && !strcmp(format->system, "ftrace") && !strcmp(field->name, "caller") &&
	       (!strcmp(format->name, "kernel_stack") || !strcmp(format->name, "user_stack"));
}

void tw_event_type__prepare(struct tw_event_type *type)
{
	const struct tw_format *format = type->format;

	compile(type);
	type->fields = wmem_alloc0_array(wmem_file_scope(), struct tw_shown_field, type->n_fields + 1);
	for (uint32_t i = 0; i < type->n_fields; i++) {
		const struct tw_field *field = &format->fields[format->n_common + i];
		struct tw_shown_field *shown = &type->fields[i];

		shown->field = field;
		shown->type = (uint8_t)tw_type__of(field);
		shown->long_size = format->long_size;
		shown->name = tw_fields__name(format->system, format->name, field->name, tw_type__of(field));
		shown->any = tw_preferences.any ? tw_fields__any(field->name, tw_type__of(field)) : NULL;
		add_value_strings(type, shown);
		shown->is_stack = is_stack(format, field);
		shown->has_addresses = is_printed_as_symbol(type, field);
	}
}

int tw_metadata__unpack(struct tw_dissect *d, const struct tw_schema_view *view, struct tw_schema_text *ret,
			struct tw_error *err)
{
	if (view->raw_length > d->unpack_left)
		return tw_error__set(err, -ENOSPC, "the frame has more format text than the dissector unpacks");
	if (view->raw_length > TW_SCHEMA_RAW_MAX)
		return tw_error__set(err, -E2BIG, "the format text is too long");
	d->unpack_left -= view->raw_length;
	return tw_schema_text__expand(view, wmem_alloc(d->pinfo->pool, view->raw_length + 1), view->raw_length, ret,
				      err);
}

/* Whether the text is still needed to make a schema complete for the cache. */
static bool wants_for_cache(struct tw_schema_id *schema, const struct tw_schema_view *view)
{
	if (!tw_preferences.cache || schema->cache_done || !view->total || view->total > TW_CACHED_TEXTS_MAX ||
	    view->index >= view->total)
		return false;
	if (!schema->texts) {
		if (!tw_capture__allow(view->total * sizeof(*schema->texts)))
			return false;
		schema->total = view->total;
		schema->texts = wmem_alloc0_array(wmem_file_scope(), struct tw_schema_text, view->total);
	}
	return view->total == schema->total && !schema->texts[view->index].text;
}

static uint64_t hash_of(const struct tw_schema_id *schema, bool big_endian, uint8_t long_size)
{
	struct tw_schema_hash hash;

	tw_schema_hash__init(&hash, big_endian, long_size);
	for (uint32_t i = 0; i < schema->total; i++)
		tw_schema_hash__text(&hash, schema->texts[i].system, schema->texts[i].text, schema->texts[i].len);
	return tw_schema_hash__fini(&hash);
}

/* The size of a long is part of the hash; HOST may not have told it yet. */
static void store_schema(const struct tw_schema_id *schema, bool big_endian)
{
	static const uint8_t long_sizes[] = { 8, 4 };

	for (size_t i = 0; i < G_N_ELEMENTS(long_sizes); i++) {
		if (hash_of(schema, big_endian, long_sizes[i]) == schema->id) {
			tw_cache__store(schema->id, big_endian, long_sizes[i], schema->texts, schema->total);
			return;
		}
	}
}

static void keep_for_cache(struct tw_dissect *d, uint32_t index, const struct tw_schema_text *text)
{
	struct tw_schema_id *schema = d->schema;
	wmem_allocator_t *scope = wmem_file_scope();

	if (!tw_capture__allow(text->len + strlen(text->system) + 1))
		return;
	schema->texts[index] = (struct tw_schema_text){
		.system = wmem_strdup(scope, text->system),
		.text = wmem_memdup(scope, text->text, text->len),
		.len = text->len,
	};
	if (++schema->seen < schema->total)
		return;
	store_schema(schema, d->frame.flags & TW_FLAG_BODY_BE);
	schema->cache_done = true;
}

static bool wants_for_itself(const struct tw_dissect *d, const struct tw_schema_view *view)
{
	if (view->kind == TW_SCHEMA_EVENT)
		return !tw_schema_id__type(d->schema, view->event_id);
	return view->kind == TW_SCHEMA_PRINTK;
}

static int learn_text(struct tw_dissect *d, const struct tw_schema_view *view, const struct tw_schema_text *text,
		      struct tw_error *err)
{
	if (view->kind == TW_SCHEMA_EVENT)
		return take_format(d->schema, view->event_id, text, d->bytes.frames, d->bytes.n_frames, err);
	if (view->kind == TW_SCHEMA_PRINTK && !tw_stream__learn_strings(d->stream, text, d->pinfo->num))
		return tw_error__set(err, -ENOSPC, "the capture has more strings than the dissector keeps");
	return 0;
}

int tw_metadata__learn(struct tw_dissect *d, const struct tw_schema_view *view, struct tw_error *err)
{
	struct tw_schema_text text;
	bool for_cache;
	int r;

	if (!d->schema)
		return tw_error__set(err, -EINVAL, "the frame names no schema, or the capture has too many");
	for_cache = wants_for_cache(d->schema, view);
	if (!for_cache && !wants_for_itself(d, view))
		return 0; /* repeated for late joiners */
	r = tw_metadata__unpack(d, view, &text, err);
	if (!r)
		r = learn_text(d, view, &text, err);
	if (!r && for_cache)
		keep_for_cache(d, view->index, &text);
	return r;
}

/* The id of an event's text, from its second line; 0 if it is none. */
static uint16_t event_id_of(const struct tw_schema_text *text)
{
	const char *at = memmem(text->text, text->len, "\nID: ", 5);
	uint32_t id = 0;

	for (at = at ? at + 5 : NULL; at && at < text->text + text->len && g_ascii_isdigit(*at) && id <= 0xffff; at++)
		id = id * 10 + (uint32_t)(*at - '0');
	return id <= 0xffff ? (uint16_t)id : 0;
}

struct tw_event_type *tw_metadata__from_cache(struct tw_dissect *d, uint16_t event_id)
{
	struct tw_formats_file file;
	struct tw_schema_text text;
	char *bytes;
	size_t len;

	d->schema->cache_tried = true;
	if (!tw_preferences.cache || tw_capture_cache_read > TW_CACHE_READ_MAX)
		return NULL;
	bytes = tw_cache__load(d->schema->id, &len);
	if (!bytes)
		return NULL;
	tw_capture_cache_read += (uint32_t)len; /* at most the cache's own limit more than allowed */
	file = tw_formats_file__open(bytes, len);
	while (tw_formats_file__next(&file, &text))
		take_format(d->schema, event_id_of(&text), &text, NULL, 0, NULL);
	g_free(bytes);
	return tw_schema_id__type(d->schema, event_id);
}
