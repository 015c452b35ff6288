/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/event_type.h"

#include <errno.h>

#include "dissector/capture.h"
#include "dissector/packet-tracewire.h"
#include "dissector/words.h"

#define FIELD_BYTES \
	(sizeof(struct tw_shown_field) + sizeof(struct tw_print_names)) /* that a field takes here, at most */

static void free_format(void *format)
{
	tw_format__free(format);
}

int tw_schema_id__learn(struct tw_schema_id *schema, uint16_t event_id, const struct tw_schema_text *text,
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

static void give_words(const struct tw_event_type *type, struct tw_shown_field *shown)
{
	const struct tw_format *format = type->format;
	struct tw_print_names words;

	if (!type->print || !tw_print__names(type->print, shown->field, &words) || words.n > TW_WORDS_PER_NAME_MAX)
		return;
	shown->words = wmem_memdup(wmem_file_scope(), &words, sizeof(words));
	tw_words__give(shown->name, words.names, words.n);
	if (words.flags)
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
		give_words(type, shown);
		shown->is_stack = is_stack(format, field);
		shown->has_addresses = is_printed_as_symbol(type, field);
	}
}
