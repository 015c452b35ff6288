/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of a channel: the next one, and the missing ones. Gaps are remembered: a frame that fills a gap is late, not a duplicate.
 */
#ifndef TW_STREAM_CHANNELS_H
#define TW_STREAM_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/limits.h"

/* Numbers that are missing. */
struct tw_stream_gap {
	uint64_t from, to; /* not including to */
	uint64_t *counter; /* the user's; may be NULL */
};

struct tw_stream_channel {
	uint64_t next; /* the number expected next */
	bool known;    /* next is meaningful */
	uint8_t next_gap;
	struct tw_stream_gap gaps[TW_STREAM_CHANNEL_GAPS_MAX]; /* the latest gaps, a ring, including empty ones */
};

/* Kind of a frame by its numbers. */
enum tw_stream_arrival {
	TW_STREAM_IN_ORDER,  /* it begins with the next number, or has none */
	TW_STREAM_AFTER_GAP, /* numbers before it are missing */
	TW_STREAM_LATE,      /* all its numbers were missing */
	TW_STREAM_DUPLICATE, /* some of its numbers were received before */
};

/**
 * tw_stream_channel__see() - classify a received frame with @events numbers from @seq on
 * @ret_missing: with TW_STREAM_AFTER_GAP the quantity of missing numbers before it; otherwise 0
 *
 * Gaps are not filled: if a late frame arrives twice, both are late.
 */
enum tw_stream_arrival tw_stream_channel__see(struct tw_stream_channel *c, uint64_t seq, uint16_t events,
					      uint64_t *ret_missing);

/** tw_stream_channel__miss() - record missing numbers, in place of the oldest gap; none if @from equals @to */
void tw_stream_channel__miss(struct tw_stream_channel *c, uint64_t from, uint64_t to, uint64_t *counter);

/** tw_stream_channel__gap() - the gap that contains all of these numbers; NULL if there is none */
struct tw_stream_gap *tw_stream_channel__gap(struct tw_stream_channel *c, uint64_t from, uint64_t to);

/**
 * tw_stream_channel__fill() - missing numbers were received after all: their gap is split in two
 * @ret_counter: of the gap
 * Return: false if no gap contains all of them.
 */
bool tw_stream_channel__fill(struct tw_stream_channel *c, uint64_t from, uint64_t to, uint64_t **ret_counter);

#endif
