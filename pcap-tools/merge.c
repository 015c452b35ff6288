/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pcap-tools/merge_heap.h"
#include "wire/parts.h"

#define MEMORY_DEFAULT (64u << 20)
#define WAIT_DEFAULT   1000000000ull
#define PARTS_BYTES    (4u << 20) /* of events in pieces, all streams together */
#define PARTS_COUNT    256
#define ID_PAGE        256 /* channel numbers of one page of the look-up table */

_Static_assert(TW_MERGE_SLACK <= TW_HELD_SLACK, "what the header promises");

struct stream {
	uint64_t id;
	struct tw_held *control, **control_end; /* not out yet, in the order in which they came */
	struct tw_channel **channels;
	size_t n_channels;
	struct tw_channel **by_id[65536 / ID_PAGE];
	struct tw_heap heap; /* of the channels that have something */
	uint64_t newest;     /* time of the newest watermark */
	uint64_t released;   /* everything up to here went out */
	uint64_t last;       /* time of the newest event that went out */
	bool moved;          /* a watermark came or began to hold: released is to be computed anew */
};

struct tw_merge {
	struct tw_merge_options options;
	struct tw_frame_pool pool;
	struct tw_parts *parts;
	struct stream *streams[TW_MERGE_STREAMS_MAX];
	size_t n_streams, n_channels;
	struct stream *latest; /* the one looked up last */
	struct tw_merge_stats stats;
	uint8_t whole[TW_FRAME_MAX + TW_HELD_SLACK]; /* an event put together */
};

int tw_merge__new(const struct tw_merge_options *options, struct tw_merge **ret, struct tw_error *err)
{
	const struct tw_parts_limits limits = { .bytes = PARTS_BYTES, .count = PARTS_COUNT };
	struct tw_merge *m = calloc(1, sizeof(*m));

	if (!m)
		goto no_memory;
	m->options = *options;
	if (!m->options.memory)
		m->options.memory = MEMORY_DEFAULT;
	if (!m->options.wait_ns)
		m->options.wait_ns = WAIT_DEFAULT;
	m->parts = tw_parts__new(&limits);
	if (!m->parts)
		goto no_memory;
	*ret = m;
	return 0;

no_memory:
	tw_merge__free(m);
	return tw_error__set(err, -ENOMEM, "merging events: no memory");
}

static void stream__free(struct stream *s, struct tw_frame_pool *pool)
{
	while (s->control) {
		struct tw_held *held = s->control;

		s->control = held->next;
		tw_frame_pool__give(pool, held);
	}
	for (size_t i = 0; i < s->n_channels; i++)
		tw_channel__free(s->channels[i], pool);
	for (size_t i = 0; i < sizeof(s->by_id) / sizeof(s->by_id[0]); i++)
		free(s->by_id[i]);
	tw_heap__fini(&s->heap);
	free(s->channels);
	free(s);
}

void tw_merge__free(struct tw_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n_streams; i++)
		stream__free(m->streams[i], &m->pool);
	tw_frame_pool__fini(&m->pool);
	tw_parts__free(m->parts);
	free(m);
}

static struct stream *merge__find_stream(const struct tw_merge *m, uint64_t id)
{
	if (m->latest && m->latest->id == id)
		return m->latest;
	for (size_t i = 0; i < m->n_streams; i++) {
		if (m->streams[i]->id == id)
			return m->streams[i];
	}
	return NULL;
}

/* Return: 0; -E2BIG beyond the limit, -ENOMEM. */
static int merge__stream(struct tw_merge *m, uint64_t id, struct stream **ret)
{
	struct stream *s = merge__find_stream(m, id);

	if (!s) {
		if (m->n_streams == TW_MERGE_STREAMS_MAX)
			return -E2BIG;
		s = calloc(1, sizeof(*s));
		if (!s)
			return -ENOMEM;
		s->id = id;
		s->control_end = &s->control;
		m->streams[m->n_streams++] = s;
	}
	m->latest = s;
	*ret = s;
	return 0;
}

static struct tw_channel *stream__find_channel(const struct stream *s, uint16_t id)
{
	struct tw_channel *const *page = s->by_id[id / ID_PAGE];

	return page ? page[id % ID_PAGE] : NULL;
}

/* Room in the tables for one more channel, of that number. */
static bool stream__grow(struct stream *s, uint16_t id)
{
	struct tw_channel **channels;

	if (!s->by_id[id / ID_PAGE])
		s->by_id[id / ID_PAGE] = calloc(ID_PAGE, sizeof(struct tw_channel *));
	if (!s->by_id[id / ID_PAGE] || !tw_heap__grow(&s->heap, s->n_channels + 1))
		return false;
	channels = realloc(s->channels, (s->n_channels + 1) * sizeof(struct tw_channel *));
	if (!channels)
		return false;
	s->channels = channels;
	return true;
}

/* Return: 0; -E2BIG beyond the limit, -ENOMEM. */
static int merge__channel(struct tw_merge *m, struct stream *s, uint16_t id, struct tw_channel **ret)
{
	struct tw_channel *c = stream__find_channel(s, id);

	if (!c) {
		if (m->n_channels == TW_MERGE_CHANNELS_MAX)
			return -E2BIG;
		c = stream__grow(s, id) ? tw_channel__new(id, m->options.from_start) : NULL;
		if (!c)
			return -ENOMEM;
		s->channels[s->n_channels++] = c;
		s->by_id[id / ID_PAGE][id % ID_PAGE] = c;
		m->n_channels++;
	}
	*ret = c;
	return 0;
}

static int merge__emit(struct tw_merge *m, const struct tw_merged *out)
{
	m->stats.frames_out++;
	return m->options.emit(m->options.ctx, out);
}

static int merge__emit_event(struct tw_merge *m, struct stream *s, const struct tw_held *held, uint64_t seq,
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
		m->stats.late++;
	else
		s->last = time;
	m->stats.events_out++;
	return merge__emit(m, &out);
}

/* LOST, pieces of what is too large, and whatever else stood between the events. */
static int merge__emit_other(struct tw_merge *m, const struct stream *s, const struct tw_held *held, uint64_t seq,
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

static int merge__emit_whole(struct tw_merge *m, struct stream *s, struct tw_held *held, uint64_t seq,
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

static int merge__emit_part(struct tw_merge *m, struct stream *s, struct tw_channel *c, struct tw_held *held,
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
static int merge__item_out(struct tw_merge *m, struct stream *s, struct tw_channel *c, struct tw_held *held)
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
		m->stats.filtered++;
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
static bool stream__control_due(const struct stream *s, uint64_t bound, uint64_t *ret_time)
{
	uint64_t time = s->control->info.base_time;

	if (s->heap.n && s->heap.entries[0].time <= bound)
		bound = s->heap.entries[0].time;
	else if (time > bound)
		return false;
	time = time < bound ? time : bound;
	*ret_time = time > s->last ? time : s->last;
	return true;
}

static int merge__control_out(struct tw_merge *m, struct stream *s, uint64_t bound)
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
		s->control = held->next;
		if (!s->control)
			s->control_end = &s->control;
		tw_frame_pool__give(&m->pool, held);
	}
	return code;
}

/* The top channel's items, as long as it stays the top and is not newer than the bound. */
static int merge__run_out(struct tw_merge *m, struct stream *s, uint64_t bound, size_t keep)
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
static int merge__release(struct tw_merge *m, struct stream *s, uint64_t bound, size_t keep)
{
	int code = merge__control_out(m, s, bound);

	while (!code && s->heap.n && s->heap.entries[0].time <= bound && m->pool.held_bytes > keep)
		code = merge__run_out(m, s, bound, keep);
	return code;
}

/* The oldest of all channels' watermarks; none holds the others up for longer than the wait. */
static uint64_t stream__bound(const struct stream *s, uint64_t wait_ns)
{
	const uint64_t floor = s->newest > wait_ns ? s->newest - wait_ns : 0;
	uint64_t bound = s->newest;

	for (size_t i = 0; i < s->n_channels; i++) {
		const uint64_t mark = s->channels[i]->mark > floor ? s->channels[i]->mark : floor;

		if (mark < bound)
			bound = mark;
	}
	return bound > s->released ? bound : s->released;
}

static int merge__watermark(struct tw_merge *m, struct stream *s, const struct tw_tlv_view *tlv)
{
	struct tw_watermark_view mark;
	uint64_t next_seq;
	uint16_t id;

	if (!tw_watermark__parse(tlv, &mark))
		return 0;
	s->moved = true;
	if (mark.time > s->newest)
		s->newest = mark.time;
	while (tw_watermark__next(&mark.channels, &id, &next_seq)) {
		struct tw_channel *c;
		int code;

		if (id == TW_CHANNEL_CONTROL)
			continue;
		code = merge__channel(m, s, id, &c);
		if (code == -ENOMEM)
			return code;
		if (code || !tw_channel__promise(c, mark.time, next_seq))
			m->stats.malformed++;
	}
	return 0;
}

/* Apply the watermarks in a frame; the bytes are the caller's. */
static int merge__watermarks(struct tw_merge *m, struct stream *s, struct tw_cursor tlvs)
{
	enum tw_frame_status status;
	struct tw_tlv_view tlv;
	int code = 0;

	while (!code && tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_WATERMARK)
			code = merge__watermark(m, s, &tlv);
	}
	return code;
}

static void merge__queue_control(struct tw_merge *m, struct stream *s, struct tw_held *held,
				 const struct tw_frame_content *content, bool whole)
{
	if (!content->items) {
		tw_frame_pool__give(&m->pool, held);
		return;
	}
	if (content->has_watermark || !whole)
		tw_held__strip(held);
	*s->control_end = held;
	s->control_end = &held->next;
}

static void merge__refuse(struct tw_merge *m, struct tw_held *held, uint32_t events)
{
	m->stats.malformed_events += events;
	tw_frame_pool__give(&m->pool, held);
}

/* Events past what the header has numbers for never go out. */
static uint32_t held__surplus(const struct tw_held *held, uint32_t events)
{
	return events > held->info.events ? events - held->info.events : 0;
}

static int merge__queue_events(struct tw_merge *m, struct stream *s, struct tw_held *held,
			       const struct tw_frame_content *content)
{
	struct tw_channel *c;
	int code = merge__channel(m, s, held->info.channel, &c);

	m->stats.events_in += content->events;
	if (code || !content->items || !tw_held__next(held)) {
		m->stats.malformed += code == -E2BIG;
		merge__refuse(m, held, content->events);
		return code == -ENOMEM ? code : 0;
	}
	s->moved |= c->n_marks > 0;
	switch (tw_channel__queue(c, held)) {
	case TW_QUEUED:
	case TW_QUEUED_LATE:
		m->stats.malformed_events += held__surplus(held, content->events);
		tw_heap__update(&s->heap, c);
		return 0;
	case TW_QUEUED_REPEAT:
		m->stats.duplicates += content->events;
		break;
	case TW_QUEUED_STALE:
		m->stats.stale++;
		m->stats.malformed_events += content->events;
		break;
	case TW_QUEUED_LIE:
		m->stats.malformed++;
		m->stats.malformed_events += content->events;
		break;
	}
	tw_frame_pool__give(&m->pool, held);
	return 0;
}

/* Memory is used up: the oldest of some stream go out early, until an eighth is free again. */
static int merge__force(struct tw_merge *m, struct stream *s)
{
	const size_t keep = m->options.memory - m->options.memory / 8;
	const uint64_t before = m->stats.events_out;
	int code = merge__release(m, s, UINT64_MAX, keep);

	for (size_t i = 0; i < m->n_streams && !code && m->pool.held_bytes > keep; i++)
		code = merge__release(m, m->streams[i], UINT64_MAX, keep);
	m->stats.forced += m->stats.events_out - before;
	return code;
}

static int merge__queue(struct tw_merge *m, struct stream *s, const struct tw_frame_info *info, const void *data,
			size_t len)
{
	struct tw_held *held = tw_frame_pool__take(&m->pool, info, data, len);
	const struct tw_cursor tlvs = {
		.at = (const uint8_t *)data + sizeof(struct tw_frame_hdr),
		.left = len - sizeof(struct tw_frame_hdr),
	};
	struct tw_frame_content content;
	int code = 0;

	if (!held)
		return -ENOMEM;
	content = tw_held__content(held);
	m->stats.malformed += content.broken || len < info->length ||
			      (info->source != TW_SOURCE_CONTROL && content.events != info->events);
	if (info->source == TW_SOURCE_CONTROL)
		merge__queue_control(m, s, held, &content, !content.broken && len == info->length);
	else
		code = merge__queue_events(m, s, held, &content);
	if (!code && content.has_watermark)
		code = merge__watermarks(m, s, tlvs);
	return code;
}

int tw_merge__frame(struct tw_merge *m, const void *data, size_t len)
{
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	struct stream *s;
	int code;
	const enum tw_frame_status status = tw_frame__parse(data, len, &info, &tlvs);

	if (status != TW_FRAME_OK && status != TW_FRAME_TRUNCATED) {
		m->stats.malformed++;
		return 0;
	}
	m->stats.frames++;
	code = merge__stream(m, info.stream_id, &s);
	if (code) {
		m->stats.malformed += code == -E2BIG;
		return code == -ENOMEM ? code : 0;
	}
	code = merge__queue(m, s, &info, data, sizeof(struct tw_frame_hdr) + tlvs.left);
	if (code)
		return code;
	if (s->moved)
		s->released = stream__bound(s, m->options.wait_ns);
	if (s->moved || (s->heap.n && s->heap.entries[0].time <= s->released)) {
		s->moved = false;
		code = merge__release(m, s, s->released, 0);
	}
	if (!code && m->pool.held_bytes > m->options.memory)
		code = merge__force(m, s);
	return code;
}

int tw_merge__flush(struct tw_merge *m)
{
	int code = 0;

	for (size_t i = 0; i < m->n_streams && !code; i++) {
		struct stream *s = m->streams[i];

		code = merge__release(m, s, UINT64_MAX, 0);
		for (size_t k = 0; k < s->n_channels; k++)
			tw_channel__settle(s->channels[k]);
	}
	return code;
}

static uint64_t stream__gaps(const struct stream *s)
{
	uint64_t gaps = 0;

	for (size_t i = 0; s && i < s->n_channels; i++)
		gaps += s->channels[i]->gaps;
	return gaps;
}

void tw_merge__stats(const struct tw_merge *m, struct tw_merge_stats *ret)
{
	*ret = m->stats;
	ret->held = m->pool.held_bytes;
	ret->gaps = 0;
	for (size_t i = 0; i < m->n_streams; i++)
		ret->gaps += stream__gaps(m->streams[i]);
}

uint64_t tw_merge__gaps(const struct tw_merge *m, uint64_t stream_id, uint16_t channel)
{
	const struct stream *s = merge__find_stream(m, stream_id);
	const struct tw_channel *c = s ? stream__find_channel(s, channel) : NULL;

	return c ? c->gaps : 0;
}

uint64_t tw_merge__stream_gaps(const struct tw_merge *m, uint64_t stream_id)
{
	return stream__gaps(merge__find_stream(m, stream_id));
}
