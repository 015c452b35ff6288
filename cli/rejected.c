/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/rejected.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "xdp/classifier.h"

#define STREAMS_MAX 256 /* as many as a merge takes */

struct stream {
	uint64_t id;
	uint64_t seen;  /* the counter when it was last looked at */
	uint64_t now;   /* while it is being looked at: of all its channels */
	uint64_t total; /* since the beginning */
};

struct rejected {
	char ifname[IFNAMSIZ];
	pthread_mutex_t lock;
	struct stream streams[STREAMS_MAX];
	unsigned int n;
	bool began;
};

/* One classifier being read. */
struct reading {
	struct rejected *rejected;
	unsigned int row;
};

static struct stream *stream_of(struct rejected *rejected, uint64_t id)
{
	for (unsigned int i = 0; i < rejected->n; i++) {
		if (rejected->streams[i].id == id)
			return &rejected->streams[i];
	}
	if (rejected->n == STREAMS_MAX)
		return NULL;
	rejected->streams[rejected->n] = (struct stream){ .id = id };
	return &rejected->streams[rejected->n++];
}

static void add_counted(const struct tw_counted *what, const struct tw_counter *rows, void *ctx)
{
	const struct reading *reading = ctx;
	const uint64_t events = rows[reading->row].events;
	struct stream *stream;

	if (what->overflow || what->total || events == TW_NOT_COUNTED)
		return;
	stream = stream_of(reading->rejected, what->stream_id);
	if (stream)
		stream->now += events;
}

/* What tc drops is dropped behind captures. */
static int read_classifier(const struct tw_attached *attached, void *ctx, struct tw_error *err)
{
	struct rejected *rejected = ctx;
	struct reading reading = { .rejected = rejected, .row = attached->n + 1 + TW_COUNT_DROPPED };

	if (attached->place == TW_PLACE_XDP && !strcmp(attached->ifname, rejected->ifname))
		tw_attached__count(attached, add_counted, &reading, err);
	return 0;
}

/* A counter that has become smaller is that of another classifier, which began with 0. */
static void take_over(struct rejected *rejected)
{
	for (unsigned int i = 0; i < rejected->n; i++) {
		struct stream *stream = &rejected->streams[i];

		if (rejected->began)
			stream->total += stream->now < stream->seen ? stream->now : stream->now - stream->seen;
		stream->seen = stream->now;
		stream->now = 0;
	}
	rejected->began = true;
}

void rejected__look(struct rejected *rejected)
{
	struct tw_error ignored;

	pthread_mutex_lock(&rejected->lock);
	tw_attached__each(read_classifier, rejected, &ignored);
	take_over(rejected);
	pthread_mutex_unlock(&rejected->lock);
}

struct rejected *rejected__new(const char *ifname)
{
	struct rejected *rejected = calloc(1, sizeof(*rejected));

	if (!rejected)
		return NULL;
	strncpy(rejected->ifname, ifname, sizeof(rejected->ifname) - 1);
	pthread_mutex_init(&rejected->lock, NULL);
	rejected__look(rejected);
	return rejected;
}

void rejected__free(struct rejected *rejected)
{
	if (rejected)
		pthread_mutex_destroy(&rejected->lock);
	free(rejected);
}

uint64_t rejected__of(struct rejected *rejected, uint64_t stream_id)
{
	uint64_t total = 0;

	pthread_mutex_lock(&rejected->lock);
	for (unsigned int i = 0; i < rejected->n; i++)
		total += rejected->streams[i].id == stream_id ? rejected->streams[i].total : 0;
	pthread_mutex_unlock(&rejected->lock);
	return total;
}
