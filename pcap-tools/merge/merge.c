/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "pcap-tools/merge/state.h"

#define MEMORY_DEFAULT (64u << 20)
#define WAIT_DEFAULT   1000000000ull
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
	m->parts = tw_parts__new(&limits);
	if (!m->parts)
		goto no_memory;
	*ret = m;
	return 0;

no_memory:
	tw_merge__free(m);
	return tw_error__set(err, -ENOMEM, "merging events: no memory");
}

static void stream__free(struct tw_merge_stream *s, struct tw_frame_pool *pool)
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

static struct tw_merge_stream *merge__find_stream(const struct tw_merge *m, uint64_t id)
{
	if (m->latest && m->latest->id == id)
		return m->latest;
	for (size_t i = 0; i < m->n_streams; i++) {
		if (m->streams[i]->id == id)
			return m->streams[i];
	}
	return NULL;
}

int tw_merge__stream(struct tw_merge *m, uint64_t id, struct tw_merge_stream **ret)
{
	struct tw_merge_stream *s = merge__find_stream(m, id);

	if (!s) {
		if (m->n_streams == TW_MERGE_STREAMS_MAX)
			return -E2BIG;
		s = calloc(1, sizeof(*s));
		if (!s)
			return -ENOMEM;
		s->id = id;
		s->control_end = &s->control;
		s->control_numbers.known = m->options.from_start;
		m->streams[m->n_streams++] = s;
	}
	m->latest = s;
	*ret = s;
	return 0;
}

static struct tw_channel *stream__find_channel(const struct tw_merge_stream *s, uint16_t id)
{
	struct tw_channel *const *page = s->by_id[id / TW_CHANNEL_PAGE];

	return page ? page[id % TW_CHANNEL_PAGE] : NULL;
}

/* Room in the tables for one more channel, of that number. */
static bool stream__grow(struct tw_merge_stream *s, uint16_t id)
{
	struct tw_channel **channels;

	if (!s->by_id[id / TW_CHANNEL_PAGE])
		s->by_id[id / TW_CHANNEL_PAGE] = calloc(TW_CHANNEL_PAGE, sizeof(struct tw_channel *));
	if (!s->by_id[id / TW_CHANNEL_PAGE] || !tw_heap__grow(&s->heap, s->n_channels + 1))
		return false;
	channels = realloc(s->channels, (s->n_channels + 1) * sizeof(struct tw_channel *));
	if (!channels)
		return false;
	s->channels = channels;
	return true;
}

int tw_merge__channel(struct tw_merge *m, struct tw_merge_stream *s, uint16_t id, struct tw_channel **ret)
{
	struct tw_channel *c = stream__find_channel(s, id);

	if (!c) {
		if (m->n_channels == TW_MERGE_CHANNELS_MAX)
			return -E2BIG;
		c = stream__grow(s, id) ? tw_channel__new(id, m->options.from_start) : NULL;
		if (!c)
			return -ENOMEM;
		s->channels[s->n_channels++] = c;
		s->by_id[id / TW_CHANNEL_PAGE][id % TW_CHANNEL_PAGE] = c;
		m->n_channels++;
	}
	*ret = c;
	return 0;
}

static struct tw_merge_stream_stats stream__stats(const struct tw_merge_stream *s)
{
	struct tw_merge_stream_stats stats = {
		.late = s->late,
		.control_gaps = s->control_numbers.gaps,
		.filtered = s->filtered,
	};

	for (size_t i = 0; i < s->n_channels; i++)
		stats.gaps += s->channels[i]->gaps;
	return stats;
}

void tw_merge__stats(const struct tw_merge *m, struct tw_merge_stats *ret)
{
	struct tw_merge_stats stats = m->stats;

	stats.held = m->pool.held_bytes;
	for (size_t i = 0; i < m->n_streams; i++) {
		const struct tw_merge_stream_stats of = stream__stats(m->streams[i]);

		stats.gaps += of.gaps;
		stats.late += of.late;
		stats.control_gaps += of.control_gaps;
		stats.filtered += of.filtered;
	}
	*ret = stats;
}

void tw_merge__stream_stats(const struct tw_merge *m, uint64_t stream_id, struct tw_merge_stream_stats *ret)
{
	const struct tw_merge_stream *s = merge__find_stream(m, stream_id);

	*ret = s ? stream__stats(s) : (struct tw_merge_stream_stats){ .gaps = 0 };
}
