/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pcap-tools/merge/state.h"

_Static_assert(TW_MERGE_SLACK <= TW_HELD_SLACK, "what the header promises");

static int merge__emit(struct tw_merge *m, const struct tw_merged *out)
{
	m->stats.frames_out++;
	return m->options.emit(m->options.ctx, out);
}

static int merge__emit_event(struct tw_merge *m, struct tw_merge_stream *s, const struct tw_held *held, uint64_t seq,
			     const uint8_t *tlv, uint32_t len)
{
	const uint64_t time = held->item.time;
	const bool late = time < s->last;
	const struct tw_merged out = {
		.stream_id = s->id,
		.time = time,
		.head = held->data,
		.body = tlv,
		.body_len = len,
		.seq = seq,
		.base_time = time,
		.events = 1,
		.flags = (uint8_t)(held->info.flags | (late ? TW_FLAG_LATE : 0)),
		.is_event = true,
		.at_base = true,
	};

	if (late)
		s->late++;
	else
		s->last = time;
	m->stats.events_out++;
	return merge__emit(m, &out);
}

/* LOST, pieces of what is too large, and whatever else stood between the events. */
static int merge__emit_other(struct tw_merge *m, const struct tw_merge_stream *s, const struct tw_held *held,
			     uint64_t seq, bool numbered)
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
		.events = numbered,
		.flags = held->info.flags,
		.at_base = own_time,
	};

	m->stats.events_out += numbered;
	return merge__emit(m, &out);
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
	const uint32_t padded = (len + 3) & ~3u;

	tw_store_be16(m->whole, TW_TLV_EVENT);
	tw_store_be16(m->whole + 2, (uint16_t)len);
	memcpy(m->whole + sizeof(struct tw_tlv), value->value, value->len);
	memset(m->whole + len, 0, padded - len + TW_HELD_SLACK);
	return merge__emit_event(m, s, held, seq, m->whole, padded);
}

static int merge__emit_part(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c, struct tw_held *held,
			    uint64_t seq, bool numbered)
{
	const struct tw_tlv_view tlv = {
		.type = TW_TLV_PART,
		.value = held->item.tlv + sizeof(struct tw_tlv),
		.len = tw_load_be16(held->item.tlv + 2) - sizeof(struct tw_tlv),
	};
	struct tw_part_view part;
	struct tw_tlv_view whole;

	if (!tw_part__parse(&tlv, &part) || !part__fits(&part))
		return merge__emit_other(m, s, held, seq, numbered);
	if (tw_parts__add(m->parts, s->id, c->id, &part, &whole) == TW_PARTS_WHOLE)
		return merge__emit_whole(m, s, held, seq, &whole);
	if (numbered) {
		m->stats.incomplete++;
		c->gaps++;
	}
	return 0;
}

/* The head's item goes out, is counted and gone, or is dropped. */
static int merge__item_out(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c, struct tw_held *held)
{
	const struct tw_item *item = &held->item;
	const uint64_t seq = held->seq;

	if (item->numbered && !tw_channel__use(c, held)) {
		m->stats.duplicates++;
		return 0;
	}
	held->started = c->begun = true;
	switch (item->type) {
	case TW_TLV_EVENT:
		return merge__emit_event(m, s, held, seq, item->tlv, item->len);
	case TW_TLV_FILTERED:
		s->filtered++;
		return 0;
	case TW_TLV_PART:
		return merge__emit_part(m, s, c, held, seq, item->numbered);
	default:
		return merge__emit_other(m, s, held, seq, false);
	}
}

/* To the channel's next item, over the ends of frames. */
static void merge__advance(struct tw_merge *m, struct tw_channel *c)
{
	if (tw_held__next(c->head))
		return;
	tw_frame_pool__give(&m->pool, tw_channel__drop_head(c));
}

/*
 * Whatever the date of a control frame, it precedes the events that are about to go out; without events it waits for its time.
 * Return: whether it goes out at a bound, and as of when.
 */
static bool stream__control_due(const struct tw_merge_stream *s, uint64_t bound, uint64_t *ret_time)
{
	uint64_t time = s->control->info.base_time;

	if (s->heap.n && s->heap.entries[0].time <= bound)
		bound = s->heap.entries[0].time;
	else if (time > bound)
		return false;
	time = time < bound ? time : bound;
	time = time > s->told ? time : s->told; /* one about the past may come behind one of now */
	*ret_time = time > s->last ? time : s->last;
	return true;
}

static int merge__control_out(struct tw_merge *m, struct tw_merge_stream *s, uint64_t bound)
{
	uint64_t time;
	int code = 0;

	while (s->control && !code && stream__control_due(s, bound, &time)) {
		struct tw_held *held = s->control;
		const struct tw_merged out = {
			.stream_id = s->id,
			.time = time,
			.head = held->data,
			.body = held->data + sizeof(struct tw_frame_hdr),
			.body_len = held->info.length - sizeof(struct tw_frame_hdr),
			.is_control = true,
		};

		code = merge__emit(m, &out);
		s->told = time;
		s->control = held->next;
		if (!s->control)
			s->control_end = &s->control;
		tw_frame_pool__give(&m->pool, held);
	}
	return code;
}

/* The top channel's items, as long as it stays the top and is not newer than the bound. */
static int merge__run_out(struct tw_merge *m, struct tw_merge_stream *s, uint64_t bound, size_t keep)
{
	const struct tw_heap_entry *second = tw_heap__second(&s->heap);
	struct tw_channel *c = s->heap.entries[0].channel;
	struct tw_heap_entry top;
	int code;

	do {
		code = merge__item_out(m, s, c, c->head);
		merge__advance(m, c);
		if (code || !c->head || m->pool.held_bytes <= keep)
			break;
		top = (struct tw_heap_entry){ .time = c->head->item.time, .channel = c };
	} while (top.time <= bound && (!second || tw_heap_entry__before(&top, second)));
	tw_heap__update(&s->heap, c);
	return code;
}

/* Everything up to @bound, or until no more than @keep bytes are held. */
static int merge__let_out(struct tw_merge *m, struct tw_merge_stream *s, uint64_t bound, size_t keep)
{
	int code = merge__control_out(m, s, bound);

	while (!code && s->heap.n && s->heap.entries[0].time <= bound && m->pool.held_bytes > keep)
		code = merge__run_out(m, s, bound, keep);
	return code;
}

/* The oldest of all channels' watermarks; none holds the others up for longer than the wait. */
static uint64_t stream__bound(const struct tw_merge_stream *s, uint64_t wait_ns)
{
	const uint64_t floor = s->newest > wait_ns ? s->newest - wait_ns : 0;
	uint64_t bound = s->newest;

	if (s->control_marked && s->control_mark < bound)
		bound = s->control_mark > floor ? s->control_mark : floor;
	for (size_t i = 0; i < s->n_channels; i++) {
		const uint64_t mark = s->channels[i]->mark > floor ? s->channels[i]->mark : floor;

		if (mark < bound)
			bound = mark;
	}
	return bound > s->released ? bound : s->released;
}

int tw_merge__release(struct tw_merge *m, struct tw_merge_stream *s)
{
	if (s->moved)
		s->released = stream__bound(s, m->options.wait_ns);
	else if (!s->heap.n || s->heap.entries[0].time > s->released)
		return 0;
	s->moved = false;
	return merge__let_out(m, s, s->released, 0);
}

int tw_merge__relieve(struct tw_merge *m, struct tw_merge_stream *s)
{
	const size_t keep = m->options.memory - m->options.memory / 8;
	const uint64_t before = m->stats.events_out;
	int code;

	if (m->pool.held_bytes <= m->options.memory)
		return 0;
	code = merge__let_out(m, s, UINT64_MAX, keep); /* until an eighth is free again */
	for (size_t i = 0; i < m->n_streams && !code && m->pool.held_bytes > keep; i++)
		code = merge__let_out(m, m->streams[i], UINT64_MAX, keep);
	m->stats.forced += m->stats.events_out - before;
	return code;
}

int tw_merge__flush(struct tw_merge *m)
{
	int code = 0;

	for (size_t i = 0; i < m->n_streams && !code; i++) {
		struct tw_merge_stream *s = m->streams[i];

		code = merge__let_out(m, s, UINT64_MAX, 0);
		for (size_t k = 0; k < s->n_channels; k++)
			tw_channel__settle(s->channels[k]);
	}
	return code;
}
