/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which stream has to go when a table of streams is full: one policy for all tables, on values that know no table.
 *
 * A stream that ended goes first, then one that proved nothing, then one that sent consecutive numbers, and last one that answered
 * a question about its clock; among equals the one that has been silent for longest. Nobody is sent away for a stream that has proved
 * no more, unless it proved nothing itself or has been silent for long: its producer died without END.
 *
 * If all places are taken by streams that answered, addresses share them: one that answers takes a place of the address with the most
 * streams, which keeps at least as many as the newcomer's address then has. So nobody loses its only stream, and two addresses never take
 * places from each other in turn.
 */
#ifndef TW_STANDING_H
#define TW_STANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/limits.h"
#include "wire/decode.h"

/* What a stream has shown: each takes a stranger more than the one before. */
enum tw_proof {
	TW_PROOF_NONE,
	TW_PROOF_NUMBERS, /* a frame begins where an earlier one of its channel ended */
	TW_PROOF_ANSWER,  /* it answers where its frames come from */
};

struct tw_standing {
	uint64_t heard;  /* when last, as the table counts: time or frames */
	uint64_t source; /* equal numbers are one address */
	enum tw_proof proof;
	bool ended;
};

/* Of a table. */
struct tw_places {
	size_t n;             /* streams at once */
	size_t of_one_source; /* of them, from one address */
	uint64_t silence;     /* a stream not heard for that long, as the table counts, is dead */
};

#define TW_STANDING_NOBODY SIZE_MAX

/** tw_standing__goes_before() - whether @s makes room before @other does */
bool tw_standing__goes_before(const struct tw_standing *s, const struct tw_standing *other);

/**
 * tw_standing__choose() - which stream makes room for one more
 * @there: @n of them, at most TW_STREAMS_LIVE_MAX, in any order
 * @newcomer: heard now
 * @ret: a number below @n; TW_STANDING_NOBODY = there is room
 *
 * Return: 0; -ENOSPC if nobody goes; -EDQUOT if only another stream of the same address might go, and none does.
 */
int tw_standing__choose(const struct tw_standing *there, size_t n, const struct tw_places *places,
			const struct tw_standing *newcomer, size_t *ret);

/* What was heard of a stream's numbers: of control frames and of the first channel of events. All zero at the beginning. */
struct tw_number_row {
	uint64_t next[2];
	uint16_t channel;
	bool known[2];
} __attribute__((packed, aligned(4))); /* no padding: there are many */

/** tw_number_row__see() - Return: whether this frame begins where one before it ended, which used up numbers */
bool tw_number_row__see(struct tw_number_row *row, const struct tw_frame_info *info);

#endif
