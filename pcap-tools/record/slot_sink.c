/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/record/slot_sink.h"

#include <errno.h>
#include <stdlib.h>

struct slot_sink {
	struct tw_sink sink;
	struct tw_slot_queue *queue;
	uint32_t batch;
	struct tw_slot *current;               /* reserved */
	struct tw_slot_list unused, committed; /* not handed over yet */
	struct tw_sink_stats stats;
};

/* Also after the writer failed, which counts it then. */
static int sink__hand_over(struct slot_sink *s)
{
	return tw_slot_queue__put(s->queue, &s->committed);
}

static void *sink__reserve(struct tw_sink *sink)
{
	struct slot_sink *s = (struct slot_sink *)sink;

	if (s->current)
		return s->current->data;
	if (!s->unused.first)
		tw_slot_queue__take(s->queue, s->batch, &s->unused);
	s->current = tw_slot_list__pop(&s->unused);
	if (s->current)
		return s->current->data;
	s->stats.waits++;
	return NULL;
}

static void sink__commit(struct tw_sink *sink, size_t len)
{
	struct slot_sink *s = (struct slot_sink *)sink;

	s->current->len = s->current->segment = len;
	s->current->arrival = (struct tw_arrival){ 0 };
	s->current->retires = false;
	tw_slot_list__push(&s->committed, s->current);
	s->current = NULL;
	s->stats.frames++;
	s->stats.bytes += len;
	if (s->committed.n >= s->batch)
		sink__hand_over(s);
}

static int sink__flush(struct tw_sink *sink)
{
	struct slot_sink *s = (struct slot_sink *)sink;
	const int code = sink__hand_over(s);

	return code == -EAGAIN && s->unused.first ? 0 : code;
}

static void sink__stats(struct tw_sink *sink, struct tw_sink_stats *ret)
{
	*ret = ((struct slot_sink *)sink)->stats;
}

static void sink__give_up(struct tw_sink *sink)
{
	struct slot_sink *s = (struct slot_sink *)sink;

	for (const struct tw_slot *slot = s->committed.first; slot; slot = slot->next)
		tw_sink_stats__drop(&s->stats, slot->data);
	tw_slot_list__append(&s->unused, &s->committed);
}

static void sink__close(struct tw_sink *sink)
{
	struct slot_sink *s = (struct slot_sink *)sink;

	if (s->current)
		tw_slot_list__push(&s->unused, s->current);
	tw_slot_list__append(&s->unused, &s->committed);
	tw_slot_queue__give(s->queue, &s->unused);
	free(s);
}

struct tw_sink *tw_slot_sink__new(struct tw_slot_queue *queue, uint32_t batch, size_t frame_max)
{
	static const struct tw_sink_ops ops = {
		.reserve = sink__reserve,
		.commit = sink__commit,
		.flush = sink__flush,
		.stats = sink__stats,
		.give_up = sink__give_up,
		.close = sink__close,
	};
	struct slot_sink *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->sink = (struct tw_sink){ .ops = &ops, .frame_max = frame_max, .how = "pcapng file" };
	s->queue = queue;
	s->batch = batch;
	return &s->sink;
}
