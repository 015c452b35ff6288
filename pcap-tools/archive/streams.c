/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "pcap-tools/archive/state.h"

_Static_assert(TW_ARCHIVE_TABLE >= 2 * TW_MERGE_STREAMS_MAX, "places are found soon");

/* Ids are random, but a stranger may choose his: the worst he gets is a look through the table. */
static struct tw_archive_stream **place_of(struct tw_archive *a, uint64_t id)
{
	size_t at = (size_t)((id * 0x9e3779b97f4a7c15ull) >> 40) % TW_ARCHIVE_TABLE;

	while (a->table[at] && a->table[at]->id != id)
		at = (at + 1) % TW_ARCHIVE_TABLE;
	return &a->table[at];
}

struct tw_archive_stream *tw_archive__look_up(struct tw_archive *a, uint64_t id)
{
	struct tw_archive_stream *s = *place_of(a, id);

	if (s)
		a->latest = s;
	return s;
}

int tw_archive__stream(struct tw_archive *a, uint64_t id, struct tw_archive_stream **ret)
{
	struct tw_archive_stream *s = tw_archive__find(a, id);

	if (!s) {
		if (a->n_streams == TW_MERGE_STREAMS_MAX)
			return -E2BIG;
		s = calloc(1, sizeof(*s));
		if (s)
			s->metadata = tw_metadata__new(0, &a->metadata_room);
		if (!s || !s->metadata) {
			tw_archive_stream__free(s);
			return -ENOMEM;
		}
		s->id = id;
		s->aside = (struct tw_frame_info){
			.stream_id = id,
			.source = TW_SOURCE_ASIDE,
			.channel = TW_CHANNEL_ASIDE,
			.cpu = TW_CPU_NONE,
		};
		tw_stream_clock__init(&s->clock, a->options.align, a->options.wall);
		tw_stream_clock__own(&s->clock, &a->own);
		a->streams[a->n_streams++] = s;
		a->latest = *place_of(a, id) = s;
	}
	*ret = s;
	return 0;
}

/* Places behind it may have been found over it: the table is made anew. */
void tw_archive__remove(struct tw_archive *a, struct tw_archive_stream *s)
{
	size_t n = 0;

	for (size_t i = 0; i < TW_ARCHIVE_TABLE; i++)
		a->table[i] = NULL;
	for (size_t i = 0; i < a->n_streams; i++) {
		if (a->streams[i] != s)
			*place_of(a, a->streams[i]->id) = a->streams[n++] = a->streams[i];
	}
	a->n_streams = n;
	a->latest = NULL;
	tw_archive_stream__free(s);
}

void tw_archive_stream__free(struct tw_archive_stream *s)
{
	if (!s)
		return;
	tw_stream_books__fini(&s->books);
	tw_metadata__free(s->metadata);
	free(s);
}
