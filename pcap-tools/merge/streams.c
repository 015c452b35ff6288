/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "pcap-tools/merge/state.h"

#define SILENT_FRAMES 65536

void tw_merge_streams__free(struct tw_merge *m, struct tw_merge_stream *s)
{
	while (s->control) {
		struct tw_held *held = s->control;

		s->control = held->next;
		tw_frame_pool__give(&m->pool, held);
	}
	for (size_t i = 0; i < s->n_channels; i++)
		tw_channel__free(s->channels[i], &m->pool);
	for (size_t i = 0; i < sizeof(s->by_id) / sizeof(s->by_id[0]); i++)
		free(s->by_id[i]);
	tw_heap__fini(&s->heap);
	free(s->channels);
	free(s);
}

struct tw_merge_stream_stats tw_merge_streams__stats(const struct tw_merge_stream *s)
{
	struct tw_merge_stream_stats stats = s->stats;

	for (size_t i = 0; i < s->n_channels; i++)
		stats.numbers += s->channels[i]->next;
	return stats;
}

/* Of its channels, those that count against what all share. */
static size_t stream__shared_channels(const struct tw_merge_stream *s)
{
	return s->n_channels > TW_MERGE_STREAM_CHANNELS_OWN ? s->n_channels - TW_MERGE_STREAM_CHANNELS_OWN : 0;
}

static void streams__unlink(struct tw_merge *m, struct tw_merge_stream *s)
{
	size_t i = 0;

	tw_id_table__remove(&m->by_id, s->id);
	while (m->streams[i] != s)
		i++;
	m->streams[i] = m->streams[--m->n_streams];
	m->n_shared_channels -= stream__shared_channels(s);
	m->latest = NULL;
	tw_heap__remove(&m->order, &s->node);
	tw_across__look_again(m);
	tw_across__forget_last(m);
}

int tw_merge_streams__retire(struct tw_merge *m, struct tw_merge_stream *s)
{
	struct tw_merge_stream_stats stats;
	int code;

	if (m->options.across && s->placed == TW_UNPLACED)
		tw_across__guess(m, s);
	code = tw_release__up_to(m, s, UINT64_MAX, 0);
	if (!code)
		code = tw_release__settle(m, s);
	streams__unlink(m, s);
	stats = tw_merge_streams__stats(s);
#define X(name, what) m->stats.name += stats.name;
	TW_MERGE_COUNTERS(X)
#undef X
	m->stats.retired++;
	if (m->options.retired)
		m->options.retired(m->options.ctx, s->id, &stats);
	tw_merge_streams__free(m, s);
	return code;
}

/* Silence is counted in frames of others: what is read from a file has no other time. */
static int streams__make_room(struct tw_merge *m)
{
	static const struct tw_places places = { .n = TW_MERGE_STREAMS_MAX,
						 .of_one_source = TW_MERGE_STREAMS_MAX,
						 .silence = SILENT_FRAMES };
	const struct tw_standing newcomer = { .heard = m->turn };
	struct tw_standing there[TW_MERGE_STREAMS_MAX];
	size_t goes;
	int code;

	for (size_t i = 0; i < m->n_streams; i++) {
		const struct tw_merge_stream *s = m->streams[i];

		there[i] = (struct tw_standing){ .heard = s->turn,
						 .proof = s->proven ? TW_PROOF_NUMBERS : TW_PROOF_NONE,
						 .ended = s->stats.ended };
	}
	code = tw_standing__choose(there, m->n_streams, &places, &newcomer, &goes);
	if (code)
		return -ENOSPC;
	return goes == TW_STANDING_NOBODY ? 0 : tw_merge_streams__retire(m, m->streams[goes]);
}

int tw_merge_streams__begin(struct tw_merge *m, uint64_t id, struct tw_merge_stream **ret)
{
	const int code = m->n_streams < TW_MERGE_STREAMS_MAX ? 0 : streams__make_room(m);
	struct tw_merge_stream *s;

	if (code)
		return code;
	s = calloc(1, sizeof(*s));
	if (!s || tw_id_table__put(&m->by_id, id, s)) {
		free(s);
		return -ENOMEM;
	}
	s->id = id;
	s->node = (struct tw_heap_node){ .id = id, .at = TW_HEAP_OUT };
	s->wait = m->options.wait_ns;
	s->control_end = &s->control;
	s->control_numbers.known = s->from_start = m->options.from_start;
	s->heard = s->joined = m->now;
	s->turn = m->turn;
	m->streams[m->n_streams++] = s;
	tw_across__look_again(m);
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
	struct tw_merge_stream *s = tw_merge_streams__find(m, stream_id);

	return s ? tw_merge_streams__retire(m, s) : 0;
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

/* A stream of strangers takes no more of those that all share than it leaves, so a few of them do not have all. */
static bool streams__has_channel(const struct tw_merge *m, const struct tw_merge_stream *s)
{
	if (s->n_channels < TW_MERGE_STREAM_CHANNELS_OWN)
		return true;
	return s->n_channels < TW_MERGE_STREAM_CHANNELS_MAX &&
	       stream__shared_channels(s) < TW_MERGE_CHANNELS_MAX - m->n_shared_channels;
}

int tw_merge_streams__channel(struct tw_merge *m, struct tw_merge_stream *s, uint16_t id, struct tw_channel **ret)
{
	struct tw_channel *c = stream__find_channel(s, id);

	if (!c) {
		if (!streams__has_channel(m, s))
			return -ENOSPC;
		c = stream__grow(s, id) ? tw_channel__new(id, &s->stats) : NULL;
		if (!c)
			return -ENOMEM;
		if (s->from_start)
			tw_channel__start(c, s->start_dropped);
		m->n_shared_channels -= stream__shared_channels(s);
		s->channels[s->n_channels++] = c;
		s->by_id[id / TW_CHANNEL_PAGE][id % TW_CHANNEL_PAGE] = c;
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
		tw_channel__start(s->channels[i], dropped);
}
