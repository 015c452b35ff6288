/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "pcap-tools/merge/state.h"

static int merge__watermark(struct tw_merge *m, struct tw_merge_stream *s, const struct tw_tlv_view *tlv)
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

		if (id == TW_CHANNEL_CONTROL) {
			s->control_marked = true;
			s->control_mark = mark.time > s->control_mark ? mark.time : s->control_mark;
			continue;
		}
		code = tw_merge__channel(m, s, id, &c);
		if (code == -ENOMEM)
			return code;
		if (code || !tw_channel__promise(c, mark.time, next_seq))
			m->stats.malformed++;
	}
	return 0;
}

/* Apply the watermarks in a frame; the bytes are the caller's. */
static int merge__watermarks(struct tw_merge *m, struct tw_merge_stream *s, struct tw_cursor tlvs)
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

/* Return: false if the number cannot be */
static bool numbers__see(struct tw_merge_numbers *n, uint64_t seq)
{
	const uint64_t back = n->next - 1 - seq, ahead = seq - n->next;

	if (!n->known) {
		*n = (struct tw_merge_numbers){ .next = seq + 1, .recent = UINT64_MAX, .known = true };
	} else if (seq < n->next) {
		if (back < 64 && !(n->recent >> back & 1)) {
			n->recent |= 1ull << back;
			n->gaps--;
		}
	} else if (ahead < TW_CHANNEL_JUMP) {
		n->recent = ahead < 63 ? n->recent << (ahead + 1) | 1 : 1;
		n->gaps += ahead;
		n->next = seq + 1;
	} else {
		return false;
	}
	return true;
}

static void merge__queue_control(struct tw_merge *m, struct tw_merge_stream *s, struct tw_held *held,
				 const struct tw_frame_content *content, bool whole)
{
	m->stats.malformed += !numbers__see(&s->control_numbers, held->info.seq);
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

static int merge__queue_events(struct tw_merge *m, struct tw_merge_stream *s, struct tw_held *held,
			       const struct tw_frame_content *content)
{
	struct tw_channel *c;
	int code = tw_merge__channel(m, s, held->info.channel, &c);

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

static int merge__queue(struct tw_merge *m, struct tw_merge_stream *s, const struct tw_frame_info *info,
			const void *data, size_t len)
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
	struct tw_merge_stream *s;
	int code;
	const enum tw_frame_status status = tw_frame__parse(data, len, &info, &tlvs);

	if (status != TW_FRAME_OK && status != TW_FRAME_TRUNCATED) {
		m->stats.malformed++;
		return 0;
	}
	m->stats.frames++;
	code = tw_merge__stream(m, info.stream_id, &s);
	if (code) {
		m->stats.malformed += code == -E2BIG;
		return code == -ENOMEM ? code : 0;
	}
	code = merge__queue(m, s, &info, data, sizeof(struct tw_frame_hdr) + tlvs.left);
	if (code)
		return code;
	code = tw_merge__release(m, s);
	return code ? code : tw_merge__relieve(m, s);
}
