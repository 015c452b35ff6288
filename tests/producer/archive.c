/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "wire/encode.h"

struct archive_sink {
	struct tw_sink sink;
	struct archive *archive;
	struct tw_sink_stats stats;
	uint8_t *slot;
};

static struct archive_sink *of(struct tw_sink *sink)
{
	return (struct archive_sink *)sink;
}

static bool has_room(const struct archive *a)
{
	return a->room && (!a->frame_ns || tw_time__now(CLOCK_MONOTONIC) - a->last_ns >= a->frame_ns);
}

static void *reserve(struct tw_sink *sink)
{
	struct archive_sink *s = of(sink);

	if (has_room(s->archive))
		return s->slot;
	s->stats.waits++;
	s->archive->refused++;
	return NULL;
}

static void commit(struct tw_sink *sink, size_t len)
{
	struct archive_sink *s = of(sink);
	struct archive *a = s->archive;
	struct archive_frame frame = { malloc(len), len };

	if (!frame.bytes)
		abort();
	memcpy(frame.bytes, s->slot, len);
	s->stats.frames++;
	s->stats.bytes += len;
	a->last_ns = tw_time__now(CLOCK_MONOTONIC);
	pthread_mutex_lock(&a->lock);
	if (a->room > 0)
		a->room--;
	if (a->n == a->cap) {
		a->cap = a->cap ? a->cap * 2 : 1024;
		a->frames = reallocarray(a->frames, a->cap, sizeof(*a->frames));
		if (!a->frames)
			abort();
	}
	a->frames[a->n++] = frame;
	pthread_mutex_unlock(&a->lock);
}

static int flush(struct tw_sink *sink)
{
	struct archive *a = of(sink)->archive;

	if (a->room)
		return 0;
	a->held++;
	return a->broken ? a->broken : -EAGAIN;
}

static void stats(struct tw_sink *sink, struct tw_sink_stats *ret)
{
	*ret = of(sink)->stats;
}

static void close_sink(struct tw_sink *sink)
{
	free(of(sink)->slot);
	free(sink);
}

static const struct tw_sink_ops ops = {
	.reserve = reserve, .commit = commit, .flush = flush, .stats = stats, .close = close_sink
};

void archive__init(struct archive *a, size_t frame_max)
{
	*a = (struct archive){ .frame_max = frame_max, .room = ARCHIVE_ENDLESS };
	pthread_mutex_init(&a->lock, NULL);
}

int archive__open(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *err)
{
	struct archive *a = ctx;
	struct archive_sink *s = calloc(1, sizeof(*s));

	(void)thread;
	if (!s || !(s->slot = malloc(a->frame_max + TW_COPY_STEP))) {
		free(s);
		return tw_error__set(err, -ENOMEM, "out of memory");
	}
	s->sink = (struct tw_sink){ .ops = &ops, .frame_max = a->frame_max, .how = "memory" };
	s->archive = a;
	*ret = &s->sink;
	return 0;
}

void archive__fini(struct archive *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->frames[i].bytes);
	free(a->frames);
	pthread_mutex_destroy(&a->lock);
}
