/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "pcap-tools/merge/merge_impl.h"

#define MEMORY_DEFAULT (64u << 20)
#define WAIT_DEFAULT   1000000000ull
#define RETIRE_DEFAULT 300000000000ull
#define PARTS_BYTES    (4u << 20) /* of events in pieces, all streams together */
#define PARTS_COUNT    256

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
	if (!m->options.retire_ns)
		m->options.retire_ns = RETIRE_DEFAULT;
	m->parts = tw_parts__new(&limits);
	if (!m->parts || !tw_heap__grow(&m->order, TW_STREAMS_LIVE_MAX) || tw_merge_streams__init(m))
		goto no_memory;
	*ret = m;
	return 0;

no_memory:
	tw_merge__free(m);
	return tw_error__set(err, -ENOMEM, "merging events: no memory");
}

void tw_merge__free(struct tw_merge *m)
{
	if (!m)
		return;
	tw_merge_streams__fini(m);
	tw_heap__fini(&m->order);
	tw_frame_pool__fini(&m->pool);
	tw_parts__free(m->parts);
	free(m);
}

/* A frame on its way in. */
struct incoming {
	struct tw_frame_info info;
	const uint8_t *data;
	size_t len; /* without padding of the link */
	struct tw_arrival arrival;
};

static int stream__watermark(struct tw_merge *m, struct tw_merge_stream *s, const struct tw_tlv_view *tlv,
			     uint64_t dropped)
{
	struct tw_watermark_view mark;
	uint64_t next_seq;
	uint16_t id;

	if (!tw_watermark__parse(tlv, &mark))
		return 0;
	s->moved = true;
	if (!s->newest)
		s->first = mark.time;
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
		code = tw_merge_streams__channel(m, s, id, &c);
		if (code == -ENOMEM)
			return code;
		if (code || !tw_channel__promise(c, mark.time, next_seq, dropped))
			s->stats.malformed++;
	}
	return 0;
}

/* Apply the watermarks in a frame, whose bytes are the caller's. */
static int stream__watermarks(struct tw_merge *m, struct tw_merge_stream *s, const struct incoming *in)
{
	struct tw_cursor tlvs = {
		.at = in->data + sizeof(struct tw_frame_hdr),
		.left = in->len - sizeof(struct tw_frame_hdr),
	};
	enum tw_frame_status status;
	struct tw_tlv_view tlv;
	int code = 0;

	while (!code && tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_WATERMARK)
			code = stream__watermark(m, s, &tlv, in->arrival.dropped);
	}
	return code;
}

/* Whether a frame has anything that is to come out. */
static bool merge__wants(const struct tw_merge *m, const struct tw_held *held)
{
	return held->content.items || (m->options.packed && held->content.has_watermark);
}

static void stream__queue_control(struct tw_merge *m, struct tw_merge_stream *s, struct tw_held *held)
{
	const struct tw_frame_content *content = &held->content;

	s->stats.malformed += !tw_numbers__see(&s->control_numbers, held->info.seq, &s->stats.control_gaps);
	if (!held->info.seq)
		tw_merge_streams__start(s, held->dropped);
	if (content->has_end && !s->stats.ended) {
		s->stats.ended = 1;
		s->stream->standing.ended = true;
		tw_across__look_again(m);
	}
	if (!merge__wants(m, held)) {
		tw_frame_pool__give(&m->pool, held);
		return;
	}
	if (content->broken || content->len != held->info.length || (content->has_watermark && !m->options.packed))
		tw_held__strip(held, !m->options.packed);
	*s->control_end = held;
	s->control_end = &held->next;
}

/* Events that have no number, or none that can be, never go out. */
static void stream__refuse(struct tw_merge *m, struct tw_merge_stream *s, struct tw_held *held, bool is_malformed)
{
	s->stats.malformed += is_malformed;
	s->stats.malformed_events += held->content.events;
	tw_frame_pool__give(&m->pool, held);
}

static void stream__taken(struct tw_merge_stream *s, struct tw_channel *c, const struct tw_held *held)
{
	if (held->content.events > held->info.events)
		s->stats.malformed_events += held->content.events - held->info.events;
	tw_heap__put(&s->heap, &c->node, c->head->item.time);
}

static void stream__queue_in(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c, struct tw_held *held)
{
	s->moved |= c->n_marks > 0;
	switch (tw_channel__queue(c, held)) {
	case TW_QUEUED:
	case TW_QUEUED_LATE:
		stream__taken(s, c, held);
		return;
	case TW_QUEUED_REPEAT:
		s->stats.duplicates += held->content.events;
		tw_frame_pool__give(&m->pool, held);
		return;
	case TW_QUEUED_STALE:
		s->stats.stale++;
		stream__refuse(m, s, held, false);
		return;
	case TW_QUEUED_LIE:
		stream__refuse(m, s, held, true);
		return;
	}
}

static int stream__queue_events(struct tw_merge *m, struct tw_merge_stream *s, struct tw_held *held)
{
	struct tw_channel *c;
	const int code = tw_merge_streams__channel(m, s, held->info.channel, &c);

	if (code) {
		m->stats.refused += code == -ENOSPC;
		m->stats.refused_events += code == -ENOSPC ? held->content.events : 0;
		tw_frame_pool__give(&m->pool, held);
		return code == -ENOSPC ? 0 : code;
	}
	s->stats.events_in += held->content.events;
	if (!merge__wants(m, held) || (!m->options.packed && !tw_held__next(held)))
		stream__refuse(m, s, held, false);
	else
		stream__queue_in(m, s, c, held);
	return 0;
}

/* Control frames are changed, and the last bytes of an odd one are padded. */
static struct tw_loan *loan_of(const struct incoming *in)
{
	return in->info.source == TW_SOURCE_CONTROL || in->len % 4 ? NULL : in->arrival.loan;
}

static int stream__queue(struct tw_merge *m, struct tw_merge_stream *s, const struct incoming *in)
{
	struct tw_held *held = tw_frame_pool__take(&m->pool, &in->info, in->data, in->len, loan_of(in));
	const bool is_control = in->info.source == TW_SOURCE_CONTROL;
	bool has_watermark;
	int code = 0;

	if (!held)
		return -ENOMEM;
	held->dropped = in->arrival.dropped;
	tw_held__look(held);
	has_watermark = held->content.has_watermark;
	if (held->content.broken || in->len < in->info.length ||
	    (!is_control && held->content.events != in->info.events))
		s->stats.malformed++;
	if (held->content.last > s->queued) {
		s->queued = held->content.last;
		s->came = in->arrival.now;
	}
	if (is_control)
		stream__queue_control(m, s, held);
	else
		code = stream__queue_events(m, s, held);
	return code || !has_watermark ? code : stream__watermarks(m, s, in);
}

/*
 * This machine's time: who fell silent, who is forgotten, what waited too long. All streams are looked at twice a wait, so what was
 * queued before the last look but one has waited for one at least, and for one and a half at most.
 */
/* One that ended is kept for a while, for frames that were overtaken by its END. */
static bool stream__is_over(const struct tw_merge *m, const struct tw_merge_stream *s)
{
	const bool is_drained = !s->heap.n && !s->control;

	return (s->stats.ended && s->silent && is_drained) || m->now - s->heard >= m->options.retire_ns;
}

static void stream__look(struct tw_merge *m, struct tw_merge_stream *s)
{
	s->silent = m->now - s->heard >= m->options.wait_ns;
	s->moved |= s->samples[1] > s->overdue;
	s->overdue = s->samples[1];
	s->samples[1] = s->samples[0];
	s->samples[0] = s->queued;
	if (m->options.across && s->placed == TW_UNPLACED && m->now - s->joined >= m->options.wait_ns)
		tw_across__guess(m, s);
}

static int watch__look(struct tw_merge *m)
{
	int code = 0;

	m->next_look = m->now + m->options.wait_ns / 2;
	for (size_t i = tw_merge__n(m); i-- > 0 && !code;) {
		stream__look(m, tw_merge__at(m, i));
		if (stream__is_over(m, tw_merge__at(m, i)))
			code = tw_streams__retire(tw_merge__at(m, i)->stream);
	}
	tw_across__look_again(m);
	if (!code)
		code = tw_across__release_ahead(m);
	for (size_t i = 0; i < tw_merge__n(m) && !code; i++)
		code = tw_release__stream(m, tw_merge__at(m, i));
	return code;
}

static int watch__frame(struct tw_merge *m, struct tw_merge_stream *s)
{
	s->heard = m->now;
	if (s->silent)
		tw_across__look_again(m);
	s->silent = false;
	return m->now >= m->next_look ? watch__look(m) : 0;
}

static int merge__take(struct tw_merge *m, const struct incoming *in)
{
	struct tw_merge_stream *s;
	int code;

	if (in->arrival.now > m->now)
		m->now = in->arrival.now;
	code = tw_merge_streams__get(m, in->info.stream_id, &s);
	if (code == -ENOSPC) {
		m->stats.refused++;
		m->stats.refused_events += in->info.source == TW_SOURCE_CONTROL ? 0 : in->info.events;
		return 0;
	}
	if (code)
		return code;
	if (!s->stats.frames++)
		s->joined = m->now; /* it may have been admitted before this machine's time was known */
	tw_streams__hear(s->stream, &in->info, m->turn);
	code = stream__queue(m, s, in);
	if (!code && in->arrival.now)
		code = watch__frame(m, s);
	if (!code)
		code = tw_release__stream(m, s);
	return code ? code : tw_release__relieve(m, s);
}

int tw_merge__frame(struct tw_merge *m, const void *data, size_t len, const struct tw_arrival *arrival)
{
	struct incoming in = { .data = data };
	struct tw_cursor tlvs;
	const enum tw_frame_status status = tw_frame__parse(data, len, &in.info, &tlvs);

	if (status != TW_FRAME_OK && status != TW_FRAME_TRUNCATED) {
		m->stats.unreadable++;
		return 0;
	}
	if (in.info.source == TW_SOURCE_OUT_OF_BAND)
		return 0;
	m->turn++;
	in.len = sizeof(struct tw_frame_hdr) + tlvs.left;
	if (arrival)
		in.arrival = *arrival;
	return merge__take(m, &in);
}

int tw_merge__tick(struct tw_merge *m, uint64_t now)
{
	if (now > m->now)
		m->now = now;
	return m->now >= m->next_look ? watch__look(m) : 0;
}

void tw_merge__stats(const struct tw_merge *m, struct tw_merge_stats *ret)
{
	struct tw_merge_stats stats = m->stats;

	stats.held = m->pool.held_bytes;
	stats.streams = tw_merge__n(m);
	stats.malformed += stats.unreadable;
	for (size_t i = 0; i < tw_merge__n(m); i++) {
		const struct tw_merge_stream_stats of = tw_merge_streams__stats(tw_merge__at(m, i));

#define X(name, what) stats.name += of.name;
		TW_MERGE_COUNTERS(X)
#undef X
	}
	*ret = stats;
}

void tw_merge__stream_stats(const struct tw_merge *m, uint64_t stream_id, struct tw_merge_stream_stats *ret)
{
	const struct tw_merge_stream *s = tw_merge_streams__find(m, stream_id);

	*ret = s ? tw_merge_streams__stats(s) : (struct tw_merge_stream_stats){ .frames = 0 };
}
