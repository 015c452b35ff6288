/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames that come out whole: what is in them is counted, nothing is taken apart. */
#include "pcap-tools/merge/out.h"

/* One piece of an event: they come in order. Return: whether it completes one of which all came */
static bool piece__take(struct tw_piece *piece, const struct tw_part_view *part)
{
	if (!part->offset)
		*piece = (struct tw_piece){ .id = part->id, .whole_so_far = true };
	else if (piece->id == part->id && part->offset + part->len <= piece->offset)
		return false; /* it came before */
	piece->whole_so_far &= piece->id == part->id && part->offset == piece->offset;
	piece->offset = part->offset + (uint32_t)part->len;
	return piece->whole_so_far && piece->offset == part->total;
}

/* Return: how many events end in this frame of which a piece is missing */
static uint32_t channel__incomplete(struct tw_channel *c, const struct tw_held *held)
{
	struct tw_cursor rest = held->rest;
	enum tw_frame_status status;
	struct tw_part_view part;
	struct tw_tlv_view tlv;
	uint32_t incomplete = 0;

	while (tw_cursor__next_tlv(&rest, &tlv, &status)) {
		if (tlv.type == TW_TLV_PART && tw_part__parse(&tlv, &part) && part.inner_type == TW_TLV_EVENT)
			incomplete += !piece__take(&c->piece, &part) && part.offset + part.len == part.total;
	}
	return incomplete;
}

/* What a frame's numbers are worth, none counted twice. */
struct worth {
	uint32_t fresh, damaged, filtered, incomplete;
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* A frame some of whose numbers came before is a rare thing, so its FILTERED count as those that did not. */
static struct worth channel__use_all(struct tw_channel *c, const struct tw_held *held)
{
	const uint32_t numbers = held->info.events, readable = least(held->content.events, numbers);
	struct worth worth = { .fresh = numbers ? tw_channel__use(c, numbers) : 0 };

	worth.filtered = least(held->content.filtered, worth.fresh);
	worth.damaged = least(numbers - readable, worth.fresh - worth.filtered);
	if (held->content.has_parts)
		worth.incomplete = least(channel__incomplete(c, held), worth.fresh - worth.filtered - worth.damaged);
	return worth;
}

int tw_whole__out(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c)
{
	struct tw_held *held = c->head;
	const struct tw_frame_content *content = &held->content;
	const uint32_t readable = least(content->events, held->info.events);
	const struct worth worth = channel__use_all(c, held);
	struct tw_merged out = {
		.stream_id = s->id,
		.time = held->info.base_time,
		.head = held->data,
		.body = held->data + sizeof(struct tw_frame_hdr),
		.body_len = content->len - sizeof(struct tw_frame_hdr),
		.seq = held->info.seq,
		.base_time = held->info.base_time,
		.delivered = worth.fresh - worth.damaged - worth.filtered - worth.incomplete,
		.events = held->info.events,
		.flags = held->info.flags,
		.has_lost = content->has_lost,
	};

	s->stats.filtered += worth.filtered;
	s->stats.damaged += worth.damaged;
	s->stats.incomplete += worth.incomplete;
	s->stats.duplicates += readable - (worth.fresh - worth.damaged);
	if (held->info.events && !worth.fresh)
		return 0;
	s->stats.shed += content->shed;
	s->stats.tx += content->tx;
	if (held->info.events && tw_out__is_late(m, s, out.time)) {
		out.flags |= TW_FLAG_LATE;
		s->stats.late += out.delivered;
	}
	return tw_out__emit(m, s, &out);
}
