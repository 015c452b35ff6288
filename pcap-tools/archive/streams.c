/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "pcap-tools/archive/archive_impl.h"

int tw_archive__stream(struct tw_archive *a, uint64_t id, struct tw_archive_stream **ret)
{
	struct tw_stream *stream = tw_streams__find(a->streams, id);
	struct tw_archive_stream *s = stream ? stream->user[a->user] : NULL;

	if (!stream)
		return -E2BIG;
	if (!s) {
		s = calloc(1, sizeof(*s));
		if (s)
			s->metadata = tw_metadata__new(0, &a->metadata_room);
		if (!s || !s->metadata) {
			tw_archive_stream__free(s);
			return -ENOMEM;
		}
		s->stream = stream;
		s->since = a->now;
		s->own_frames = (struct tw_frame_info){
			.stream_id = id,
			.source = TW_SOURCE_OUT_OF_BAND,
			.channel = TW_CHANNEL_OUT_OF_BAND,
			.cpu = TW_CPU_NONE,
		};
		tw_stream_clock__init(&s->clock, a->options.align, a->options.wall);
		tw_stream_clock__own(&s->clock, &a->own);
		stream->user[a->user] = s;
	}
	*ret = s;
	return 0;
}

void tw_archive__metadata(const struct tw_archive *a, struct tw_metadata_stats *ret)
{
	struct tw_metadata_stats stats;

	*ret = a->metadata_over;
	for (const struct tw_archive_stream *s = tw_archive__first(a); s; s = tw_archive__next(a, s)) {
		tw_metadata__stats(s->metadata, &stats);
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
	retire_metadata(a, s);
	s->stream->user[a->user] = NULL;
	tw_archive_stream__free(s);
}

void tw_archive_stream__free(struct tw_archive_stream *s)
{
	if (!s)
		return;
	tw_metadata__free(s->metadata);
	free(s);
}
