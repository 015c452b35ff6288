/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/admission/standing.h"

#include <errno.h>

bool tw_standing__goes_before(const struct tw_standing *s, const struct tw_standing *other)
{
	if (s->ended != other->ended)
		return s->ended;
	if (s->proof != other->proof)
		return s->proof < other->proof;
	return s->heard < other->heard;
}

static bool is_silent(const struct tw_standing *s, const struct tw_places *places, uint64_t now)
{
	return now > s->heard && now - s->heard > places->silence;
}

static bool gives_way(const struct tw_standing *s, const struct tw_places *places, const struct tw_standing *newcomer)
{
	return s->ended || s->proof == TW_PROOF_NONE || s->proof < newcomer->proof ||
	       is_silent(s, places, newcomer->heard);
}

int tw_standing__choose(const struct tw_standing *there, size_t n, const struct tw_places *places,
			const struct tw_standing *newcomer, size_t *ret)
{
	size_t goes = TW_STANDING_NOBODY, of_any = TW_STANDING_NOBODY, own = 0;
	bool is_crowded;

	for (size_t i = 0; i < n; i++) {
		const bool is_own = there[i].source == newcomer->source;

		own += is_own;
		if (!gives_way(&there[i], places, newcomer))
			continue;
		if (of_any == TW_STANDING_NOBODY || tw_standing__goes_before(&there[i], &there[of_any]))
			of_any = i;
		if (is_own && (goes == TW_STANDING_NOBODY || tw_standing__goes_before(&there[i], &there[goes])))
			goes = i;
	}
	is_crowded = own >= places->of_one_source;
	if (!is_crowded)
		goes = n < places->n ? TW_STANDING_NOBODY : of_any;
	if (goes == TW_STANDING_NOBODY && (is_crowded || n >= places->n))
		return is_crowded ? -EDQUOT : -ENOSPC;
	*ret = goes;
	return 0;
}

/* It ends where the next one of its channel begins. */
static bool row__goes_on(struct tw_number_row *row, unsigned int which, const struct tw_frame_info *info)
{
	const bool goes_on = row->known[which] && row->next[which] == info->seq;

	row->known[which] = info->events; /* without numbers of its own a repetition would go on, too */
	row->next[which] = info->seq + info->events;
	return goes_on;
}

bool tw_number_row__see(struct tw_number_row *row, const struct tw_frame_info *info)
{
	if (info->source == TW_SOURCE_CONTROL)
		return row__goes_on(row, 0, info);
	if (!row->channel)
		row->channel = info->channel;
	return row->channel == info->channel && row__goes_on(row, 1, info);
}
