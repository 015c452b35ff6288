/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory_sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "wire/encode.h"

struct open_sink {
	struct tw_sink sink;
	struct memory_sink *memory;
	struct tw_sink_stats stats;
	uint8_t *slot;
};

static struct open_sink *of(struct tw_sink *sink)
{
	return (struct open_sink *)sink;
}

static bool has_room(const struct memory_sink *a)
{
	return a->room && (!a->frame_ns || tw_time__now(CLOCK_MONOTONIC) - a->last_ns >= a->frame_ns);
}

static void *reserve(struct tw_sink *sink)
{
	struct open_sink *s = of(sink);

	if (has_room(s->memory))
		return s->slot;
	s->stats.waits++;
	s->memory->refused++;
	return NULL;
}

static void commit(struct tw_sink *sink, size_t len)
{
	struct open_sink *s = of(sink);
	struct memory_sink *a = s->memory;
	struct memory_sink_frame frame = { malloc(len), len };

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
	struct memory_sink *a = of(sink)->memory;

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

void memory_sink__init(struct memory_sink *a, size_t frame_max)
{
	*a = (struct memory_sink){ .frame_max = frame_max, .room = MEMORY_SINK_ENDLESS };
	pthread_mutex_init(&a->lock, NULL);
}

int memory_sink__open(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error)
{
	struct memory_sink *a = ctx;
	struct open_sink *s = calloc(1, sizeof(*s));

	(void)thread;
	if (!s || !(s->slot = malloc(a->frame_max + TW_COPY_STEP))) {
		free(s);
		return tw_error__set(error, -ENOMEM, "out of memory");
	}
	s->sink = (struct tw_sink){ .ops = &ops, .frame_max = a->frame_max, .how = "memory" };
	s->memory = a;
	*ret = &s->sink;
	return 0;
}

void memory_sink__fini(struct memory_sink *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->frames[i].bytes);
	free(a->frames);
	pthread_mutex_destroy(&a->lock);
}
