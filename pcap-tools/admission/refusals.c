/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/admission/refusals.h"

#include <string.h>

#define SLOTS (sizeof(((struct tw_refusals *)0)->index))

static struct tw_refusals_row *row_of(struct tw_refusals *r, const struct tw_peer_address *source, uint64_t number)
{
	size_t at = number % SLOTS;

	for (; r->index[at]; at = (at + 1) % SLOTS) {
		struct tw_refusals_row *row = &r->rows[r->index[at] - 1];

		if (!memcmp(&row->source, source, sizeof(*source)))
			return row;
	}
	if (r->n == TW_REFUSALS_SOURCES)
		return &r->others;
	r->rows[r->n].source = *source;
	r->index[at] = (uint8_t)(r->n + 1);
	return &r->rows[r->n++];
}

void tw_refusals__count(struct tw_refusals *r, const struct tw_peer_address *source, uint64_t number, uint16_t why,
			uint64_t events)
{
	struct tw_refusals_row *row = row_of(r, source, number);

	if (!r->frames)
		r->first = why;
	row->frames++;
	row->events += events;
	r->frames++;
	r->events += events;
	r->reasons[why]++;
}

const char *tw_refusals__why(uint16_t why)
{
	static const char *const texts[] = {
		[TW_REFUSED_UNPROVEN] =
			"none of their frames goes on where another one ended, so they are forged or damaged; "
			"a firewall can keep strangers out",
		[TW_REFUSED_PLACES] =
			"no place is left for a stream that answers no question about its clock, or for any stream; "
			"let UDP through in both directions, or end streams that nobody needs",
		[TW_REFUSED_SOURCE] = "one address has as many streams as it may; raise --streams-per-source",
		[TW_REFUSED_RATE] =
			"streams that answer no question about their clocks bring more than they may; let UDP "
			"through in both directions, or raise --unanswered",
	};

	return texts[why];
}
