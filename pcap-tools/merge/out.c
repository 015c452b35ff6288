/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/merge_impl.h"
#include "wire/encode.h"

_Static_assert(TW_MERGE_SLACK <= TW_QUEUED_FRAME_SLACK, "merge.h permits reads of TW_MERGE_SLACK bytes after a body");

/*
 * Stores @time, the time of the event or frame that is emitted now.
 * Return: whether something newer was emitted before: by this stream, or with one_order by any stream. Streams that are ahead are compared
 * only with streams that are ahead, and the other streams only with each other.
 */
static inline bool out__is_late(struct tw_merge *m, struct tw_merge_stream *s, uint64_t time)
{
	const uint64_t common = m->options.one_order ? tw_order__time(s, time) : 0;
	uint64_t *last = tw_order__is_ahead(m, common) ? &m->last_ahead : &m->last;
	const bool late = m->options.one_order ? common < *last : time < s->last;

	if (time > s->last)
		s->last = time;
	if (common > *last)
		*last = common;
	return late;
}

/* Passes a frame on to the caller of the merge, and updates the counters of its stream. */
static inline int out__emit(struct tw_merge *m, struct tw_merge_stream *s, const struct tw_merged *out)
{
	s->stats.frames_out++;
	s->stats.events_out += out->delivered;
	if (m->forcing)
		s->stats.forced += out->delivered;
	return m->options.emit(m->options.ctx, out);
}

/* Emits a LOST for a gap. @head: header of a frame of the channel; @seq: the channel's next number */
static int out__emit_hole(struct tw_merge *m, struct tw_merge_stream *s, struct tw_merge_hole hole, const uint8_t *head,
			  uint64_t seq, uint64_t time)
{
	const struct tw_merged out = {
		.stream_id = s->id,
		.time = time,
		.last = time,
		.frame_time = time,
		.head = head,
		.body = m->hole,
		.body_len = sizeof(struct tw_lost),
		.seq = seq,
		.base_time = time,
		.flags = head[offsetof(struct tw_frame_hdr, flags)],
		.at_base = true,
	};

	if (!m->options.report_gaps || !hole.count)
		return 0;
	tw_store_be16(m->hole, TW_TLV_LOST);
	tw_store_be16(m->hole + offsetof(struct tw_lost, tlv.length), sizeof(struct tw_lost));
	tw_store_be16(m->hole + offsetof(struct tw_lost, where), hole.receiver ? TW_LOST_RECEIVER : TW_LOST_WIRE);
	tw_store_be64(m->hole + offsetof(struct tw_lost, count), hole.count);
	return out__emit(m, s, &out);
}

static int out__hole(struct tw_merge *m, struct tw_merge_stream *s, struct tw_merge_channel *c)
{
	const struct tw_queued_frame *frame = c->head;
	const struct tw_merge_hole hole = tw_merge_channel__give_up(c, frame->seq, frame->dropped);

	return out__emit_hole(m, s, hole, frame->data, frame->seq, frame->item.time);
}

/* Without packed mode: frames are taken apart, and emitted one item at a time. */

/* Emits an event, a LOST, a piece of a value that is too large for a frame, or another record between events. */
static int out__emit_item(struct tw_merge *m, struct tw_merge_stream *s, const struct tw_queued_frame *frame,
			  uint64_t seq)
{
	const struct tw_merge_item *item = &frame->item;
	const bool is_event = item->type == TW_TLV_EVENT, is_lost = item->type == TW_TLV_LOST;
	const bool has_time = is_event || is_lost, is_late = is_event && out__is_late(m, s, item->time);
	const uint16_t events = is_event || item->numbered;
	const struct tw_merged out = {
		.stream_id = s->id,
		.time = item->time,
		.last = item->time,
		.frame_time = frame->info.base_time,
		.packet = frame->packet,
		.head = frame->data,
		.body = item->tlv,
		.body_len = item->len,
		.seq = seq,
		.base_time = has_time ? item->time : frame->info.base_time,
		.delivered = events,
		.events = events,
		.flags = (uint8_t)(frame->info.flags | (is_late ? TW_FLAG_LATE : 0)),
		.is_event = is_event,
		.has_lost = is_lost,
		.at_base = has_time,
	};

	s->stats.late += is_late;
	return out__emit(m, s, &out);
}

static struct tw_tlv_view item__tlv(const struct tw_merge_item *item)
{
	return (struct tw_tlv_view){
		.type = item->type,
		.value = item->tlv + sizeof(struct tw_tlv),
		.len = tw_load_be16(item->tlv + 2) - sizeof(struct tw_tlv),
	};
}

/* Whether an item is a piece of an event that fits a frame after reassembly. */
static bool item__is_piece(const struct tw_merge_item *item, struct tw_part_view *ret)
{
	const struct tw_tlv_view tlv = item__tlv(item);

	return tw_part__parse(&tlv, ret) && ret->inner_type == TW_TLV_EVENT &&
	       ret->total >= sizeof(struct tw_event) - sizeof(struct tw_tlv) &&
	       ret->total <= TW_FRAME_MAX - sizeof(struct tw_frame_hdr) - sizeof(struct tw_tlv);
}

static void item__become(struct tw_merge_item *item, uint8_t *buf, const struct tw_tlv_view *value)
{
	const uint32_t len = (uint32_t)(sizeof(struct tw_tlv) + value->len);

	item->type = TW_TLV_EVENT;
	item->tlv = buf;
	item->len = (uint32_t)tw_tlv__padded(len);
	tw_store_be16(buf, TW_TLV_EVENT);
	tw_store_be16(buf + 2, (uint16_t)len);
	memcpy(buf + sizeof(struct tw_tlv), value->value, value->len);
	memset(buf + len, 0, item->len - len + TW_QUEUED_FRAME_SLACK);
}

/* Turns the last piece of an event into the event, if all other pieces have arrived. Any other piece becomes a PAD, and is not emitted. */
static void out__reassemble(struct tw_merge *m, struct tw_merge_stream *s, const struct tw_merge_channel *c,
			    struct tw_merge_item *item)
{
	struct tw_part_view part;
	struct tw_tlv_view whole;

	if (!item__is_piece(item, &part))
		return;
	if (tw_parts__add(m->parts, s->id, c->id, &part, &whole) == TW_PARTS_WHOLE) {
		item__become(item, m->reassembled, &whole);
		return;
	}
	s->stats.incomplete += item->numbered;
	item->type = TW_TLV_PAD;
}

static void stream__note_lost(struct tw_merge_stream *s, struct tw_merge_channel *c,
			      const struct tw_queued_frame *frame)
{
	const struct tw_tlv_view tlv = item__tlv(&frame->item);
	struct tw_lost_view lost;

	if (!tw_lost__parse(&tlv, frame->info.base_time, &lost))
		return;
	s->stats.shed += lost.where == TW_LOST_SHED ? lost.count : 0;
	s->stats.tx += lost.where == TW_LOST_TX ? lost.count : 0;
	if (!frame->fills_gap && (lost.where == TW_LOST_SHED || lost.where == TW_LOST_TX))
		tw_merge_channel__report_lost(c, lost.count);
}

static int out__item(struct tw_merge *m, struct tw_merge_stream *s, struct tw_merge_channel *c)
{
	struct tw_queued_frame *frame = c->head;
	struct tw_merge_item *item = &frame->item;
	const uint64_t seq = frame->seq;

	if (item->numbered && !tw_merge_channel__use_expected(c) && !tw_merge_channel__use(c, 1)) {
		s->stats.duplicates++;
		return 0;
	}
	if (item->type == TW_TLV_PART)
		out__reassemble(m, s, c, item);
	if (item->type == TW_TLV_LOST)
		stream__note_lost(s, c, frame);
	s->stats.filtered += item->type == TW_TLV_FILTERED;
	return item->type == TW_TLV_FILTERED || item->type == TW_TLV_PAD ? 0 : out__emit_item(m, s, frame, seq);
}

/* Packed mode: the items of a frame are counted, and the frame is emitted whole. */

/* Notes one piece of an event; pieces must be in order. Return: whether it completes an event of which all pieces arrived */
static bool piece__take(struct tw_merge_pieces *piece, const struct tw_part_view *part)
{
	if (!part->offset)
		*piece = (struct tw_merge_pieces){ .id = part->id, .whole_so_far = true };
	else if (piece->id == part->id && part->offset + part->len <= piece->offset)
		return false; /* the piece arrived before */
	piece->whole_so_far &= piece->id == part->id && part->offset == piece->offset;
	piece->offset = part->offset + (uint32_t)part->len;
	return piece->whole_so_far && piece->offset == part->total;
}

/* Return: number of events that end in this frame and lack a piece */
static uint32_t channel__incomplete(struct tw_merge_channel *c, const struct tw_queued_frame *frame)
{
	struct tw_cursor rest = frame->rest;
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

/* How many numbers of a frame are new, and how many of the new numbers are damaged, FILTERED or of incomplete events. */
struct worth {
	uint32_t fresh, damaged, filtered, incomplete;
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* If only some numbers of a frame are new, which is rare, FILTERED events with repeated numbers may count as new, too. */
static struct worth channel__use_all(struct tw_merge_channel *c, const struct tw_queued_frame *frame)
{
	const uint32_t numbers = frame->info.events, readable = least(frame->content.events, numbers);
	struct worth worth = { .fresh = numbers ? tw_merge_channel__use(c, numbers) : 0 };

	worth.filtered = least(frame->content.filtered, worth.fresh);
	worth.damaged = least(numbers - readable, worth.fresh - worth.filtered);
	if (frame->content.has_parts)
		worth.incomplete = least(channel__incomplete(c, frame), worth.fresh - worth.filtered - worth.damaged);
	return worth;
}

static int out__packed(struct tw_merge *m, struct tw_merge_stream *s, struct tw_merge_channel *c)
{
	struct tw_queued_frame *frame = c->head;
	const struct tw_queued_frame_content *content = &frame->content;
	const uint32_t readable = least(content->events, frame->info.events);
	const struct worth worth = channel__use_all(c, frame);
	struct tw_merged out = {
		.stream_id = s->id,
		.time = frame->info.base_time,
		.last = content->last,
		.frame_time = frame->info.base_time,
		.packet = frame->packet,
		.head = frame->data,
		.body = frame->data + sizeof(struct tw_frame_hdr),
		.body_len = content->len - sizeof(struct tw_frame_hdr),
		.seq = frame->info.seq,
		.base_time = frame->info.base_time,
		.delivered = worth.fresh - worth.damaged - worth.filtered - worth.incomplete,
		.events = frame->info.events,
		.flags = frame->info.flags,
		.has_lost = content->has_lost,
	};

	s->stats.filtered += worth.filtered;
	s->stats.damaged += worth.damaged;
	s->stats.incomplete += worth.incomplete;
	s->stats.duplicates += readable - (worth.fresh - worth.damaged);
	if (frame->info.events && !worth.fresh)
		return 0;
	s->stats.shed += content->shed;
	s->stats.tx += content->tx;
	if (frame->info.events && out__is_late(m, s, out.time)) {
		out.flags |= TW_FLAG_LATE;
		s->stats.late += out.delivered;
	}
	return out__emit(m, s, &out);
}

static int out__head(struct tw_merge *m, struct tw_merge_stream *s, struct tw_merge_channel *c)
{
	struct tw_queued_frame *frame = c->head;
	const bool packed = m->options.packed;
	int err = 0;

	if (packed && !frame->fills_gap)
		tw_merge_channel__report_lost(c, frame->content.lost_before);
	if (tw_merge_channel__has_hole(c) && (packed ? frame->info.events : frame->item.numbered))
		err = out__hole(m, s, c);
	if (err)
		return err;
	frame->started = c->begun = true;
	return packed ? out__packed(m, s, c) : out__item(m, s, c);
}

static int out__rest(struct tw_merge *m, struct tw_merge_stream *s, struct tw_merge_channel *c)
{
	const uint64_t left = tw_queued_frame__end(c->head) - c->head->seq;
	int err = 0;

	if (!left)
		return 0;
	if (tw_merge_channel__has_hole(c))
		err = out__hole(m, s, c);
	s->stats.damaged += tw_merge_channel__use(c, (uint32_t)left);
	return err;
}

int tw_out__next(struct tw_merge *m, struct tw_merge_stream *s, struct tw_merge_channel *c)
{
	int err = out__head(m, s, c);

	if (err || (!m->options.packed && tw_queued_frame__next(c->head)))
		return err;
	err = out__rest(m, s, c);
	tw_frame_pool__give(&m->pool, tw_merge_channel__drop_head(c));
	return err;
}

int tw_out__control(struct tw_merge *m, struct tw_merge_stream *s, uint64_t time)
{
	struct tw_queued_frame *frame = s->control;
	const struct tw_merged out = {
		.stream_id = s->id,
		.time = time,
		.last = time,
		.frame_time = frame->info.base_time,
		.packet = frame->packet,
		.head = frame->data,
		.body = frame->data + sizeof(struct tw_frame_hdr),
		.body_len = frame->info.length - sizeof(struct tw_frame_hdr),
		.is_control = true,
	};
	const int err = out__emit(m, s, &out);

	s->last_control = time;
	s->control = frame->next;
	if (!s->control)
		s->control_end = &s->control;
	tw_frame_pool__give(&m->pool, frame);
	return err;
}

static int out__announced(struct tw_merge *m, struct tw_merge_stream *s, struct tw_merge_channel *c)
{
	const uint64_t last = tw_time__later(s->last, s->last_control);
	struct tw_merge_hole hole;

	if (!c->numbers.known || c->announced <= c->numbers.next ||
	    c->announced > c->numbers.next + TW_STREAM_CHANNEL_JUMP_MAX)
		return 0;
	c->last.stream_id = s->id;
	tw_frame_hdr__emit(m->hole_head, &c->last);
	hole = tw_merge_channel__give_up(c, c->announced, c->announced_dropped);
	return out__emit_hole(m, s, hole, m->hole_head, c->numbers.next, last ? last : s->newest);
}

int tw_out__end(struct tw_merge *m, struct tw_merge_stream *s)
{
	int err = 0;

	for (size_t i = 0; i < s->n_channels && !err; i++)
		err = out__announced(m, s, s->channels[i]);
	return err;
}
