/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much was refused of streams that were not admitted, by the address that it came from. */
#ifndef TW_REFUSALS_H
#define TW_REFUSALS_H

#include "transport/receiver.h"
#include "wire/tracewire.h"

#define TW_REFUSALS_SOURCES 64 /* told one by one; more are added up */

/* Why; those of TW_REFUSED_LIST a sender is told. */
#define TW_REFUSED_UNPROVEN 0 /* no frame went on where another one of the stream had ended */
#define TW_REFUSED_REASONS  (TW_REFUSED_RATE + 1)

struct tw_refusals_row {
	struct tw_peer_address source;
	uint64_t frames, events;
};

struct tw_refusals {
	uint64_t frames, events;              /* of all */
	uint64_t reasons[TW_REFUSED_REASONS]; /* frames */
	uint64_t gave_way;                    /* streams that were admitted and had to make room */
	uint16_t first;                       /* why the first was refused */
	size_t n;
	struct tw_refusals_row rows[TW_REFUSALS_SOURCES]; /* in the order in which they came */
	struct tw_refusals_row others;
	uint8_t index[4 * TW_REFUSALS_SOURCES]; /* internal: a row's number + 1, by the source's */
};

/** tw_refusals__count() - one frame more. @number: what stands for @source, hard to guess; @why: TW_REFUSED_* */
void tw_refusals__count(struct tw_refusals *refusals, const struct tw_peer_address *source, uint64_t number,
			uint16_t why, uint64_t events);

/** tw_refusals__why() - a reason in words, and how to mend it */
const char *tw_refusals__why(uint16_t why);

#endif
