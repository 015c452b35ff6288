/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/eviction.h"

#include <errno.h>

/* Slots of the table of addresses. At least half of them stay free, so searches are short. */
#define SHARES (2 * TW_STREAMS_LIVE_MAX)

/* An address, and the number of its streams in a table; streams 0 = a free slot. */
struct share {
	uint64_t source;
	size_t streams;
};

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

static struct share *share_of(struct share shares[SHARES], uint64_t source)
{
	size_t at = source % SHARES;

	while (shares[at].streams && shares[at].source != source)
		at = (at + 1) % SHARES;
	shares[at].source = source;
	return &shares[at];
}

/*
 * Choose a stream of the address with the most streams. Return: its index; TW_STANDING_NOBODY if the newcomer's address would then have
 * more streams than this address.
 */
static size_t find_in_largest_share(const struct tw_standing *there, size_t n, const struct tw_standing *newcomer)
{
	struct share shares[SHARES] = { { .streams = 0 } };
	size_t goes = TW_STANDING_NOBODY, most = 0;

	for (size_t i = 0; i < n; i++)
		share_of(shares, there[i].source)->streams++;
	for (size_t i = 0; i < n; i++) {
		const size_t streams = share_of(shares, there[i].source)->streams;

		if (streams < most || (streams == most && !tw_standing__goes_before(&there[i], &there[goes])))
			continue;
		most = streams;
		goes = i;
	}
	return most > share_of(shares, newcomer->source)->streams + 1 ? goes : TW_STANDING_NOBODY;
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
	/* The address of a newcomer that did not answer may be forged, so the second rule of eviction.h does not apply to it. */
	if (goes == TW_STANDING_NOBODY && !is_crowded && n >= places->n && newcomer->proof == TW_PROOF_ANSWER)
		goes = find_in_largest_share(there, n, newcomer);
	if (goes == TW_STANDING_NOBODY && (is_crowded || n >= places->n))
		return is_crowded ? -EDQUOT : -ENOSPC;
	*ret = goes;
	return 0;
}

/* Note a frame in entry @which of the row. Return: whether the frame begins with the number after the previous frame's last number. */
static bool row__goes_on(struct tw_number_row *row, unsigned int which, const struct tw_frame_info *info)
{
	const bool goes_on = row->next[which] && row->next[which] == info->seq;

	/* A repeated frame without numbers must not count as consecutive. */
	row->next[which] = info->events ? info->seq + info->events : 0;
	return goes_on;
}

bool tw_number_row__see(struct tw_number_row *row, const struct tw_frame_info *info)
{
	if (info->source == TW_SOURCE_CONTROL)
		return row__goes_on(row, 0, info);
	if (row->channel != info->channel) {
		if (row->channel && row->others < TW_OTHERS_MAX) {
			row->others++;
			return false;
		}
		row->channel = info->channel;
		row->next[1] = 0;
	}
	row->others = 0;
	return row__goes_on(row, 1, info);
}
