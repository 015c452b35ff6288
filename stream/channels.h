/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event numbers of a channel: the next expected number, and gaps of missing numbers. Gaps are remembered, because a frame that fills
 * a gap is late, not a duplicate.
 */
#ifndef TW_STREAM_CHANNELS_H
#define TW_STREAM_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/limits.h"

/* A range of missing numbers. */
struct tw_stream_gap {
	uint64_t from, to; /* missing: from <= number < to */
	uint64_t *counter; /* the caller's counter of the missing numbers; only the caller changes it; may be NULL */
};

struct tw_stream_channel {
	uint64_t next;                                         /* the next expected number */
	bool known;                                            /* @next is valid: from a frame, or set by the caller */
	uint8_t next_gap;                                      /* index in @gaps of the next new gap */
	struct tw_stream_gap gaps[TW_STREAM_CHANNEL_GAPS_MAX]; /* ring of the latest gaps; empty if from == to */
};

/* Classes of received frames, by their numbers. */
enum tw_stream_arrival {
	TW_STREAM_IN_ORDER, /* the frame begins with the next expected number, uses no number, or is the channel's first */
	TW_STREAM_AFTER_GAP, /* the frame begins with a later number: the numbers before it are missing */
	TW_STREAM_LATE,      /* the frame begins with an earlier number, and its numbers are in one remembered gap */
	TW_STREAM_DUPLICATE, /* the frame begins with an earlier number, and no gap contains all its numbers */
};

/**
 * tw_stream_channel__see() - classify a received frame with @events numbers from @seq on
 * @ret_missing: for TW_STREAM_AFTER_GAP, the number of missing numbers before the frame; otherwise 0
 * A new gap is remembered. A late frame does not fill its gap here: if it is received again, the result is TW_STREAM_LATE again.
 */
enum tw_stream_arrival tw_stream_channel__see(struct tw_stream_channel *c, uint64_t seq, uint16_t events,
					      uint64_t *ret_missing);

/** tw_stream_channel__miss() - remember a gap from @from to @to - 1, which replaces the oldest gap; if @from == @to, do nothing */
void tw_stream_channel__miss(struct tw_stream_channel *c, uint64_t from, uint64_t to, uint64_t *counter);

/** tw_stream_channel__gap() - find the gap that contains all numbers from @from to @to - 1. Return: NULL if there is no such gap */
struct tw_stream_gap *tw_stream_channel__gap(struct tw_stream_channel *c, uint64_t from, uint64_t to);

/**
 * tw_stream_channel__fill() - remove late numbers from the gap that contains them; the gap may become two gaps
 * @from, @to: the numbers are @from to @to - 1
 * @ret_counter: the counter of the gap
 * Return: false if no gap contains all of these numbers.
 */
bool tw_stream_channel__fill(struct tw_stream_channel *c, uint64_t from, uint64_t to, uint64_t **ret_counter);

#endif
