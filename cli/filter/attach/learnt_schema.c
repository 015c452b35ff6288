/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/attach/learnt_schema.h"

#include <stdlib.h>

#include "cli/filter/format_reader.h"

#define TEXTS_MAX (TW_SCHEMA_FORMATS_MAX + 16) /* with header_page and the like */

struct schema_learner {
	struct format_reader reader;
	uint64_t frames;
	struct learnt_schema learnt[LEARNT_SCHEMAS_MAX];
};

struct schema_learner *schema_learner__new(void)
{
	struct schema_learner *learner = calloc(1, sizeof(*learner));

	if (!learner || !format_reader__init(&learner->reader))
		return learner;
	schema_learner__free(learner);
	return NULL;
}

static void forget(struct learnt_schema *learnt)
{
	tw_schema__free(learnt->schema);
	free(learnt->seen);
	*learnt = (struct learnt_schema){ 0 };
}

void schema_learner__free(struct schema_learner *learner)
{
	if (!learner)
		return;
	for (size_t i = 0; i < LEARNT_SCHEMAS_MAX; i++)
		forget(&learner->learnt[i]);
	format_reader__fini(&learner->reader);
	free(learner);
}

static void refuse(struct learnt_schema *learnt, const struct tw_error *why)
{
	if (!learnt->refused++)
		learnt->why = *why;
}

/* Return: whether this text is new. One that contradicts what was said of the schema before is none. */
static bool note(struct learnt_schema *learnt, const struct tw_schema_view *view)
{
	if (!learnt->total && view->total && view->total <= TEXTS_MAX) {
		learnt->seen = calloc(view->total / 8 + 1, 1);
		learnt->total = learnt->seen ? view->total : 0;
	}
	if (view->total != learnt->total || view->index >= learnt->total ||
	    learnt->seen[view->index / 8] & (1u << view->index % 8))
		return false;
	learnt->seen[view->index / 8] |= (uint8_t)(1u << view->index % 8);
	learnt->n++;
	return true;
}

static void take_text(struct schema_learner *learner, struct learnt_schema *learnt, const struct tw_tlv_view *tlv)
{
	struct tw_schema_view view;
	struct tw_error why;

	if (!tw_schema_tlv__parse(tlv, &view) || !note(learnt, &view) || view.kind != TW_SCHEMA_EVENT)
		return;
	if (format_reader__add(&learner->reader, &view, learnt->schema, &why))
		refuse(learnt, &why);
}

/* What is complete has been handed out and stays as it is; so do repetitions cost little. */
static void take_tlv(struct schema_learner *learner, struct learnt_schema *learnt, const struct tw_frame_info *frame,
		     const struct tw_tlv_view *tlv)
{
	struct tw_tlv_view whole;

	if (!format_reader__whole(&learner->reader, frame, tlv, &whole))
		return;
	if (whole.type == TW_TLV_SCHEMA) {
		take_text(learner, learnt, &whole);
	} else if (whole.type == TW_TLV_HOST) {
		learnt->has_host = true;
		format_reader__host(&whole, learnt->schema);
	}
}

/* The place of a schema: its own, a free one, or that of the one that was longest not heard of. */
static struct learnt_schema *place_of(struct schema_learner *learner, const struct tw_frame_info *frame)
{
	struct learnt_schema *oldest = &learner->learnt[0];

	for (size_t i = 0; i < LEARNT_SCHEMAS_MAX; i++) {
		struct learnt_schema *learnt = &learner->learnt[i];

		if (learnt->schema && learnt->id == frame->schema_id && learnt->stream_id == frame->stream_id)
			return learnt;
		if (learnt->heard < oldest->heard)
			oldest = learnt;
	}
	forget(oldest);
	*oldest = (struct learnt_schema){
		.stream_id = frame->stream_id,
		.id = frame->schema_id,
		.big_endian = frame->flags & TW_FLAG_BODY_BE,
		.schema = tw_schema__new(),
	};
	return oldest->schema ? oldest : NULL;
}

const struct learnt_schema *schema_learner__take(struct schema_learner *learner, const void *frame, size_t len,
						 struct tw_frame_info *ret_info)
{
	struct learnt_schema *learnt;
	enum tw_frame_status status;
	struct tw_cursor tlvs;
	struct tw_tlv_view tlv;

	if (tw_frame__parse(frame, len, ret_info, &tlvs) != TW_FRAME_OK || ret_info->channel != TW_CHANNEL_CONTROL ||
	    !ret_info->schema_id)
		return NULL;
	learnt = place_of(learner, ret_info);
	if (!learnt)
		return NULL;
	learnt->heard = ++learner->frames;
	while (!learnt->complete && tw_cursor__next_tlv(&tlvs, &tlv, &status))
		take_tlv(learner, learnt, ret_info, &tlv);
	learnt->complete = learnt->total && learnt->n == learnt->total && learnt->has_host;
	return learnt;
}
