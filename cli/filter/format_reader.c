/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/format_reader.h"

#include <errno.h>
#include <stdlib.h>

#define PARTS_BYTES ((size_t)4 << 20) /* memory for incomplete formats in PARTs */
#define PARTS_COUNT 64

int format_reader__init(struct format_reader *reader)
{
	const struct tw_parts_limits limits = { .bytes = PARTS_BYTES, .count = PARTS_COUNT };

	reader->parts = tw_parts__new(&limits);
	reader->text = malloc(TW_SCHEMA_RAW_MAX);
	reader->group = malloc(TW_SCHEMA_GROUP_MAX);
	return reader->parts && reader->text && reader->group ? 0 : -ENOMEM;
}

void format_reader__fini(struct format_reader *reader)
{
	tw_parts__free(reader->parts);
	free(reader->text);
	free(reader->group);
	*reader = (struct format_reader){ 0 };
}

bool format_reader__whole(struct format_reader *reader, const struct tw_frame_info *frame,
			  const struct tw_tlv_view *tlv, struct tw_tlv_view *ret)
{
	struct tw_part_view part;

	if (tlv->type != TW_TLV_PART) {
		*ret = *tlv;
		return true;
	}
	return tw_part__parse(tlv, &part) && part.inner_type != TW_TLV_EVENT &&
	       tw_parts__add(reader->parts, frame->stream_id, frame->channel, &part, ret) == TW_PARTS_WHOLE;
}

static void refuse(struct refused_formats *refused, const struct tw_error *why)
{
	if (!refused->n++)
		refused->why = *why;
}

bool format_reader__open(struct format_reader *reader, const struct tw_schema_view *record, struct format_texts *ret,
			 struct refused_formats *refused)
{
	struct tw_error why;

	*ret = (struct format_texts){ .single = *record, .has_single = record->kind != TW_SCHEMA_GROUP };
	if (ret->has_single || !tw_schema_group__expand(record, reader->group, TW_SCHEMA_GROUP_MAX, &ret->group, &why))
		return true;
	refuse(refused, &why);
	return false;
}

bool format_reader__next(struct format_texts *texts, struct tw_schema_view *ret)
{
	if (!texts->has_single)
		return tw_schema_group__next(&texts->group, ret);
	*ret = texts->single;
	texts->has_single = false;
	return true;
}

void format_reader__add(struct format_reader *reader, const struct tw_schema_view *view, struct tw_schema *schema,
			struct refused_formats *refused)
{
	struct tw_schema_text text;
	struct tw_error why;

	if (view->kind != TW_SCHEMA_EVENT)
		return;
	if (tw_schema_text__expand(view, reader->text, TW_SCHEMA_RAW_MAX, &text, &why) ||
	    tw_schema__add(schema, text.system, text.text, text.len, NULL, &why))
		refuse(refused, &why);
}

void format_reader__host(const struct tw_tlv_view *tlv, struct tw_schema *schema)
{
	struct tw_cursor list = { .at = tlv->value, .left = tlv->len };
	struct tw_attr_view attr;
	uint64_t number;

	while (tw_host__next(&list, &attr)) {
		if (attr.attr == TW_HOST_MACHINE)
			tw_schema__set_machine(schema, tw_machine__of((const char *)attr.value, attr.len));
		if (attr.attr != TW_HOST_LONG_SIZE || attr.len != sizeof(number))
			continue;
		number = tw_load_be64(attr.value);
		if (number == 4 || number == 8)
			tw_schema__set_long_size(schema, (uint8_t)number);
	}
}
