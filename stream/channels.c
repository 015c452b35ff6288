/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/channels.h"

enum tw_stream_arrival tw_stream_channel__see(struct tw_stream_channel *c, uint64_t seq, uint16_t events,
					      uint64_t *ret_missing)
{
	const uint64_t expected = c->next, end = seq + events;

	*ret_missing = 0;
	if (!c->known) {
		c->known = true;
		c->next = end;
		return TW_STREAM_IN_ORDER;
	}
	if (seq == expected)
		c->next = end;
	if (seq == expected || !events)
		return TW_STREAM_IN_ORDER;
	if (seq > expected) {
		tw_stream_channel__miss(c, expected, seq, NULL);
		c->next = end;
		*ret_missing = seq - expected;
		return TW_STREAM_AFTER_GAP;
	}
	if (end > expected)
		c->next = end;
	return tw_stream_channel__gap(c, seq, end) ? TW_STREAM_LATE : TW_STREAM_DUPLICATE;
}

void tw_stream_channel__miss(struct tw_stream_channel *c, uint64_t from, uint64_t to, uint64_t *counter)
{
	if (from == to)
		return;
	c->gaps[c->next_gap] = (struct tw_stream_gap){ .from = from, .to = to, .counter = counter };
	c->next_gap = (uint8_t)((c->next_gap + 1) % TW_STREAM_CHANNEL_GAPS_MAX);
}

struct tw_stream_gap *tw_stream_channel__gap(struct tw_stream_channel *c, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < TW_STREAM_CHANNEL_GAPS_MAX; i++) {
		if (from >= c->gaps[i].from && to <= c->gaps[i].to)
			return &c->gaps[i];
	}
	return NULL;
}

bool tw_stream_channel__fill(struct tw_stream_channel *c, uint64_t from, uint64_t to, uint64_t **ret_counter)
{
	struct tw_stream_gap *gap = tw_stream_channel__gap(c, from, to);
	uint64_t begin;

	if (!gap)
		return false;
	*ret_counter = gap->counter;
	begin = gap->from;
	gap->from = to;
	tw_stream_channel__miss(c, begin, from, gap->counter);
	return true;
}
