/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/event_type.h"

#include <errno.h>

#include "dissector/capture.h"
#include "dissector/preferences.h"

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
	if (!tw_capture__allow(&tw_capture_used.format_bytes, format->memory, TW_FORMAT_BYTES_MAX)) {
		r = tw_error__set(err, -ENOSPC, "the capture has more format texts than the dissector keeps");
		goto refuse;
	}
	type = wmem_new0(wmem_file_scope(), struct tw_event_type);
	if (!tw_table16__put(&schema->types, event_id, type)) {
		r = tw_error__set(err, -ENOSPC, "the capture has more event ids than the dissector keeps");
		goto refuse;
	}
	tw_capture__own_format(format);
	if (schema->stream->long_size)
		tw_format__assume_long_size(format, schema->stream->long_size);
	type->format = format;
	type->frames = wmem_memdup(wmem_file_scope(), frames, n_frames * sizeof(*frames));
	type->n_frames = n_frames;
	type->n_fields = (uint32_t)(format->n_fields - format->n_common);
	return 0;

refuse:
	tw_format__free(format);
	return r;
}

void tw_event_type__prepare(struct tw_event_type *type)
{
	const struct tw_format *format = type->format;

	type->fields = wmem_alloc0_array(wmem_file_scope(), struct tw_shown_field, type->n_fields + 1);
	for (uint32_t i = 0; i < type->n_fields; i++) {
		const struct tw_field *field = &format->fields[format->n_common + i];
		struct tw_shown_field *shown = &type->fields[i];

		shown->field = field;
		shown->type = (uint8_t)tw_type__of(field);
		shown->long_size = format->long_size;
		shown->name = tw_fields__name(format->system, format->name, field->name, tw_type__of(field));
		shown->any = tw_preferences.any ? tw_fields__any(field->name, tw_type__of(field)) : NULL;
		shown->label = wmem_strdup_printf(wmem_file_scope(), " %s=", field->name);
		shown->label_len = (uint32_t)strlen(shown->label);
	}
}
