/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats of events: read from SCHEMA records and from the cache, and prepared for showing events. */
#include <errno.h>

#include "dissector/format_files.h"
#include "dissector/packet-tracewire.h"
#include "dissector/socket_timeline.h"
#include "schema/schema.h"

#define FIELD_BYTES (sizeof(struct tw_shown_field) + sizeof(struct tw_print_names)) /* largest memory of one field */

/* The texts of a schema, collected for the cache, and whether the cache was read for the schema. */
struct schema_cache {
	bool tried;                   /* the cache was read */
	bool done;                    /* all texts were received; they were stored if their hash is the schema's id */
	struct tw_schema_text *texts; /* the texts received so far, by index */
	uint32_t total, seen;         /* number of texts in the schema, and of those received */
};

/* Return: NULL beyond the capture's limits */
static struct schema_cache *cache_of(struct tw_dissect *d)
{
	void **cache = &d->schema->user[0];

	if (!*cache && tw_streams__take(d->stream->table, sizeof(struct schema_cache)))
		*cache = wmem_new0(wmem_file_scope(), struct schema_cache);
	return *cache;
}

/* Return: NULL beyond the capture's limits */
static struct tw_event_type *new_type(struct tw_dissect *d, struct tw_stream_event *event, const uint32_t *frames,
				      uint32_t n_frames)
{
	const size_t n_fields = event->format->n_fields, size = n_frames * sizeof(*frames);
	struct tw_event_type *type;

	if (!tw_streams__take(d->stream->table, sizeof(*type) + n_fields * FIELD_BYTES + size))
		return NULL;
	type = wmem_new0(wmem_file_scope(), struct tw_event_type);
	type->event = event;
	type->frames = wmem_memdup(wmem_file_scope(), frames, size);
	type->n_frames = n_frames;
	type->n_fields = (uint32_t)(n_fields - event->format->n_common);
	type->socket = tw_socket_fields__of(event->format);
	return type;
}

/*
 * Adds a format to the stream, and allocates the plugin's struct tw_event_type for it.
 * @frames: numbers of the frames with the text; copied
 * Return: 0; -EINVAL or another -errno for an invalid text; -ENOSPC beyond the capture's limits.
 */
static int take_format(struct tw_dissect *d, const struct tw_schema_view *view, const struct tw_schema_text *text,
		       const uint32_t *frames, uint32_t n_frames, struct tw_error *error)
{
	int err = tw_stream__add_text(d->stream, d->schema->id, view, text, error);
	struct tw_stream_event *event = tw_stream_schema__event(d->schema, view->event_id);

	if (!err && !event->user) {
		event->user = new_type(d, event, frames, n_frames);
		err = event->user ? 0 : -ENOSPC;
	}
	if (err == -ENOSPC) {
		tw_dissect_formats_full = true;
		tw_error__set(error, err, "the capture has more format texts than the limit");
	}
	return err;
}

static void add_value_strings(const struct tw_event_type *type, struct tw_shown_field *shown)
{
	const struct tw_format *format = type->event->format;
	struct tw_print_names value_strings;

	shown->is_syscall = tw_syscalls__is_number(format, shown->field);
	if (shown->is_syscall)
		shown->names = tw_fields__names(format->system, format->name, shown->field->name);
	if (shown->is_syscall || !type->event->print ||
	    !tw_print__names(type->event->print, shown->field, &value_strings) ||
	    value_strings.n > TW_VALUE_STRINGS_MAX)
		return;
	shown->value_strings = wmem_memdup(wmem_file_scope(), &value_strings, sizeof(value_strings));
	if (tw_print_names__can_compare(&value_strings, shown->field))
		tw_value_strings__add(shown->name, &value_strings);
	if (value_strings.flags)
		shown->names = tw_fields__names(format->system, format->name, shown->field->name);
}

static bool is_printed_as_symbol(const struct tw_event_type *type, const struct tw_field *field)
{
	const struct tw_field *const *addresses;
	size_t n = 0;

	addresses = type->event->print ? tw_print__addresses(type->event->print, &n) : NULL;
	for (size_t i = 0; i < n; i++)
		if (addresses[i] == field)
			return true;
	return false;
}

/* Whether a field is a stack. The format of a stack declares eight callers, but the kernel writes as many as it found. */
static bool is_stack(const struct tw_format *format, const struct tw_field *field)
{
	return field->kind == TW_FIELD_ARRAY && !strcmp(format->system, "ftrace") && !strcmp(field->name, "caller") &&
	       (!strcmp(format->name, "kernel_stack") || !strcmp(format->name, "user_stack"));
}

void tw_event_type__prepare(struct tw_stream *stream, struct tw_event_type *type)
{
	const struct tw_format *format = type->event->format;
	const struct tw_print *print = tw_stream__print(stream, type->event);

	type->refusal = print ? tw_print__refusal(print) : "The capture has more print formats than the limit";
	type->fields = wmem_alloc0_array(wmem_file_scope(), struct tw_shown_field, type->n_fields + 1);
	for (uint32_t i = 0; i < type->n_fields; i++) {
		const struct tw_field *field = &format->fields[format->n_common + i];
		struct tw_shown_field *shown = &type->fields[i];

		shown->field = field;
		shown->type = (uint8_t)tw_ftype__of(field);
		shown->long_size = format->long_size;
		shown->name = tw_fields__name(format->system, format->name, field->name, tw_ftype__of(field));
		shown->any = tw_preferences.any ? tw_fields__any(field->name, tw_ftype__of(field)) : NULL;
		add_value_strings(type, shown);
		shown->words = print && tw_print__has_word(print, field) ? print : NULL;
		shown->is_stack = is_stack(format, field);
		shown->has_addresses = is_printed_as_symbol(type, field);
	}
}

/* Allocates memory for a decompressed payload, within the frame's limit. Return: NULL with @error filled beyond the limit */
static void *unpack_buffer(struct tw_dissect *d, const struct tw_schema_view *view, struct tw_error *error)
{
	if (view->raw_length > d->unpack_left || view->raw_length > TW_SCHEMA_RAW_MAX) {
		tw_error__set(error, -ENOSPC, "the format texts of the frame exceed the limit for decompression");
		return NULL;
	}
	d->unpack_left -= view->raw_length;
	return wmem_alloc(d->pinfo->pool, view->raw_length + 1);
}

int tw_dissect__unpack_schema(struct tw_dissect *d, const struct tw_schema_view *view, struct tw_schema_text *ret,
			      struct tw_error *error)
{
	void *buf;

	if (view->encoding == TW_ENCODING_PLAIN)
		return tw_schema_text__expand(view, NULL, 0, ret, error);
	buf = unpack_buffer(d, view, error);
	return buf ? tw_schema_text__expand(view, buf, view->raw_length, ret, error) : -ENOSPC;
}

int tw_dissect__unpack_group(struct tw_dissect *d, const struct tw_schema_view *view, struct tw_schema_group *ret,
			     struct tw_error *error)
{
	void *buf = unpack_buffer(d, view, error);

	return buf ? tw_schema_group__expand(view, buf, view->raw_length, ret, error) : -ENOSPC;
}

/* Whether the text must be kept for the cache: whether it is still missing among the collected texts of its schema. */
static bool wants_for_cache(struct tw_dissect *d, const struct tw_schema_view *view)
{
	struct schema_cache *cache = cache_of(d);

	if (!tw_preferences.cache || !cache || cache->done || !view->total || view->total > TW_CACHED_TEXTS_MAX ||
	    view->index >= view->total)
		return false;
	if (!cache->texts) {
		if (!tw_streams__take(d->stream->table, view->total * sizeof(*cache->texts)))
			return false;
		cache->total = view->total;
		cache->texts = wmem_alloc0_array(wmem_file_scope(), struct tw_schema_text, view->total);
	}
	return view->total == cache->total && !cache->texts[view->index].text;
}

/*
 * Stores a schema in the cache if the hash of its texts is the schema's id. The size of a long is an input of the hash. This size may be
 * unknown until a HOST arrives, so both sizes are tried.
 */
static void store_schema(uint64_t schema_id, const struct schema_cache *cache, bool big_endian)
{
	static const uint8_t long_sizes[] = { 8, 4 };

	for (size_t i = 0; i < G_N_ELEMENTS(long_sizes); i++) {
		struct tw_schema_hash hash;

		tw_schema_hash__init(&hash, big_endian, long_sizes[i]);
		for (uint32_t n = 0; n < cache->total; n++)
			tw_schema_hash__text(&hash, cache->texts[n].system, cache->texts[n].text, cache->texts[n].len);
		if (tw_schema_hash__fini(&hash) != schema_id)
			continue;
		tw_cache__store(schema_id, big_endian, long_sizes[i], cache->texts, cache->total);
		return;
	}
}

static void keep_for_cache(struct tw_dissect *d, uint32_t index, const struct tw_schema_text *text)
{
	struct schema_cache *cache = d->schema->user[0];
	wmem_allocator_t *scope = wmem_file_scope();

	if (!tw_streams__take(d->stream->table, text->len + strlen(text->system) + 1))
		return;
	cache->texts[index] = (struct tw_schema_text){
		.system = wmem_strdup(scope, text->system),
		.text = wmem_memdup(scope, text->text, text->len),
		.len = text->len,
	};
	if (++cache->seen < cache->total)
		return;
	store_schema(d->schema->id, cache, d->frame.flags & TW_FLAG_BODY_BE);
	cache->done = true;
}

static int add_text(struct tw_dissect *d, const struct tw_schema_view *view, struct tw_error *error)
{
	const bool is_event = view->kind == TW_SCHEMA_EVENT;
	const bool for_cache = wants_for_cache(d, view);
	const bool is_known = is_event ? tw_event_type__find(d->schema, view->event_id) != NULL
				       : tw_stream__has_text(d->stream, d->schema->id, view);
	struct tw_schema_text text;
	int err;

	if (!for_cache && is_known)
		return 0; /* streams repeat texts for late receivers */
	err = tw_dissect__unpack_schema(d, view, &text, error);
	if (!err && is_event)
		err = take_format(d, view, &text, d->bytes.frames, d->bytes.n_frames, error);
	else if (!err)
		err = tw_stream__add_text(d->stream, d->schema->id, view, &text, error);
	if (!err && for_cache)
		keep_for_cache(d, view->index, &text);
	return err;
}

/* Whether all texts of the schema were received. Groups that are repeated after that are not decompressed. */
static bool is_complete(struct tw_dissect *d)
{
	const struct schema_cache *cache = cache_of(d);

	return tw_stream__has_whole(d->stream, d->schema->id) && (!tw_preferences.cache || !cache || cache->done);
}

int tw_dissect__add_schema(struct tw_dissect *d, const struct tw_schema_view *view, struct tw_error *error)
{
	struct tw_schema_group group;
	struct tw_schema_view text;
	int err, first = 0;

	if (!d->schema)
		return tw_error__set(error, -EINVAL,
				     "the frame names no schema, or the capture has too many streams or schemas");
	if (view->kind != TW_SCHEMA_GROUP)
		return add_text(d, view, error);
	if (is_complete(d))
		return 0;
	err = tw_dissect__unpack_group(d, view, &group, error);
	while (!err && tw_schema_group__next(&group, &text)) {
		struct tw_error why;
		const int failed = add_text(d, &text, &why);

		if (!first && failed && error)
			*error = why;
		first = first ? first : failed;
	}
	return err ? err : first;
}

/* Return: the event id in a format text, from its line "ID:"; 0 if it has no valid line of this kind */
static uint16_t event_id_of(const struct tw_schema_text *text)
{
	const char *at = memmem(text->text, text->len, "\nID: ", 5);
	uint32_t id = 0;

	for (at = at ? at + 5 : NULL; at && at < text->text + text->len && g_ascii_isdigit(*at) && id <= 0xffff; at++)
		id = id * 10 + (uint32_t)(*at - '0');
	return id <= 0xffff ? (uint16_t)id : 0;
}

/* Adds the texts of a cache file. They are not from a frame of the capture, so their position in the capture is 0. */
static void take_cached(struct tw_dissect *d, const char *bytes, size_t len)
{
	struct tw_formats_file file = tw_formats_file__open(bytes, len);
	struct tw_schema_text text;

	tw_streams__set_position(d->stream->table, 0);
	while (tw_formats_file__next(&file, &text)) {
		const struct tw_schema_view view = { .kind = TW_SCHEMA_EVENT, .event_id = event_id_of(&text) };

		take_format(d, &view, &text, NULL, 0, NULL);
	}
	tw_streams__set_position(d->stream->table, d->pinfo->num);
}

void tw_dissect__read_cache(struct tw_dissect *d)
{
	struct schema_cache *cache = cache_of(d);
	char *bytes;
	size_t len;

	if (!cache || cache->tried)
		return;
	cache->tried = true;
	if (!tw_preferences.cache || tw_dissect_cache_read > TW_CACHE_READ_MAX)
		return;
	bytes = tw_cache__load(d->schema->id, &len);
	if (!bytes)
		return;
	tw_dissect_cache_read += (uint32_t)len; /* exceeds the limit by at most one file */
	take_cached(d, bytes, len);
	g_free(bytes);
}
