/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "pcap-tools/merge/merge_impl.h"

static void streams__free(struct tw_merge *m, struct tw_merge_stream *s)
{
	while (s->control) {
		struct tw_queued_frame *frame = s->control;

		s->control = frame->next;
		tw_frame_pool__give(&m->pool, frame);
	}
	for (size_t i = 0; i < s->n_channels; i++)
		tw_merge_channel__free(s->channels[i], &m->pool);
	for (size_t i = 0; i < sizeof(s->by_id) / sizeof(s->by_id[0]); i++)
		free(s->by_id[i]);
	tw_merge_heap__fini(&s->heap);
	free(s->channels);
	free(s);
}

struct tw_merge_stream_stats tw_merge_streams__stats(const struct tw_merge_stream *s)
{
	struct tw_merge_stream_stats stats = s->stats;

	for (size_t i = 0; i < s->n_channels; i++)
		stats.numbers += s->channels[i]->numbers.next;
	return stats;
}

/* Of its channels, those that count against what all share. */
static size_t stream__shared_channels(const struct tw_merge_stream *s)
{
	return s->n_channels > TW_STREAM_CHANNELS_OWN ? s->n_channels - TW_STREAM_CHANNELS_OWN : 0;
}

static void streams__unlink(struct tw_merge *m, struct tw_merge_stream *s)
{
	s->stream->user[m->user] = NULL;
	m->n_shared_channels -= stream__shared_channels(s);
	m->latest = NULL;
	tw_merge_heap__remove(&m->order, &s->node);
	tw_order__look_again(m);
	tw_order__forget_last(m);
}

/* A stream leaves the table: what it still holds goes out. */
static int streams__leave(void *ctx, struct tw_stream *stream)
{
	struct tw_merge *m = ctx;
	struct tw_merge_stream *s = stream->user[m->user];
	struct tw_merge_stream_stats stats;
	int err;

	if (!s)
		return 0;
	if (m->options.one_order && s->placed == TW_UNPLACED)
		tw_order__guess(m, s);
	err = tw_release__up_to(m, s, UINT64_MAX, 0);
	if (!err)
		err = tw_release__end(m, s);
	streams__unlink(m, s);
	stats = tw_merge_streams__stats(s);
#define X(name, what) m->stats.name += stats.name;
	TW_MERGE_COUNTERS(X)
#undef X
	m->stats.retired++;
	if (m->options.retired)
		m->options.retired(m->options.ctx, s->id, &stats);
	streams__free(m, s);
	return err;
}

int tw_merge_streams__init(struct tw_merge *m)
{
	static const struct tw_streams_options own = { .silence = TW_STREAMS_SILENT_FRAMES };

	m->streams = m->options.streams ? m->options.streams : tw_streams__new(&own);
	if (!m->streams)
		return -ENOMEM;
	m->user = tw_streams__add_user(m->streams, &(struct tw_stream_user){ .leaves = streams__leave, .ctx = m });
	return 0;
}

void tw_merge_streams__fini(struct tw_merge *m)
{
	if (!m->streams)
		return;
	for (size_t i = 0; i < tw_merge__n(m); i++) {
		struct tw_merge_stream *s = tw_merge__at(m, i);

		if (s)
			streams__free(m, s);
	}
	tw_streams__remove_user(m->streams, m->user);
	if (!m->options.streams)
		tw_streams__free(m->streams);
}

struct tw_merge_stream *tw_merge_streams__look_up(const struct tw_merge *m, uint64_t id)
{
	const struct tw_stream *stream = tw_streams__find(m->streams, id);

	return stream ? stream->user[m->user] : NULL;
}

int tw_merge_streams__begin(struct tw_merge *m, uint64_t id, struct tw_merge_stream **ret)
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

int tw_merge__admit(struct tw_merge *m, uint64_t stream_id)
{
	struct tw_merge_stream *s;

	return tw_merge_streams__get(m, stream_id, &s);
}

int tw_merge__retire(struct tw_merge *m, uint64_t stream_id)
{
	const struct tw_merge_stream *s = tw_merge_streams__find(m, stream_id);

	return s ? tw_streams__retire(s->stream) : 0;
}

static struct tw_merge_channel *stream__find_channel(const struct tw_merge_stream *s, uint16_t id)
{
	struct tw_merge_channel *const *page = s->by_id[id / TW_MERGE_CHANNEL_PAGE];

	return page ? page[id % TW_MERGE_CHANNEL_PAGE] : NULL;
}

/* Room in the tables for one more channel, of that number. */
static bool stream__grow(struct tw_merge_stream *s, uint16_t id)
{
	struct tw_merge_channel **channels;

	if (!s->by_id[id / TW_MERGE_CHANNEL_PAGE])
		s->by_id[id / TW_MERGE_CHANNEL_PAGE] = calloc(TW_MERGE_CHANNEL_PAGE, sizeof(struct tw_merge_channel *));
	if (!s->by_id[id / TW_MERGE_CHANNEL_PAGE] || !tw_merge_heap__grow(&s->heap, s->n_channels + 1))
		return false;
	channels = realloc(s->channels, (s->n_channels + 1) * sizeof(struct tw_merge_channel *));
	if (!channels)
		return false;
	s->channels = channels;
	return true;
}

/* A stream of strangers takes no more of those that all share than it leaves, so a few of them do not have all. */
static bool streams__has_channel(const struct tw_merge *m, const struct tw_merge_stream *s)
{
	if (s->n_channels < TW_STREAM_CHANNELS_OWN)
		return true;
	return s->n_channels < TW_STREAM_CHANNELS_MAX &&
	       stream__shared_channels(s) < TW_STREAMS_CHANNELS_MAX - m->n_shared_channels;
}

int tw_merge_streams__channel(struct tw_merge *m, struct tw_merge_stream *s, uint16_t id, struct tw_merge_channel **ret)
{
	struct tw_merge_channel *c = stream__find_channel(s, id);

	if (!c) {
		if (!streams__has_channel(m, s))
			return -ENOSPC;
		c = stream__grow(s, id) ? tw_merge_channel__new(id, &s->stats) : NULL;
		if (!c)
			return -ENOMEM;
		if (s->from_start)
			tw_merge_channel__start(c, s->start_dropped);
		m->n_shared_channels -= stream__shared_channels(s);
		s->channels[s->n_channels++] = c;
		s->by_id[id / TW_MERGE_CHANNEL_PAGE][id % TW_MERGE_CHANNEL_PAGE] = c;
		m->n_shared_channels += stream__shared_channels(s);
	}
	*ret = c;
	return 0;
}

void tw_merge_streams__start(struct tw_merge_stream *s, uint64_t dropped)
{
	if (s->from_start)
		return;
	s->from_start = true;
	s->start_dropped = dropped;
	for (size_t i = 0; i < s->n_channels; i++)
		tw_merge_channel__start(s->channels[i], dropped);
}
