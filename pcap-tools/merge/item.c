/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames taken apart: one item at a time. */
#include "pcap-tools/merge/out.h"

static int merge__emit_event(struct tw_merge *m, struct tw_merge_stream *s, const struct tw_held *held, uint64_t seq)
{
	const uint64_t time = held->item.time;
	const bool late = tw_out__is_late(m, s, time);
	const struct tw_merged out = {
		.stream_id = s->id,
		.time = time,
		.head = held->data,
		.body = held->item.tlv,
		.body_len = held->item.len,
		.seq = seq,
		.base_time = time,
		.delivered = 1,
		.events = 1,
		.flags = (uint8_t)(held->info.flags | (late ? TW_FLAG_LATE : 0)),
		.is_event = true,
		.at_base = true,
	};

	s->stats.late += late;
	return tw_out__emit(m, s, &out);
}

/* LOST, pieces of what is too large, and whatever else stood between the events. */
static int merge__emit_other(struct tw_merge *m, struct tw_merge_stream *s, const struct tw_held *held, uint64_t seq)
{
	const struct tw_item *item = &held->item;
	const bool own_time = item->type == TW_TLV_LOST;
	const struct tw_merged out = {
		.stream_id = s->id,
		.time = item->time,
		.head = held->data,
		.body = item->tlv,
		.body_len = item->len,
		.seq = seq,
		.base_time = own_time ? item->time : held->info.base_time,
		.delivered = item->numbered,
		.events = item->numbered,
		.flags = held->info.flags,
		.has_lost = item->type == TW_TLV_LOST,
		.at_base = own_time,
	};

	return tw_out__emit(m, s, &out);
}

static struct tw_tlv_view item__tlv(const struct tw_item *item)
{
	return (struct tw_tlv_view){
		.type = item->type,
		.value = item->tlv + sizeof(struct tw_tlv),
		.len = tw_load_be16(item->tlv + 2) - sizeof(struct tw_tlv),
	};
}

/* A piece of an event whose whole fits a frame. */
static bool item__is_piece(const struct tw_item *item, struct tw_part_view *ret)
{
	const struct tw_tlv_view tlv = item__tlv(item);

	return tw_part__parse(&tlv, ret) && ret->inner_type == TW_TLV_EVENT &&
	       ret->total >= sizeof(struct tw_event) - sizeof(struct tw_tlv) &&
	       ret->total <= TW_FRAME_MAX - sizeof(struct tw_frame_hdr) - sizeof(struct tw_tlv);
}

static void item__become(struct tw_item *item, uint8_t *buf, const struct tw_tlv_view *value)
{
	const uint32_t len = (uint32_t)(sizeof(struct tw_tlv) + value->len);

	item->type = TW_TLV_EVENT;
	item->tlv = buf;
	item->len = (uint32_t)tw_tlv__padded(len);
	tw_store_be16(buf, TW_TLV_EVENT);
	tw_store_be16(buf + 2, (uint16_t)len);
	memcpy(buf + sizeof(struct tw_tlv), value->value, value->len);
	memset(buf + len, 0, item->len - len + TW_HELD_SLACK);
}

/* The last piece becomes the event, if all others came; others become nothing. */
static void merge__join(struct tw_merge *m, struct tw_merge_stream *s, const struct tw_channel *c, struct tw_item *item)
{
	struct tw_part_view part;
	struct tw_tlv_view whole;

	if (!item__is_piece(item, &part))
		return;
	if (tw_parts__add(m->parts, s->id, c->id, &part, &whole) == TW_PARTS_WHOLE) {
		item__become(item, m->whole, &whole);
		return;
	}
	s->stats.incomplete += item->numbered;
	item->type = TW_TLV_PAD;
}

static void stream__note_lost(struct tw_merge_stream *s, struct tw_channel *c, const struct tw_held *held)
{
	const struct tw_tlv_view tlv = item__tlv(&held->item);
	struct tw_lost_view lost;

	if (!tw_lost__parse(&tlv, held->info.base_time, &lost))
		return;
	s->stats.shed += lost.where == TW_LOST_SHED ? lost.count : 0;
	s->stats.tx += lost.where == TW_LOST_TX ? lost.count : 0;
	if (!held->late && (lost.where == TW_LOST_SHED || lost.where == TW_LOST_TX))
		tw_channel__tell(c, lost.count);
}

int tw_item__out(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c)
{
	struct tw_held *held = c->head;
	struct tw_item *item = &held->item;
	const uint64_t seq = held->seq;

	if (item->numbered && !tw_channel__use_expected(c) && !tw_channel__use(c, 1)) {
		s->stats.duplicates++;
		return 0;
	}
	if (item->type == TW_TLV_PART)
		merge__join(m, s, c, item);
	switch (item->type) {
	case TW_TLV_EVENT:
		return merge__emit_event(m, s, held, seq);
	case TW_TLV_FILTERED:
		s->stats.filtered++;
		return 0;
	case TW_TLV_PAD:
		return 0;
	case TW_TLV_LOST:
		stream__note_lost(s, c, held);
		return merge__emit_other(m, s, held, seq);
	default:
		return merge__emit_other(m, s, held, seq);
	}
}
