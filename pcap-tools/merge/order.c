/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order across streams: a heap of them by the time of what each has to go out first, on the common time line. */
#include "pcap-tools/merge/merge_impl.h"

static struct tw_merge_stream *stream__of(struct tw_heap_node *node)
{
	return (struct tw_merge_stream *)((uint8_t *)node - offsetof(struct tw_merge_stream, node));
}

/* The latest time of the stream's clock that is not behind that one of the common line. */
static uint64_t stream__time(const struct tw_merge_stream *s, uint64_t common)
{
	const uint64_t ns = common - (uint64_t)s->offset;

	if (common == UINT64_MAX)
		return UINT64_MAX;
	if (s->offset > 0)
		return tw_clock_scale__ticks(&s->scale, ns < common ? ns : 0);
	return tw_clock_scale__ticks(&s->scale, ns >= common ? ns : UINT64_MAX);
}

uint64_t tw_across__last(const struct tw_merge *m, const struct tw_merge_stream *s)
{
	return tw_later(s->last, m->last ? stream__time(s, m->last) : 0);
}

/* What goes out first, in the stream's clock. Return: false if nothing waits */
static bool stream__first(const struct tw_merge_stream *s, uint64_t *ret)
{
	const uint64_t event = s->heap.n ? s->heap.entries[0].time : UINT64_MAX;
	const uint64_t control = s->control ? s->control->info.base_time : UINT64_MAX;

	*ret = event < control ? event : control;
	return s->heap.n || s->control;
}

/* To its place in the heap. */
static void across__put(struct tw_merge *m, struct tw_merge_stream *s)
{
	uint64_t first;

	if (s->placed == TW_UNPLACED)
		return;
	if (!stream__first(s, &first)) {
		tw_heap__remove(&m->order, &s->node);
		return;
	}
	first = tw_across__time(s, first);
	if (s->node.at == TW_HEAP_OUT || m->order.entries[s->node.at].time != first)
		tw_heap__put(&m->order, &s->node, first);
}

/* One that ended promises no more, but what waits of it for its place may belong before all others. */
static bool stream__holds_others(const struct tw_merge_stream *s)
{
	return !s->silent && (!s->stats.ended || (s->placed == TW_UNPLACED && s->heap.n));
}

static bool stream__is_ahead(const struct tw_merge *m, const struct tw_merge_stream *s)
{
	return s->placed != TW_UNPLACED && tw_across__is_ahead(m, tw_across__time(s, tw_later(s->newest, s->queued)));
}

/* Whether its clock can say that this machine's time is right. One that was placed by this time agrees with it in any case. */
static bool stream__has_say(const struct tw_merge_stream *s)
{
	return s->placed == TW_PLACED || s->placed == TW_PLACED_BY_GUESS;
}

/*
 * Whether this machine's time is to be believed, as one stream at least agrees: of those that answered, if there are any, so that forged
 * frames do not decide. What went out before it was is judged anew.
 */
static void across__judge(struct tw_merge *m)
{
	bool judged = false, any_answered = false;

	for (size_t i = 0; i < tw_merge__n(m) && m->plausible; i++) {
		const struct tw_merge_stream *s = tw_merge__at(m, i);
		const uint64_t newest = tw_later(s->newest, s->queued);

		if (!stream__has_say(s) || !newest || (any_answered && !s->answered))
			continue;
		if (s->answered && !any_answered) {
			any_answered = true;
			judged = false;
		}
		judged |= tw_across__time(s, newest) <= m->now + m->plausible;
	}
	if (judged == m->judged)
		return;
	m->judged = judged;
	tw_across__forget_last(m);
}

/* Look at all streams: what all of them promise, how far the newest is, what waited too long. */
static void across__look(struct tw_merge *m)
{
	across__judge(m);
	m->slowest = NULL;
	m->newest = m->overdue = 0;
	for (size_t i = 0; i < tw_merge__n(m); i++) {
		struct tw_merge_stream *s = tw_merge__at(m, i);
		const bool ahead = stream__is_ahead(m, s), placed = s->placed != TW_UNPLACED && !ahead;
		const uint64_t bound = placed ? tw_across__time(s, s->bound) : 0;

		if (placed && s->newest && !s->silent)
			m->newest = tw_later(m->newest, tw_across__time(s, s->newest));
		if (placed && s->overdue)
			m->overdue = tw_later(m->overdue, tw_across__time(s, s->overdue));
		if (!ahead && stream__holds_others(s) && (!m->slowest || bound < m->least)) {
			m->least = bound;
			m->slowest = s;
		}
	}
	if (!m->slowest)
		m->least = m->newest;
}

void tw_across__update(struct tw_merge *m, struct tw_merge_stream *s, bool moved)
{
	const uint64_t wait_ns = m->options.wait_ns;

	across__put(m, s);
	if (!m->slowest || (moved && m->slowest == s) || (m->plausible && !m->judged))
		across__look(m);
	else if (moved && s->newest && s->placed != TW_UNPLACED && !stream__is_ahead(m, s))
		m->newest = tw_later(m->newest, tw_across__time(s, s->newest));
	m->bound = tw_later(tw_later(m->least, m->overdue), m->newest > wait_ns ? m->newest - wait_ns : 0);
}

int tw_across__release_ahead(struct tw_merge *m)
{
	int code = 0;

	for (size_t i = 0; i < tw_merge__n(m) && !code; i++) {
		struct tw_merge_stream *s = tw_merge__at(m, i);

		if (!stream__is_ahead(m, s))
			continue;
		code = tw_release__up_to(m, s, s->overdue, 0);
		across__put(m, s);
	}
	return code;
}

int tw_across__release(struct tw_merge *m)
{
	return tw_across__up_to(m, m->bound, 0);
}

/* How far the first stream may go on before another has its turn, in its own clock. */
static uint64_t across__limit(const struct tw_merge *m, const struct tw_merge_stream *s, uint64_t bound)
{
	const struct tw_heap_entry *second = tw_heap__second(&m->order);
	uint64_t first = 0, limit;

	if (second && second->time <= bound)
		bound = second->time - (second->node->id < s->id);
	limit = stream__time(s, bound);
	stream__first(s, &first); /* goes out in any case, at the ends of time too, where sums are cut */
	return tw_later(limit, first);
}

int tw_across__up_to(struct tw_merge *m, uint64_t bound, size_t keep)
{
	int code = 0;

	while (!code && m->order.n && m->order.entries[0].time <= bound && m->pool.held_bytes > keep) {
		struct tw_merge_stream *s = stream__of(m->order.entries[0].node);

		code = tw_release__up_to(m, s, across__limit(m, s, bound), keep);
		across__put(m, s);
	}
	return code;
}

/* Whether a stream can be placed by when its newest came: that was told, and no other stream's clock says that this machine's time is wrong. */
static bool stream__arrival_known(const struct tw_merge *m, const struct tw_merge_stream *s)
{
	return m->plausible && s->came && (m->judged || !m->newest);
}

void tw_across__guess(struct tw_merge *m, struct tw_merge_stream *s)
{
	uint64_t place, time = tw_later(s->newest, s->queued);

	across__look(m);
	place = m->newest;
	s->placed = TW_PLACED_BY_GUESS;
	if (stream__arrival_known(m, s)) {
		place = s->came + (m->plausible - m->options.wait_ns);
		time = s->queued;
		s->placed = TW_PLACED_BY_ARRIVAL;
	}
	s->offset = place ? (int64_t)(place - tw_clock_scale__ns(&s->scale, time)) : 0;
	across__put(m, s);
	tw_across__look_again(m);
}

void tw_across__forget_last(struct tw_merge *m)
{
	m->last = m->last_ahead = 0;
	for (size_t i = 0; i < tw_merge__n(m); i++) {
		const struct tw_merge_stream *s = tw_merge__at(m, i);
		const uint64_t last = s->placed != TW_UNPLACED && s->last ? tw_across__time(s, s->last) : 0;

		if (tw_across__is_ahead(m, last))
			m->last_ahead = tw_later(m->last_ahead, last);
		else
			m->last = tw_later(m->last, last);
	}
}

void tw_merge__set_present(struct tw_merge *m, uint64_t now, uint64_t time)
{
	m->plausible = time > now ? time - now + m->options.wait_ns : 0;
}

void tw_merge__set_answered(struct tw_merge *m, uint64_t stream_id)
{
	struct tw_merge_stream *s = tw_merge_streams__find(m, stream_id);

	if (!s || s->answered)
		return;
	s->answered = true;
	tw_across__look_again(m);
}

static bool across__knows_one(const struct tw_merge *m)
{
	for (size_t i = 0; i < tw_merge__n(m); i++) {
		if (tw_merge__at(m, i)->placed == TW_PLACED)
			return true;
	}
	return false;
}

bool tw_merge__placed_by_arrival(const struct tw_merge *m, uint64_t stream_id, int64_t *ret)
{
	const struct tw_merge_stream *s = tw_merge_streams__find(m, stream_id);

	if (!s || s->placed != TW_PLACED_BY_ARRIVAL)
		return false;
	*ret = s->offset;
	return true;
}

/* The first offset that is known: what was guessed without one is nowhere near. */
static void across__guess_anew(struct tw_merge *m)
{
	for (size_t i = 0; i < tw_merge__n(m); i++) {
		if (tw_merge__at(m, i)->placed == TW_PLACED_BY_GUESS) {
			tw_merge__at(m, i)->placed = TW_UNPLACED;
			tw_heap__remove(&m->order, &tw_merge__at(m, i)->node);
		}
	}
}

int tw_merge__set_scale(struct tw_merge *m, uint64_t stream_id, const struct tw_clock_scale *scale)
{
	struct tw_merge_stream *s;
	const int code = tw_merge_streams__get(m, stream_id, &s);

	if (code || (s->scale.mult == scale->mult && s->scale.shift == scale->shift))
		return code;
	s->scale = *scale;
	s->wait = tw_clock_scale__ticks(scale, m->options.wait_ns);
	if (!m->options.across)
		return 0;
	tw_across__forget_last(m);
	tw_across__look_again(m);
	tw_across__update(m, s, true);
	return tw_across__release(m);
}

int tw_merge__set_offset(struct tw_merge *m, uint64_t stream_id, int64_t offset)
{
	struct tw_merge_stream *s;
	bool is_first;
	int code;

	if (!m->options.across)
		return 0;
	is_first = !across__knows_one(m);
	code = tw_merge_streams__get(m, stream_id, &s);
	if (code || (s->placed == TW_PLACED && s->offset == offset))
		return code;
	if (is_first)
		across__guess_anew(m);
	s->offset = offset;
	s->placed = TW_PLACED;
	tw_across__forget_last(m);
	tw_across__look_again(m);
	tw_across__update(m, s, true);
	return tw_across__release(m);
}
