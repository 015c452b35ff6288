/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This machine's time: who fell silent, who is forgotten, what waited too long. All streams are looked at twice a wait, so what was
 * queued before the last look but one has waited for one at least, and for one and a half at most.
 */
#include "pcap-tools/merge/merge_impl.h"

static bool stream__is_drained(const struct tw_merge_stream *s)
{
	return !s->heap.n && !s->control;
}

/* One that ended is kept for a while, for frames that were overtaken by its END. */
static bool stream__is_over(const struct tw_merge *m, const struct tw_merge_stream *s)
{
	return (s->stats.ended && s->silent && stream__is_drained(s)) || m->now - s->heard >= m->options.retire_ns;
}

static void stream__look(struct tw_merge *m, struct tw_merge_stream *s)
{
	s->silent = m->now - s->heard >= m->options.wait_ns;
	s->moved |= s->samples[1] > s->overdue;
	s->overdue = s->samples[1];
	s->samples[1] = s->samples[0];
	s->samples[0] = s->queued;
	if (m->options.across && s->placed == TW_UNPLACED && m->now - s->joined >= m->options.wait_ns)
		tw_across__guess(m, s);
}

static int watch__look(struct tw_merge *m)
{
	int code = 0;

	m->next_look = m->now + m->options.wait_ns / 2;
	for (size_t i = tw_merge__n(m); i-- > 0 && !code;) {
		stream__look(m, tw_merge__at(m, i));
		if (stream__is_over(m, tw_merge__at(m, i)))
			code = tw_streams__retire(tw_merge__at(m, i)->stream);
	}
	tw_across__look_again(m);
	if (!code)
		code = tw_across__release_ahead(m);
	for (size_t i = 0; i < tw_merge__n(m) && !code; i++)
		code = tw_release__stream(m, tw_merge__at(m, i));
	return code;
}

int tw_watch__frame(struct tw_merge *m, struct tw_merge_stream *s)
{
	s->heard = m->now;
	if (s->silent)
		tw_across__look_again(m);
	s->silent = false;
	return m->now >= m->next_look ? watch__look(m) : 0;
}

int tw_merge__tick(struct tw_merge *m, uint64_t now)
{
	if (now > m->now)
		m->now = now;
	return m->now >= m->next_look ? watch__look(m) : 0;
}
