/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames taken apart: one item at a time. */
#include "pcap-tools/merge/out.h"

static int merge__emit_event(struct tw_merge *m, struct tw_merge_stream *s, const struct tw_held *held, uint64_t seq,
			     const uint8_t *tlv, uint32_t len)
{
	const uint64_t time = held->item.time;
	const bool late = tw_out__is_late(m, s, time);
	const struct tw_merged out = {
		.stream_id = s->id,
		.time = time,
		.head = held->data,
		.body = tlv,
		.body_len = len,
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
static int merge__emit_other(struct tw_merge *m, struct tw_merge_stream *s, const struct tw_held *held, uint64_t seq,
			     bool numbered)
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
		.delivered = numbered,
		.events = numbered,
		.flags = held->info.flags,
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

/* An event in pieces whose whole fits a frame. */
static bool part__fits(const struct tw_part_view *part)
{
	return part->inner_type == TW_TLV_EVENT && part->total >= sizeof(struct tw_event) - sizeof(struct tw_tlv) &&
	       part->total <= TW_FRAME_MAX - sizeof(struct tw_frame_hdr) - sizeof(struct tw_tlv);
}

static int merge__emit_whole(struct tw_merge *m, struct tw_merge_stream *s, struct tw_held *held, uint64_t seq,
			     const struct tw_tlv_view *value)
{
	const uint32_t len = (uint32_t)(sizeof(struct tw_tlv) + value->len);
	const uint32_t padded = (uint32_t)tw_tlv__padded(len);

	tw_store_be16(m->whole, TW_TLV_EVENT);
	tw_store_be16(m->whole + 2, (uint16_t)len);
	memcpy(m->whole + sizeof(struct tw_tlv), value->value, value->len);
	memset(m->whole + len, 0, padded - len + TW_HELD_SLACK);
	return merge__emit_event(m, s, held, seq, m->whole, padded);
}

static int merge__emit_part(struct tw_merge *m, struct tw_merge_stream *s, const struct tw_channel *c,
			    struct tw_held *held, uint64_t seq)
{
	const struct tw_tlv_view tlv = item__tlv(&held->item);
	struct tw_part_view part;
	struct tw_tlv_view whole;

	if (!tw_part__parse(&tlv, &part) || !part__fits(&part))
		return merge__emit_other(m, s, held, seq, held->item.numbered);
	if (tw_parts__add(m->parts, s->id, c->id, &part, &whole) == TW_PARTS_WHOLE)
		return merge__emit_whole(m, s, held, seq, &whole);
	s->stats.incomplete += held->item.numbered;
	return 0;
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
	const struct tw_item *item = &held->item;
	const uint64_t seq = held->seq;

	if (item->numbered && !tw_channel__use(c, 1)) {
		s->stats.duplicates++;
		return 0;
	}
	switch (item->type) {
	case TW_TLV_EVENT:
		return merge__emit_event(m, s, held, seq, item->tlv, item->len);
	case TW_TLV_FILTERED:
		s->stats.filtered++;
		return 0;
	case TW_TLV_PART:
		return merge__emit_part(m, s, c, held, seq);
	case TW_TLV_LOST:
		stream__note_lost(s, c, held);
		return merge__emit_other(m, s, held, seq, false);
	default:
		return merge__emit_other(m, s, held, seq, false);
	}
}
