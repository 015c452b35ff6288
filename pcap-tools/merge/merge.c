/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/merge_impl.h"

#include <errno.h>
#include <stdlib.h>

#define WAIT_DEFAULT   1000000000ull
#define RETIRE_DEFAULT 300000000000ull

static void stream__free(struct tw_merge *m, struct tw_merge_stream *s)
{
	tw_frame_pool__give_all(&m->pool, s->control);
	for (size_t i = 0; i < s->n_channels; i++)
		tw_merge_channel__free(s->channels[i], &m->pool);
	for (size_t i = 0; i < sizeof(s->by_id) / sizeof(s->by_id[0]); i++)
		free(s->by_id[i]);
	tw_merge_heap__fini(&s->heap);
	free(s->channels);
	free(s);
}

/* The current counters of one stream. */
static struct tw_stream_numbers stream__stats(const struct tw_merge_stream *s)
{
	struct tw_stream_numbers stats = s->stats;

	for (size_t i = 0; i < s->n_channels; i++)
		stats.numbers += s->channels[i]->numbers.next;
	return stats;
}

/* The number of channels of a stream beyond TW_STREAM_CHANNELS_OWN; they are limited for all streams together. */
static size_t stream__shared_channels(const struct tw_merge_stream *s)
{
	return s->n_channels > TW_STREAM_CHANNELS_OWN ? s->n_channels - TW_STREAM_CHANNELS_OWN : 0;
}

/* Called when a stream leaves the table: emits its queued frames, and frees its state. */
static int stream__leave(void *ctx, struct tw_stream *stream)
{
	struct tw_merge *m = ctx;
	struct tw_merge_stream *s = stream->user[m->user];
	struct tw_stream_numbers stats;
	int err;

	if (!s)
		return 0;
	if (m->options.one_order && s->placed == TW_UNPLACED)
		tw_order__guess(m, s);
	err = tw_release__up_to(m, s, UINT64_MAX, 0);
	if (!err)
		err = tw_out__end(m, s);
	stream->user[m->user] = NULL;
	m->n_shared_channels -= stream__shared_channels(s);
	m->latest = NULL;
	tw_merge_heap__remove(&m->order, &s->node);
	tw_order__look_again(m);
	tw_order__forget_last(m);
	stats = stream__stats(s);
#define X(name, what) m->stats.name += stats.name;
	TW_STREAM_NUMBERS(X)
#undef X
	m->stats.retired++;
	if (m->options.retired)
		m->options.retired(m->options.ctx, s->id, &stats);
	stream__free(m, s);
	return err;
}

struct tw_merge_stream *tw_merge__find(const struct tw_merge *m, uint64_t id)
{
	const struct tw_stream *stream;

	if (m->latest && m->latest->id == id)
		return m->latest;
	stream = tw_streams__find(m->streams, id);
	return stream ? stream->user[m->user] : NULL;
}

/* Begins a stream that is not in the table. Return: as tw_merge__get() */
static int stream__begin(struct tw_merge *m, uint64_t id, struct tw_merge_stream **ret)
{
	struct tw_merge_stream *s;
	struct tw_stream *stream;
	const int err = tw_streams__live(m->streams, id, m->turn, &stream);

	if (err)
		return err;
	s = calloc(1, sizeof(*s));
	if (!s) {
		tw_streams__retire(stream);
		return -ENOMEM;
	}
	s->id = id;
	s->stream = stream;
	s->node = (struct tw_merge_heap_node){ .id = id, .at = TW_MERGE_HEAP_OUT };
	s->wait = m->options.wait_ns;
	s->control_end = &s->control;
	s->control_numbers.known = s->from_start = m->options.from_start;
	s->heard = s->joined = m->now;
	stream->user[m->user] = s;
	tw_order__look_again(m);
	*ret = s;
	return 0;
}

int tw_merge__get(struct tw_merge *m, uint64_t id, struct tw_merge_stream **ret)
{
	struct tw_merge_stream *s = tw_merge__find(m, id);
	const int err = s ? 0 : stream__begin(m, id, &s);

	if (err)
		return err;
	*ret = m->latest = s;
	return 0;
}

int tw_merge__admit(struct tw_merge *m, uint64_t stream_id)
{
	struct tw_merge_stream *s;

	return tw_merge__get(m, stream_id, &s);
}

int tw_merge__retire(struct tw_merge *m, uint64_t stream_id)
{
	const struct tw_merge_stream *s = tw_merge__find(m, stream_id);

	return s ? tw_streams__retire(s->stream) : 0;
}

/* Grows the tables for one more channel; @page: its page of by_id */
static bool stream__grow(struct tw_merge_stream *s, struct tw_merge_channel ***page)
{
	struct tw_merge_channel **channels;

	if (!*page)
		*page = calloc(TW_MERGE_CHANNEL_PAGE, sizeof(**page));
	if (!*page || !tw_merge_heap__grow(&s->heap, s->n_channels + 1))
		return false;
	channels = realloc(s->channels, (s->n_channels + 1) * sizeof(struct tw_merge_channel *));
	if (!channels)
		return false;
	s->channels = channels;
	return true;
}

/* A stream may use at most as many shared channels as remain free, so a few streams cannot use up all of them. */
static bool stream__has_place(const struct tw_merge *m, const struct tw_merge_stream *s)
{
	if (s->n_channels < TW_STREAM_CHANNELS_OWN)
		return true;
	return s->n_channels < TW_STREAM_CHANNELS_MAX &&
	       stream__shared_channels(s) < TW_STREAMS_CHANNELS_MAX - m->n_shared_channels;
}

/* Finds or begins a channel of a stream. Return: 0; -ENOSPC beyond the limit, -ENOMEM */
static int stream__channel(struct tw_merge *m, struct tw_merge_stream *s, uint16_t id, struct tw_merge_channel **ret)
{
	struct tw_merge_channel ***page = &s->by_id[id / TW_MERGE_CHANNEL_PAGE], *c;

	*ret = *page ? (*page)[id % TW_MERGE_CHANNEL_PAGE] : NULL;
	if (*ret)
		return 0;
	if (!stream__has_place(m, s))
		return -ENOSPC;
	c = stream__grow(s, page) ? tw_merge_channel__new(id, &s->stats) : NULL;
	if (!c)
		return -ENOMEM;
	if (s->from_start)
		tw_merge_channel__start(c, s->start_dropped);
	m->n_shared_channels -= stream__shared_channels(s);
	s->channels[s->n_channels++] = c;
	(*page)[id % TW_MERGE_CHANNEL_PAGE] = c;
	m->n_shared_channels += stream__shared_channels(s);
	*ret = c;
	return 0;
}

/* Notes that control frame 0 has arrived. @dropped: the receiver's drop counter at that time */
static void stream__start(struct tw_merge_stream *s, uint64_t dropped)
{
	if (s->from_start)
		return;
	s->from_start = true;
	s->start_dropped = dropped;
	for (size_t i = 0; i < s->n_channels; i++)
		tw_merge_channel__start(s->channels[i], dropped);
}

int tw_merge__new(const struct tw_merge_options *options, struct tw_merge **ret, struct tw_error *error)
{
	const struct tw_parts_limits limits = { .bytes = TW_STREAMS_EVENT_PARTS_LIVE_BYTES,
						.count = TW_STREAMS_EVENT_PARTS_MAX };
	static const struct tw_streams_options own = { .silence = TW_STREAMS_SILENT_FRAMES };
	struct tw_merge *m = calloc(1, sizeof(*m));

	if (!m)
		goto no_memory;
	m->options = *options;
	m->hold = UINT64_MAX;
	if (!m->options.memory)
		m->options.memory = TW_STREAMS_QUEUED_MAX;
	if (!m->options.wait_ns)
		m->options.wait_ns = WAIT_DEFAULT;
	if (!m->options.retire_ns)
		m->options.retire_ns = RETIRE_DEFAULT;
	m->parts = tw_parts__new(&limits);
	if (!m->parts || !tw_merge_heap__grow(&m->order, TW_STREAMS_LIVE_MAX))
		goto no_memory;
	m->streams = options->streams ? options->streams : tw_streams__new(&own);
	if (!m->streams)
		goto no_memory;
	m->user = tw_streams__add_user(m->streams, &(struct tw_stream_user){ .leaves = stream__leave, .ctx = m });
	*ret = m;
	return 0;

no_memory:
	tw_merge__free(m);
	return tw_error__set(error, -ENOMEM, "merging events: no memory");
}

void tw_merge__free(struct tw_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; m->streams && i < tw_merge__n(m); i++) {
		if (tw_merge__at(m, i))
			stream__free(m, tw_merge__at(m, i));
	}
	if (m->streams)
		tw_streams__remove_user(m->streams, m->user);
	if (!m->options.streams)
		tw_streams__free(m->streams);
	tw_merge_heap__fini(&m->order);
	tw_frame_pool__fini(&m->pool);
	tw_parts__free(m->parts);
	free(m);
}

/* A frame that is being accepted. */
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
	s->newest = tw_time__later(s->newest, mark.time);
	while (tw_watermark__next(&mark.channels, &id, &next_seq)) {
		struct tw_merge_channel *c;
		int err;

		if (id == TW_CHANNEL_CONTROL) {
			s->has_control_watermark = true;
			s->control_watermark = tw_time__later(s->control_watermark, mark.time);
			continue;
		}
		err = stream__channel(m, s, id, &c);
		if (err == -ENOMEM)
			return err;
		if (err || !tw_merge_channel__watermark(c, mark.time, next_seq, dropped))
			s->stats.malformed++;
	}
	return 0;
}

/* Applies the watermarks in a frame. Reads the caller's bytes, because the queued copy may already be freed or lack the watermarks. */
static int stream__watermarks(struct tw_merge *m, struct tw_merge_stream *s, const struct incoming *in)
{
	struct tw_cursor tlvs = {
		.at = in->data + sizeof(struct tw_frame_hdr),
		.left = in->len - sizeof(struct tw_frame_hdr),
	};
	enum tw_frame_status status;
	struct tw_tlv_view tlv;
	int err = 0;

	while (!err && tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_WATERMARK)
			err = stream__watermark(m, s, &tlv, in->arrival.dropped);
	}
	return err;
}

/* Whether a frame contains anything to emit. */
static bool merge__wants(const struct tw_merge *m, const struct tw_queued_frame *frame)
{
	return frame->content.items || (m->options.packed && frame->content.has_watermark);
}

/* Notes that control frame @seq has arrived. @gaps: number of missing control frames, updated. Return: false if @seq is impossible */
static bool control_numbers__add(struct tw_control_numbers *n, uint64_t seq, uint64_t *gaps)
{
	const uint64_t back = n->next - 1 - seq, ahead = seq - n->next;

	if (!n->known) {
		*n = (struct tw_control_numbers){ .next = seq + 1, .recent = UINT64_MAX, .known = true };
	} else if (seq < n->next) {
		if (back < 64 && !(n->recent >> back & 1)) {
			n->recent |= 1ull << back;
			--*gaps;
		}
	} else if (ahead < TW_STREAM_CHANNEL_JUMP_MAX) {
		n->recent = ahead < 63 ? n->recent << (ahead + 1) | 1 : 1;
		*gaps += ahead;
		n->next = seq + 1;
	} else {
		return false;
	}
	return true;
}

static void stream__queue_control(struct tw_merge *m, struct tw_merge_stream *s, struct tw_queued_frame *frame)
{
	const struct tw_queued_frame_content *content = &frame->content;

	s->stats.malformed += !control_numbers__add(&s->control_numbers, frame->info.seq, &s->stats.control_gaps);
	if (!frame->info.seq)
		stream__start(s, frame->dropped);
	if (content->has_end && !s->stats.ended) {
		s->stats.ended = 1;
		s->stream->standing.ended = true;
		tw_order__look_again(m);
	}
	if (!merge__wants(m, frame)) {
		tw_frame_pool__give(&m->pool, frame);
		return;
	}
	if (content->broken || content->len != frame->info.length || (content->has_watermark && !m->options.packed))
		tw_queued_frame__strip(frame, !m->options.packed);
	*s->control_end = frame;
	s->control_end = &frame->next;
}

/* Drops a frame of which nothing is emitted, for example because its numbers are impossible. */
static void stream__refuse(struct tw_merge *m, struct tw_merge_stream *s, struct tw_queued_frame *frame,
			   bool is_malformed)
{
	s->stats.malformed += is_malformed;
	s->stats.malformed_events += frame->content.events;
	tw_frame_pool__give(&m->pool, frame);
}

static void stream__queue_in(struct tw_merge *m, struct tw_merge_stream *s, struct tw_merge_channel *c,
			     struct tw_queued_frame *frame)
{
	s->moved |= c->n_watermarks > 0;
	switch (tw_merge_channel__queue(c, frame)) {
	case TW_QUEUED:
		if (frame->content.events > frame->info.events)
			s->stats.malformed_events += frame->content.events - frame->info.events;
		tw_merge_heap__put(&s->heap, &c->node, c->head->item.time);
		return;
	case TW_QUEUED_DUPLICATE:
		s->stats.duplicates += frame->content.events;
		tw_frame_pool__give(&m->pool, frame);
		return;
	case TW_QUEUED_STALE:
		s->stats.stale++;
		stream__refuse(m, s, frame, false);
		return;
	case TW_QUEUED_IMPOSSIBLE:
		stream__refuse(m, s, frame, true);
		return;
	}
}

static int stream__queue_events(struct tw_merge *m, struct tw_merge_stream *s, struct tw_queued_frame *frame)
{
	struct tw_merge_channel *c;
	const int err = stream__channel(m, s, frame->info.channel, &c);

	if (err) {
		m->stats.refused += err == -ENOSPC;
		m->stats.refused_events += err == -ENOSPC ? frame->content.events : 0;
		tw_frame_pool__give(&m->pool, frame);
		return err == -ENOSPC ? 0 : err;
	}
	s->stats.events_in += frame->content.events;
	if (!merge__wants(m, frame) || (!m->options.packed && !tw_queued_frame__next(frame)))
		stream__refuse(m, s, frame, false);
	else
		stream__queue_in(m, s, c, frame);
	return 0;
}

static int stream__queue(struct tw_merge *m, struct tw_merge_stream *s, const struct incoming *in)
{
	const bool is_control = in->info.source == TW_SOURCE_CONTROL;
	/* Control frames may be changed, and frames that do not end with a whole word are padded: both are copied. */
	struct tw_borrowed_buffer *buffer = is_control || in->len % 4 ? NULL : in->arrival.buffer;
	struct tw_queued_frame *frame = tw_frame_pool__take(&m->pool, &in->info, in->data, in->len, buffer);
	bool has_watermark;
	int err = 0;

	if (!frame)
		return -ENOMEM;
	frame->dropped = in->arrival.dropped;
	frame->packet = in->arrival.packet;
	tw_queued_frame__look(frame);
	has_watermark = frame->content.has_watermark;
	if (frame->content.broken || in->len < in->info.length ||
	    (!is_control && frame->content.events != in->info.events))
		s->stats.malformed++;
	if (frame->content.last > s->queued) {
		s->queued = frame->content.last;
		s->came = in->arrival.now;
	}
	if (is_control)
		stream__queue_control(m, s, frame);
	else
		err = stream__queue_events(m, s, frame);
	return err || !has_watermark ? err : stream__watermarks(m, s, in);
}

/* Whether a stream is to be retired. A stream that ended is kept until it is silent, because frames may arrive after its END. */
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
	if (m->options.one_order && s->placed == TW_UNPLACED && m->now - s->joined >= m->options.wait_ns)
		tw_order__guess(m, s);
}

/*
 * Checks all streams twice in wait_ns of CLOCK_MONOTONIC: marks silent streams, retires streams that are over, and emits what has waited
 * too long. What is queued at a check is emitted two checks later at the latest, after 1 to 1.5 times wait_ns.
 */
static int merge__look(struct tw_merge *m)
{
	int err = 0;

	if (m->now < m->next_look)
		return 0;
	m->next_look = m->now + m->options.wait_ns / 2;
	for (size_t i = tw_merge__n(m); i-- > 0 && !err;) {
		stream__look(m, tw_merge__at(m, i));
		if (stream__is_over(m, tw_merge__at(m, i)))
			err = tw_streams__retire(tw_merge__at(m, i)->stream);
	}
	tw_order__look_again(m);
	if (!err)
		err = tw_order__release_ahead(m);
	for (size_t i = 0; i < tw_merge__n(m) && !err; i++)
		err = tw_release__stream(m, tw_merge__at(m, i));
	return err;
}

/* Notes that a frame of the stream arrived at m->now. */
static int stream__hear(struct tw_merge *m, struct tw_merge_stream *s)
{
	s->heard = m->now;
	if (s->silent)
		tw_order__look_again(m);
	s->silent = false;
	return merge__look(m);
}

static int merge__take(struct tw_merge *m, const struct incoming *in)
{
	struct tw_merge_stream *s;
	int err;

	m->now = tw_time__later(m->now, in->arrival.now);
	err = tw_merge__get(m, in->info.stream_id, &s);
	if (err == -ENOSPC) {
		m->stats.refused++;
		m->stats.refused_events += in->info.source == TW_SOURCE_CONTROL ? 0 : in->info.events;
		return 0;
	}
	if (err)
		return err;
	if (!s->stats.frames++)
		s->joined = m->now; /* the stream may have been admitted before the first arrival time was known */
	tw_streams__hear(s->stream, &in->info, m->turn);
	err = stream__queue(m, s, in);
	if (!err && in->arrival.now)
		err = stream__hear(m, s);
	if (!err)
		err = tw_release__stream(m, s);
	return err ? err : tw_release__relieve(m, s);
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
	m->now = tw_time__later(m->now, now);
	return merge__look(m);
}

void tw_merge__stats(const struct tw_merge *m, struct tw_merge_stats *ret)
{
	struct tw_merge_stats stats = m->stats;

	stats.queued = m->pool.queued_bytes;
	stats.streams = tw_merge__n(m);
	stats.malformed += stats.unreadable;
	for (size_t i = 0; i < tw_merge__n(m); i++) {
		const struct tw_stream_numbers of = stream__stats(tw_merge__at(m, i));

#define X(name, what) stats.name += of.name;
		TW_STREAM_NUMBERS(X)
#undef X
	}
	*ret = stats;
}

void tw_merge__stream_stats(const struct tw_merge *m, uint64_t stream_id, struct tw_stream_numbers *ret)
{
	const struct tw_merge_stream *s = tw_merge__find(m, stream_id);

	*ret = s ? stream__stats(s) : (struct tw_stream_numbers){ .frames = 0 };
}
