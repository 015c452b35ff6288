/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/out.h"

/* The channel's next item, over the ends of frames. */
static int release__advance(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c)
{
	int code;

	if (!m->options.packed && tw_held__next(c->head))
		return 0;
	code = tw_out__rest(m, s, c);
	tw_frame_pool__give(&m->pool, tw_channel__drop_head(c));
	return code;
}

/*
 * Control frames do not go out with a time before the newest event that did. Events of other streams count only if they are not newer than
 * this stream by more than the wait: those come from a clock that is far ahead, or from a stranger, and must not date this stream.
 */
static uint64_t release__last(const struct tw_merge *m, const struct tw_merge_stream *s)
{
	const uint64_t newest = tw_later(s->newest, s->queued),
		       last = m->options.across ? tw_across__last(m, s) : s->last;

	return last > newest && last - newest > s->wait ? s->last : last;
}

/*
 * Whatever the date of a control frame, it precedes the events that are about to go out; without events it waits for its time.
 * Return: whether it goes out at a bound, and as of when.
 */
static bool release__control_due(const struct tw_merge *m, const struct tw_merge_stream *s, uint64_t bound,
				 uint64_t *ret_time)
{
	const uint64_t last = release__last(m, s);
	uint64_t time = s->control->info.base_time;

	if (s->heap.n && s->heap.entries[0].time <= bound)
		bound = s->heap.entries[0].time;
	else if (time > bound)
		return false;
	time = time < bound ? time : bound;
	time = time > s->told ? time : s->told; /* one about the past may come behind one of now */
	*ret_time = time > last ? time : last;
	return true;
}

static int release__control(struct tw_merge *m, struct tw_merge_stream *s, uint64_t bound)
{
	uint64_t time;
	int code = 0;

	while (s->control && !code && release__control_due(m, s, bound, &time))
		code = tw_out__control(m, s, time);
	return code;
}

/* The top channel's items, as long as it stays the top and is not newer than the bound. */
static int release__run(struct tw_merge *m, struct tw_merge_stream *s, uint64_t bound, size_t keep)
{
	const struct tw_heap_entry *second = tw_heap__second(&s->heap);
	struct tw_channel *c = tw_channel__of(s->heap.entries[0].node);
	struct tw_heap_entry top = { .node = &c->node };
	int code;

	do {
		code = tw_out__head(m, s, c);
		if (!code)
			code = release__advance(m, s, c);
		if (code || !c->head || m->pool.held_bytes <= keep)
			break;
		top.time = c->head->item.time;
	} while (top.time <= bound && (!second || tw_heap_entry__before(&top, second)));
	if (c->head)
		tw_heap__put(&s->heap, &c->node, c->head->item.time);
	else
		tw_heap__remove(&s->heap, &c->node);
	return code;
}

int tw_release__up_to(struct tw_merge *m, struct tw_merge_stream *s, uint64_t bound, size_t keep)
{
	int code = release__control(m, s, bound);

	while (!code && s->heap.n && s->heap.entries[0].time <= bound && m->pool.held_bytes > keep)
		code = release__run(m, s, bound, keep);
	return code;
}

int tw_release__settle(struct tw_merge *m, struct tw_merge_stream *s)
{
	int code = 0;

	for (size_t i = 0; i < s->n_channels && !code; i++)
		code = tw_out__owed(m, s, s->channels[i]);
	return code;
}

/* The oldest of all channels' watermarks; none holds the others up for longer than the wait. */
static uint64_t stream__bound(const struct tw_merge_stream *s)
{
	const uint64_t floor = s->newest > s->wait ? s->newest - s->wait : 0;
	uint64_t bound = s->newest;

	if (s->control_marked && s->control_mark < bound)
		bound = tw_later(s->control_mark, floor);
	for (size_t i = 0; i < s->n_channels; i++) {
		const uint64_t mark = tw_later(s->channels[i]->mark, floor);

		if (mark < bound)
			bound = mark;
	}
	return tw_later(tw_later(bound, s->overdue), s->bound);
}

static int release__across(struct tw_merge *m, struct tw_merge_stream *s, bool moved)
{
	/* In a file the stream's own time tells how long it waits. Live it does not: events of many seconds may come at once. */
	if (s->placed == TW_UNPLACED && !m->plausible && s->newest - s->first >= s->wait)
		tw_across__guess(m, s);
	tw_across__update(m, s, moved);
	return tw_across__release(m);
}

int tw_release__stream(struct tw_merge *m, struct tw_merge_stream *s)
{
	const bool moved = s->moved;

	if (moved)
		s->bound = stream__bound(s);
	s->moved = false;
	if (m->options.across)
		return release__across(m, s, moved);
	if (!moved && (!s->heap.n || s->heap.entries[0].time > s->bound))
		return 0;
	return tw_release__up_to(m, s, s->bound, 0);
}

/* Streams that are held for want of an offset wait no longer. */
static void release__place_all(struct tw_merge *m)
{
	for (size_t i = 0; i < tw_merge__n(m); i++) {
		if (tw_merge__at(m, i)->placed == TW_UNPLACED)
			tw_across__guess(m, tw_merge__at(m, i));
	}
}

/* The oldest of all, until so much is held. */
static int release__oldest(struct tw_merge *m, struct tw_merge_stream *s, size_t keep)
{
	int code;

	if (m->options.across) {
		release__place_all(m);
		return tw_across__up_to(m, UINT64_MAX, keep);
	}
	code = s ? tw_release__up_to(m, s, UINT64_MAX, keep) : 0;
	for (size_t i = 0; i < tw_merge__n(m) && !code && m->pool.held_bytes > keep; i++)
		code = tw_release__up_to(m, tw_merge__at(m, i), UINT64_MAX, keep);
	return code;
}

int tw_release__relieve(struct tw_merge *m, struct tw_merge_stream *s)
{
	const size_t keep = m->options.memory - m->options.memory / 8; /* until an eighth is free again */
	int code;

	if (m->pool.held_bytes <= m->options.memory)
		return 0;
	m->forcing = true;
	code = release__oldest(m, s, keep);
	m->forcing = false;
	return code;
}

int tw_merge__flush(struct tw_merge *m)
{
	int code = release__oldest(m, NULL, 0);

	for (size_t i = 0; i < tw_merge__n(m) && !code; i++)
		code = tw_release__settle(m, tw_merge__at(m, i));
	return code;
}
