/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What comes out of a merge is made and counted here; whose turn it is, others decide. All return 0, or what emit returned. */
#ifndef TW_MERGE_OUT_H
#define TW_MERGE_OUT_H

#include "pcap-tools/merge/merge_impl.h"

/* Parts of tw_out__head(), whose other callers are none. */

/** tw_out__hole() - what is missing before the head's next number is waited for no longer */
int tw_out__hole(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c);

/** tw_item__out() - the head's next item */
int tw_item__out(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c);

/** tw_whole__out() - all of the head */
int tw_whole__out(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c);

/**
 * tw_out__head() - the head's next item, or all of it if frames come out whole, goes out, is counted and gone, or is dropped
 * A hole before it is given up first.
 */
static inline int tw_out__head(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c)
{
	struct tw_held *held = c->head;
	const bool packed = m->options.packed;
	int code = 0;

	if (packed && !held->late)
		tw_channel__tell(c, held->content.told);
	if (tw_channel__has_hole(c) && (packed ? held->info.events : held->item.numbered))
		code = tw_out__hole(m, s, c);
	if (code)
		return code;
	held->started = c->begun = true;
	return packed ? tw_whole__out(m, s, c) : tw_item__out(m, s, c);
}

/** tw_out__rest() - nothing more of the head goes out: numbers that it did not use are damaged */
int tw_out__rest(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c);

/** tw_out__control() - the first control frame goes out, as of @time */
int tw_out__control(struct tw_merge *m, struct tw_merge_stream *s, uint64_t time);

/** tw_out__owed() - the end: what was promised and did not come is missing */
int tw_out__owed(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c);

/**
 * tw_out__is_late() - note the time of what goes out now
 * Return: whether something newer went out before: what is ahead is compared only with what is ahead, too
 */
static inline bool tw_out__is_late(struct tw_merge *m, struct tw_merge_stream *s, uint64_t time)
{
	const uint64_t common = m->options.across ? tw_across__time(s, time) : 0;
	uint64_t *last = tw_across__is_ahead(m, common) ? &m->last_ahead : &m->last;
	const bool late = m->options.across ? common < *last : time < s->last;

	if (time > s->last)
		s->last = time;
	if (common > *last)
		*last = common;
	return late;
}

/** tw_out__emit() - with its counts */
static inline int tw_out__emit(struct tw_merge *m, struct tw_merge_stream *s, const struct tw_merged *out)
{
	s->stats.frames_out++;
	s->stats.events_out += out->delivered;
	if (m->forcing)
		s->stats.forced += out->delivered;
	return m->options.emit(m->options.ctx, out);
}

#endif
