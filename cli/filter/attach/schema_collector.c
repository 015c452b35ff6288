/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/attach/schema_collector.h"

#include <stdlib.h>

#define TEXTS_MAX (TW_SCHEMA_FORMATS_MAX + 16) /* texts of one schema: formats, and header_page, header_event ... */

struct schema_collector {
	struct format_reader reader;
	uint64_t frames;
	struct collected_schema collected[COLLECTED_SCHEMAS_MAX];
};

struct schema_collector *schema_collector__new(void)
{
	struct schema_collector *collector = calloc(1, sizeof(*collector));

	if (!collector || !format_reader__init(&collector->reader))
		return collector;
	schema_collector__free(collector);
	return NULL;
}

static void forget(struct collected_schema *collected)
{
	tw_schema__free(collected->schema);
	free(collected->seen);
	*collected = (struct collected_schema){ 0 };
}

void schema_collector__free(struct schema_collector *collector)
{
	if (!collector)
		return;
	for (size_t i = 0; i < COLLECTED_SCHEMAS_MAX; i++)
		forget(&collector->collected[i]);
	format_reader__fini(&collector->reader);
	free(collector);
}

/* Notes that a text of the schema has arrived. Return: false if it arrived before, or if its index or total contradicts earlier texts. */
static bool note(struct collected_schema *collected, const struct tw_schema_view *view)
{
	if (!collected->total && view->total && view->total <= TEXTS_MAX) {
		collected->seen = calloc(view->total / 8 + 1, 1);
		collected->total = collected->seen ? view->total : 0;
	}
	if (view->total != collected->total || view->index >= collected->total ||
	    collected->seen[view->index / 8] & (1u << view->index % 8))
		return false;
	collected->seen[view->index / 8] |= (uint8_t)(1u << view->index % 8);
	collected->n++;
	return true;
}

/* Adds a record to a schema. Called only for incomplete schemas, so a stream that repeats its records costs little. */
static void take_tlv(struct schema_collector *collector, struct collected_schema *collected,
		     const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct tw_schema_view record, view;
	struct format_texts texts;
	struct tw_tlv_view whole;

	if (!format_reader__whole(&collector->reader, frame, tlv, &whole))
		return;
	if (whole.type == TW_TLV_SCHEMA) {
		if (!tw_schema_tlv__parse(&whole, &record) ||
		    !format_reader__open(&collector->reader, &record, &texts, &collected->refused))
			return;
		while (format_reader__next(&texts, &view))
			if (note(collected, &view))
				format_reader__add(&collector->reader, &view, collected->schema, &collected->refused);
	} else if (whole.type == TW_TLV_HOST) {
		collected->has_host = true;
		format_reader__host(&whole, collected->schema);
	}
}

/*
 * Return: the entry for the frame's stream and schema; NULL if there is no memory. If the entry does not exist yet, it is made in a free
 * place, or in place of the entry that has received no frame for the longest time.
 */
static struct collected_schema *place_of(struct schema_collector *collector, const struct tw_frame_info *frame)
{
	struct collected_schema *oldest = &collector->collected[0];

	for (size_t i = 0; i < COLLECTED_SCHEMAS_MAX; i++) {
		struct collected_schema *collected = &collector->collected[i];

		if (collected->schema && collected->id == frame->schema_id && collected->stream_id == frame->stream_id)
			return collected;
		if (collected->heard < oldest->heard)
			oldest = collected;
	}
	forget(oldest);
	*oldest = (struct collected_schema){
		.stream_id = frame->stream_id,
		.id = frame->schema_id,
		.big_endian = frame->flags & TW_FLAG_BODY_BE,
		.schema = tw_schema__new(),
	};
	return oldest->schema ? oldest : NULL;
}

const struct collected_schema *schema_collector__take(struct schema_collector *collector, const void *frame, size_t len,
						      struct tw_frame_info *ret_info)
{
	struct collected_schema *collected;
	enum tw_frame_status status;
	struct tw_cursor tlvs;
	struct tw_tlv_view tlv;

	if (tw_frame__parse(frame, len, ret_info, &tlvs) != TW_FRAME_OK || ret_info->channel != TW_CHANNEL_CONTROL ||
	    !ret_info->schema_id)
		return NULL;
	collected = place_of(collector, ret_info);
	if (!collected)
		return NULL;
	collected->heard = ++collector->frames;
	while (!collected->complete && tw_cursor__next_tlv(&tlvs, &tlv, &status))
		take_tlv(collector, collected, ret_info, &tlv);
	collected->complete = collected->total && collected->n == collected->total && collected->has_host;
	return collected;
}
