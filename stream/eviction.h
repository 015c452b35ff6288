/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choice of the stream that leaves a full table: one policy for all tables, independent of the table.
 *
 * A stream that ended leaves first, then one without proof, then one with consecutive numbers, and last one that answered a time
 * synchronisation request; among equals, the one silent for longest. A stream does not leave for one with the same or a weaker proof,
 * unless it has no proof itself or was silent for long, because its producer died without END.
 *
 * If all streams in the table answered, addresses share it: a stream that answers takes a place from the address with the most streams,
 * which keeps at least as many as the newcomer's address then has. No address loses its only stream, and two addresses never take places
 * from each other in turn.
 */
#ifndef TW_STANDING_H
#define TW_STANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/limits.h"
#include "wire/decode.h"

/* The proof of a stream: each is harder to forge than the one before. */
enum tw_proof {
	TW_PROOF_NONE,
	TW_PROOF_NUMBERS, /* a frame continues the numbers of an earlier frame of its channel */
	TW_PROOF_ANSWER,  /* it answers at the source address of its frames */
};

struct tw_standing {
	uint64_t heard;  /* last time it was heard, in the table's unit: time or frames */
	uint64_t source; /* equal numbers are one address */
	enum tw_proof proof;
	bool ended;
};

/* The limits of a table of streams. */
struct tw_places {
	size_t n;             /* streams at once */
	size_t of_one_source; /* of them, from one address */
	uint64_t silence;     /* a stream silent for that long, in the table's unit, counts as dead */
};

#define TW_STANDING_NOBODY SIZE_MAX

/** tw_standing__goes_before() - whether @s leaves before @other */
bool tw_standing__goes_before(const struct tw_standing *s, const struct tw_standing *other);

/**
 * tw_standing__choose() - choose the stream that leaves for a new one
 * @there: @n streams, at most TW_STREAMS_LIVE_MAX, in any order
 * @newcomer: heard now
 * @ret: an index below @n; TW_STANDING_NOBODY = there is room
 *
 * Return: 0; -ENOSPC if none leaves; -EDQUOT if only another stream of the same address could leave, and none does.
 */
int tw_standing__choose(const struct tw_standing *there, size_t n, const struct tw_places *places,
			const struct tw_standing *newcomer, size_t *ret);

/* The numbers received of a stream: of control frames and of the first channel of events. All zero at the start. */
struct tw_number_row {
	uint64_t next[2];
	uint16_t channel;
	bool known[2];
} __attribute__((packed, aligned(4))); /* no padding: there are many */

/** tw_number_row__see() - Return: whether this frame continues the numbers of an earlier frame that used numbers */
bool tw_number_row__see(struct tw_number_row *row, const struct tw_frame_info *info);

#endif
