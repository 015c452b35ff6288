/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of all streams: a heap of streams, by the common time of the first frame or event that each stream has to emit. */
#include "pcap-tools/merge/merge_impl.h"

static struct tw_merge_stream *stream__of(struct tw_merge_heap_node *node)
{
	return (struct tw_merge_stream *)((uint8_t *)node - offsetof(struct tw_merge_stream, node));
}

/* The latest time of the stream's clock that is not after the common time @common. */
static uint64_t stream__time(const struct tw_merge_stream *s, uint64_t common)
{
	const uint64_t ns = common - (uint64_t)s->offset;

	if (common == UINT64_MAX)
		return UINT64_MAX;
	if (s->offset > 0)
		return tw_clock_scale__ticks(&s->scale, ns < common ? ns : 0);
	return tw_clock_scale__ticks(&s->scale, ns >= common ? ns : UINT64_MAX);
}

/*
 * The earliest time for control frames: that of the newest emitted event. Events of other streams count only if they are not newer than the
 * newest event or watermark of this stream by more than the wait. Even newer events come from a wrong clock or are forged, and must not
 * determine the time of this stream's control frames.
 */
static uint64_t release__last(const struct tw_merge *m, const struct tw_merge_stream *s)
{
	const uint64_t newest = tw_time__later(s->newest, s->queued),
		       others = m->options.one_order && m->last ? stream__time(s, m->last) : 0,
		       last = tw_time__later(s->last, others);

	return last > newest && last - newest > s->wait ? s->last : last;
}

/*
 * Whether the first control frame of the stream is to be emitted now. A control frame precedes the events that are about to be emitted (up
 * to @bound), whatever its own time. If there are no such events, the control frame waits until @bound reaches its time.
 * @ret_time: its time in the order
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
	/* Control frames keep their order of arrival, even if a base time is older than that of the control frame before. */
	time = tw_time__later(tw_time__earlier(time, bound), s->last_control);
	*ret_time = tw_time__later(time, last);
	return true;
}

static int release__control(struct tw_merge *m, struct tw_merge_stream *s, uint64_t bound)
{
	uint64_t time;
	int err = 0;

	while (s->control && !err && release__control_due(m, s, bound, &time))
		err = tw_out__control(m, s, time);
	return err;
}

/* Emits items of the channel at the top of the heap, as long as it stays at the top and its next item is not newer than the bound. */
static int release__run(struct tw_merge *m, struct tw_merge_stream *s, uint64_t bound, size_t keep)
{
	const struct tw_merge_heap_entry *second = tw_merge_heap__second(&s->heap);
	struct tw_merge_channel *c = tw_merge_channel__of(s->heap.entries[0].node);
	struct tw_merge_heap_entry top = { .node = &c->node };
	int err;

	do {
		err = tw_out__next(m, s, c);
		if (err || !c->head || m->pool.queued_bytes <= keep)
			break;
		top.time = c->head->item.time;
	} while (top.time <= bound && (!second || tw_merge_heap_entry__before(&top, second)));
	if (c->head)
		tw_merge_heap__put(&s->heap, &c->node, c->head->item.time);
	else
		tw_merge_heap__remove(&s->heap, &c->node);
	return err;
}

int tw_release__up_to(struct tw_merge *m, struct tw_merge_stream *s, uint64_t bound, size_t keep)
{
	int err = release__control(m, s, bound);

	while (!err && s->heap.n && s->heap.entries[0].time <= bound && m->pool.queued_bytes > keep)
		err = release__run(m, s, bound, keep);
	return err;
}

/* The time up to which events are due: the oldest watermark of all channels; at least `overdue` and the newest watermark minus the wait. */
static uint64_t stream__bound(const struct tw_merge_stream *s)
{
	const uint64_t floor = s->newest > s->wait ? s->newest - s->wait : 0;
	uint64_t bound = s->newest;

	if (s->has_control_watermark && s->control_watermark < bound)
		bound = tw_time__later(s->control_watermark, floor);
	for (size_t i = 0; i < s->n_channels; i++)
		bound = tw_time__earlier(bound, tw_time__later(s->channels[i]->watermark, floor));
	return tw_time__later(tw_time__later(bound, s->overdue), s->bound);
}

/* The time of the stream's next output, by the stream's clock. Return: false if nothing is queued */
static bool stream__first(const struct tw_merge_stream *s, uint64_t *ret)
{
	const uint64_t event = s->heap.n ? s->heap.entries[0].time : UINT64_MAX;
	const uint64_t control = s->control ? s->control->info.base_time : UINT64_MAX;

	*ret = tw_time__earlier(event, control);
	return s->heap.n || s->control;
}

/* Moves the stream to its place in the heap. */
static void order__put(struct tw_merge *m, struct tw_merge_stream *s)
{
	uint64_t first;

	if (s->placed == TW_UNPLACED)
		return;
	if (!stream__first(s, &first)) {
		tw_merge_heap__remove(&m->order, &s->node);
		return;
	}
	first = tw_order__time(s, first);
	if (s->node.at == TW_MERGE_HEAP_OUT || m->order.entries[s->node.at].time != first)
		tw_merge_heap__put(&m->order, &s->node, first);
}

/*
 * Whether other streams wait for this one. A stream that ended delays others only if it has queued events and is not placed yet: these
 * events may be the oldest.
 */
static bool stream__holds_others(const struct tw_merge_stream *s)
{
	return !s->silent && (!s->stats.ended || (s->placed == TW_UNPLACED && s->heap.n));
}

static bool stream__is_ahead(const struct tw_merge *m, const struct tw_merge_stream *s)
{
	return s->placed != TW_UNPLACED &&
	       tw_order__is_ahead(m, tw_order__time(s, tw_time__later(s->newest, s->queued)));
}

/*
 * Whether a stream can confirm the present common time. A stream that was placed by arrival cannot: its newest common time was derived from
 * the present common time, and so agrees with it in any case.
 */
static bool stream__has_say(const struct tw_merge_stream *s)
{
	return s->placed == TW_PLACED || s->placed == TW_PLACED_BY_GUESS;
}

/*
 * Sets `judged`: whether at least one stream confirms the present common time. If some streams answered, only these can confirm it, so that
 * forged frames do not decide. If `judged` changes, so does the set of streams that are ahead.
 */
static void order__judge(struct tw_merge *m)
{
	bool judged = false, any_answered = false;

	for (size_t i = 0; i < tw_merge__n(m) && m->plausible; i++) {
		const struct tw_merge_stream *s = tw_merge__at(m, i);
		const uint64_t newest = tw_time__later(s->newest, s->queued);

		if (!stream__has_say(s) || !newest || (any_answered && !s->answered))
			continue;
		if (s->answered && !any_answered) {
			any_answered = true;
			judged = false;
		}
		judged |= tw_order__time(s, newest) <= m->now + m->plausible;
	}
	if (judged == m->judged)
		return;
	m->judged = judged;
	tw_order__forget_last(m);
}

/*
 * Computes again, from all streams: `slowest` and its bound `least`, `newest`, and `overdue`, the time up to which events have waited too
 * long.
 */
static void order__look(struct tw_merge *m)
{
	order__judge(m);
	m->slowest = NULL;
	m->newest = m->overdue = 0;
	for (size_t i = 0; i < tw_merge__n(m); i++) {
		struct tw_merge_stream *s = tw_merge__at(m, i);
		const bool ahead = stream__is_ahead(m, s), placed = s->placed != TW_UNPLACED && !ahead;
		const uint64_t bound = placed ? tw_order__time(s, s->bound) : 0;

		if (placed && s->newest && !s->silent)
			m->newest = tw_time__later(m->newest, tw_order__time(s, s->newest));
		if (placed && s->overdue)
			m->overdue = tw_time__later(m->overdue, tw_order__time(s, s->overdue));
		if (!ahead && stream__holds_others(s) && (!m->slowest || bound < m->least)) {
			m->least = bound;
			m->slowest = s;
		}
	}
	if (!m->slowest)
		m->least = m->newest;
}

static void order__update(struct tw_merge *m, struct tw_merge_stream *s, bool moved)
{
	const uint64_t wait_ns = m->options.wait_ns;

	order__put(m, s);
	if (!m->slowest || (moved && m->slowest == s) || (m->plausible && !m->judged))
		order__look(m);
	else if (moved && s->newest && s->placed != TW_UNPLACED && !stream__is_ahead(m, s))
		m->newest = tw_time__later(m->newest, tw_order__time(s, s->newest));
	m->due = tw_time__later(tw_time__later(m->least, m->overdue), m->newest > wait_ns ? m->newest - wait_ns : 0);
	m->bound = tw_time__earlier(m->due, m->hold);
}

int tw_order__release_ahead(struct tw_merge *m)
{
	int err = 0;

	for (size_t i = 0; i < tw_merge__n(m) && !err; i++) {
		struct tw_merge_stream *s = tw_merge__at(m, i);

		if (!stream__is_ahead(m, s))
			continue;
		err = tw_release__up_to(m, s, s->overdue, 0);
		order__put(m, s);
	}
	return err;
}

/* The time, by the clock of @s, up to which @s is emitted now. @s is the first stream of the order; after that time, the second is due. */
static uint64_t order__limit(const struct tw_merge *m, const struct tw_merge_stream *s, uint64_t bound)
{
	const struct tw_merge_heap_entry *second = tw_merge_heap__second(&m->order);
	uint64_t first = 0, limit;

	if (second && second->time <= bound)
		bound = second->time - (second->node->id < s->id);
	limit = stream__time(s, bound);
	/* The first frame or event of @s is emitted in any case, even at the ends of the time range, where sums saturate. */
	stream__first(s, &first);
	return tw_time__later(limit, first);
}

static int order__up_to(struct tw_merge *m, uint64_t bound, size_t keep)
{
	int err = 0;

	while (!err && m->order.n && m->order.entries[0].time <= bound && m->pool.queued_bytes > keep) {
		struct tw_merge_stream *s = stream__of(m->order.entries[0].node);

		err = tw_release__up_to(m, s, order__limit(m, s, bound), keep);
		order__put(m, s);
	}
	return err;
}

int tw_merge__hold(struct tw_merge *m, uint64_t until)
{
	m->hold = until;
	m->bound = tw_time__earlier(m->due, m->hold);
	return order__up_to(m, m->bound, 0);
}

uint64_t tw_merge__bound(const struct tw_merge *m)
{
	return m->bound;
}

/*
 * Whether a stream can be placed by the arrival of its newest event: the present common time is known, and either a stream confirms
 * it, or no other stream has a watermark.
 */
static bool stream__arrival_known(const struct tw_merge *m, const struct tw_merge_stream *s)
{
	return m->plausible && s->came && (m->judged || !m->newest);
}

void tw_order__guess(struct tw_merge *m, struct tw_merge_stream *s)
{
	uint64_t place, time = tw_time__later(s->newest, s->queued);

	order__look(m);
	place = m->newest;
	s->placed = TW_PLACED_BY_GUESS;
	if (stream__arrival_known(m, s)) {
		place = s->came + (m->plausible - m->options.wait_ns);
		time = s->queued;
		s->placed = TW_PLACED_BY_ARRIVAL;
	}
	s->offset = place ? (int64_t)(place - tw_clock_scale__ns(&s->scale, time)) : 0;
	order__put(m, s);
	tw_order__look_again(m);
}

void tw_order__forget_last(struct tw_merge *m)
{
	m->last = m->last_ahead = 0;
	for (size_t i = 0; i < tw_merge__n(m); i++) {
		const struct tw_merge_stream *s = tw_merge__at(m, i);
		const uint64_t last = s->placed != TW_UNPLACED && s->last ? tw_order__time(s, s->last) : 0;

		if (tw_order__is_ahead(m, last))
			m->last_ahead = tw_time__later(m->last_ahead, last);
		else
			m->last = tw_time__later(m->last, last);
	}
}

static int release__ordered(struct tw_merge *m, struct tw_merge_stream *s, bool moved)
{
	/*
	 * If the merge reads a file, the stream's own time determines how long the stream waits for its offset. During a capture,
	 * CLOCK_MONOTONIC determines that (stream__look()), because events of many seconds may arrive at once.
	 */
	if (s->placed == TW_UNPLACED && !m->plausible && s->newest - s->first >= s->wait)
		tw_order__guess(m, s);
	order__update(m, s, moved);
	return order__up_to(m, m->bound, 0);
}

int tw_release__stream(struct tw_merge *m, struct tw_merge_stream *s)
{
	const bool moved = s->moved;

	if (moved)
		s->bound = stream__bound(s);
	s->moved = false;
	if (m->options.one_order)
		return release__ordered(m, s, moved);
	if (!moved && (!s->heap.n || s->heap.entries[0].time > s->bound))
		return 0;
	return tw_release__up_to(m, s, s->bound, 0);
}

/*
 * Emits the oldest events until at most @keep bytes are queued. With one_order, these are the oldest events of all streams; streams without
 * an offset get one. Without one_order, events of @s are emitted first, then events of the other streams.
 */
static int release__oldest(struct tw_merge *m, struct tw_merge_stream *s, size_t keep)
{
	int err;

	if (m->options.one_order) {
		for (size_t i = 0; i < tw_merge__n(m); i++) {
			if (tw_merge__at(m, i)->placed == TW_UNPLACED)
				tw_order__guess(m, tw_merge__at(m, i));
		}
		return order__up_to(m, UINT64_MAX, keep);
	}
	err = s ? tw_release__up_to(m, s, UINT64_MAX, keep) : 0;
	for (size_t i = 0; i < tw_merge__n(m) && !err && m->pool.queued_bytes > keep; i++)
		err = tw_release__up_to(m, tw_merge__at(m, i), UINT64_MAX, keep);
	return err;
}

int tw_release__relieve(struct tw_merge *m, struct tw_merge_stream *s)
{
	const size_t keep = m->options.memory - m->options.memory / 8; /* until an eighth of the memory is free */
	int err;

	if (m->pool.queued_bytes <= m->options.memory)
		return 0;
	m->forcing = true;
	err = release__oldest(m, s, keep);
	m->forcing = false;
	return err;
}

int tw_merge__flush(struct tw_merge *m)
{
	int err = release__oldest(m, NULL, 0);

	for (size_t i = 0; i < tw_merge__n(m) && !err; i++)
		err = tw_out__end(m, tw_merge__at(m, i));
	return err;
}

void tw_merge__set_present(struct tw_merge *m, uint64_t now, uint64_t time)
{
	m->plausible = time > now ? time - now + m->options.wait_ns : 0;
}

void tw_merge__set_answered(struct tw_merge *m, uint64_t stream_id)
{
	struct tw_merge_stream *s = tw_merge__find(m, stream_id);

	if (!s || s->answered)
		return;
	s->answered = true;
	tw_order__look_again(m);
}

static bool order__knows_one(const struct tw_merge *m)
{
	for (size_t i = 0; i < tw_merge__n(m); i++) {
		if (tw_merge__at(m, i)->placed == TW_PLACED)
			return true;
	}
	return false;
}

bool tw_merge__placed_by_arrival(const struct tw_merge *m, uint64_t stream_id, int64_t *ret)
{
	const struct tw_merge_stream *s = tw_merge__find(m, stream_id);

	if (!s || s->placed != TW_PLACED_BY_ARRIVAL)
		return false;
	*ret = s->offset;
	return true;
}

/* Called when the first stream gets its own offset. Streams that were placed by a guess become unplaced: the guess is unrelated to it. */
static void order__guess_anew(struct tw_merge *m)
{
	for (size_t i = 0; i < tw_merge__n(m); i++) {
		if (tw_merge__at(m, i)->placed == TW_PLACED_BY_GUESS) {
			tw_merge__at(m, i)->placed = TW_UNPLACED;
			tw_merge_heap__remove(&m->order, &tw_merge__at(m, i)->node);
		}
	}
}

/* Updates the order after the offset or the scale of @s has changed, and emits what is due. */
static int order__place_anew(struct tw_merge *m, struct tw_merge_stream *s)
{
	tw_order__forget_last(m);
	tw_order__look_again(m);
	order__update(m, s, true);
	return order__up_to(m, m->bound, 0);
}

int tw_merge__set_scale(struct tw_merge *m, uint64_t stream_id, const struct tw_clock_scale *scale)
{
	struct tw_merge_stream *s;
	const int err = tw_merge__get(m, stream_id, &s);

	if (err || (s->scale.mult == scale->mult && s->scale.shift == scale->shift))
		return err;
	s->scale = *scale;
	s->wait = tw_clock_scale__ticks(scale, m->options.wait_ns);
	return m->options.one_order ? order__place_anew(m, s) : 0;
}

int tw_merge__set_offset(struct tw_merge *m, uint64_t stream_id, int64_t offset)
{
	struct tw_merge_stream *s;
	bool is_first;
	int err;

	if (!m->options.one_order)
		return 0;
	is_first = !order__knows_one(m);
	err = tw_merge__get(m, stream_id, &s);
	if (err || (s->placed == TW_PLACED && s->offset == offset))
		return err;
	if (is_first)
		order__guess_anew(m);
	s->offset = offset;
	s->placed = TW_PLACED;
	return order__place_anew(m, s);
}
