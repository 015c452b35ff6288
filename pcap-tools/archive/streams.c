/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "pcap-tools/archive/state.h"

struct tw_archive_stream *tw_archive__look_up(struct tw_archive *a, uint64_t id)
{
	struct tw_archive_stream *s = tw_id_table__find(&a->by_id, id);

	if (s)
		a->latest = s;
	return s;
}

int tw_archive__stream(struct tw_archive *a, uint64_t id, struct tw_archive_stream **ret)
{
	struct tw_archive_stream *s = tw_archive__find(a, id);

	if (!s) {
		if (a->n_streams == TW_STREAMS_LIVE_MAX)
			return -E2BIG;
		s = calloc(1, sizeof(*s));
		if (s)
			s->metadata = tw_metadata__new(0, &a->metadata_room);
		if (!s || !s->metadata || tw_id_table__put(&a->by_id, id, s)) {
			tw_archive_stream__free(s);
			return -ENOMEM;
		}
		s->id = id;
		s->since = a->now;
		s->aside = (struct tw_frame_info){
			.stream_id = id,
			.source = TW_SOURCE_ASIDE,
			.channel = TW_CHANNEL_ASIDE,
			.cpu = TW_CPU_NONE,
		};
		tw_stream_clock__init(&s->clock, a->options.align, a->options.wall);
		tw_stream_clock__own(&s->clock, &a->own);
		a->streams[a->n_streams++] = s;
		a->latest = s;
	}
	*ret = s;
	return 0;
}

void tw_archive__metadata(const struct tw_archive *a, struct tw_metadata_stats *ret)
{
	struct tw_metadata_stats stats;

	*ret = a->metadata_over;
	for (size_t i = 0; i < a->n_streams; i++) {
		tw_metadata__stats(a->streams[i]->metadata, &stats);
		tw_metadata_stats__add(ret, &stats);
	}
}

/* What was kept of a stream that is over is not kept any more; what was not remains to be told. */
static void retire_metadata(struct tw_archive *a, const struct tw_archive_stream *s)
{
	struct tw_metadata_stats stats;

	tw_metadata__stats(s->metadata, &stats);
	stats.items = stats.memory = 0;
	tw_metadata_stats__add(&a->metadata_over, &stats);
}

void tw_archive__remove(struct tw_archive *a, struct tw_archive_stream *s)
{
	size_t n = 0;

	retire_metadata(a, s);
	for (size_t i = 0; i < a->n_streams; i++) {
		if (a->streams[i] != s)
			a->streams[n++] = a->streams[i];
	}
	a->n_streams = n;
	a->latest = NULL;
	tw_id_table__remove(&a->by_id, s->id);
	tw_archive_stream__free(s);
}

void tw_archive_stream__free(struct tw_archive_stream *s)
{
	if (!s)
		return;
	tw_stream_counters__fini(&s->books);
	tw_metadata__free(s->metadata);
	free(s);
}
