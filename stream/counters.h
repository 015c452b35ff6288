/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters of a stream from its LOST and STATS records. Both may report the same loss, and either may be missing or older, so each
 * place counts the larger of the two until the stream ends. Then STATS are complete, and a LOST that the network duplicated changes
 * nothing.
 */
#ifndef TW_STREAM_COUNTERS_H
#define TW_STREAM_COUNTERS_H

#include "base/alloc.h"
#include "stream/limits.h"
#include "wire/decode.h"

enum tw_stream_counter {
	TW_STREAM_RECORDED,
	TW_STREAM_READ,
	TW_STREAM_FILTERED, /* by the producer */
	TW_STREAM_RING,
	TW_STREAM_SHED,
	TW_STREAM_TX,
	TW_STREAM_TX_FRAMES,    /* frames with an unknown number of events */
	TW_STREAM_UNSURE_RINGS, /* rings with unknown counts; all others count events */
	TW_STREAM_COUNT,
};

struct tw_stream_counter_row {
	uint16_t channel;
	bool reported[TW_STREAM_COUNT];
	uint64_t first[TW_STREAM_COUNT]; /* in the first STATS that was seen */
	uint64_t value[TW_STREAM_COUNT]; /* the largest received, because totals only grow */
};

struct tw_stream_counters {
	uint64_t lost[TW_STREAM_COUNT];     /* by LOST */
	uint64_t unknown;                   /* LOST without a count */
	bool from_start;                    /* the stream's first control frame was seen */
	bool ended;                         /* END was received: the last STATS are final */
	struct tw_stream_counter_row *rows; /* by STATS: one a channel, the whole stream's among them */
	size_t n_rows;
	const struct tw_alloc *alloc; /* of the rows; NULL = malloc() */
};

void tw_stream_counters__fini(struct tw_stream_counters *counters);

/** tw_stream_counters__lost() and tw_stream_counters__stats() - add such a TLV. Return: 0, -ENOMEM */
void tw_stream_counters__lost(struct tw_stream_counters *counters, const struct tw_tlv_view *tlv);
int tw_stream_counters__stats(struct tw_stream_counters *counters, const struct tw_tlv_view *tlv);

/** tw_stream_counters__control() - a control frame of that number was seen */
static inline void tw_stream_counters__control(struct tw_stream_counters *counters, uint64_t seq)
{
	counters->from_start |= !seq;
}

/** tw_stream_counters__end() - END was seen */
static inline void tw_stream_counters__end(struct tw_stream_counters *counters)
{
	counters->ended = true;
}

/** tw_stream_counters__reported() - whether any STATS reported this counter */
bool tw_stream_counters__reported(const struct tw_stream_counters *counters, enum tw_stream_counter counter);

/** tw_stream_counters__total() - events of one kind since the stream's start, as reported */
uint64_t tw_stream_counters__total(const struct tw_stream_counters *counters, enum tw_stream_counter counter);

/**
 * tw_stream_counters__since() - events of one kind since this capture joined: all if it saw the stream's start; otherwise the growth
 * since the first STATS that it saw, or the sum of LOST records, whichever is larger
 */
uint64_t tw_stream_counters__since(const struct tw_stream_counters *counters, enum tw_stream_counter counter);

/*
 * Counted for each stream, in events if nothing else is said. Two sums hold once nothing is queued any more:
 *
 *   numbers   = before + received + gaps                          (each channel's next number, added up)
 *   received  = events_out + filtered + incomplete + damaged
 *
 * gaps = gaps_wire + gaps_receiver + gaps_reported holds always. What came and used up no new number:
 *
 *   events_in = events_out + filtered + incomplete + duplicates + malformed_events
 */
#define TW_STREAM_NUMBERS(X)                                                                                         \
	X(frames, "frames taken, including control frames")                                                          \
	X(frames_out, "frames emitted")                                                                              \
	X(events_in, "found in frames: EVENT, FILTERED and last PARTs of an EVENT")                                  \
	X(numbers, "used by the producer, as far as known")                                                          \
	X(before, "numbers before the first known one: used before the capture joined; 0 if it joined at the start") \
	X(received, "numbers received, duplicates counted once")                                                     \
	X(events_out, "emitted")                                                                                     \
	X(filtered, "made FILTERED by a classifier")                                                                 \
	X(incomplete, "in PARTs that lack a piece")                                                                  \
	X(damaged, "numbers in a received frame without a readable event for them")                                  \
	X(gaps, "missing by their numbers; events that arrive later are subtracted")                                 \
	X(gaps_wire, "of these, not explained by the next two")                                                      \
	X(gaps_receiver, "of these, with drops of the receiver between the channel's previous and next frame")       \
	X(gaps_reported, "of these, reported by a LOST of SHED or TX directly after the gap")                        \
	X(shed, "reported by LOST records of SHED")                                                                  \
	X(tx, "reported by LOST records of TX")                                                                      \
	X(duplicates, "received again")                                                                              \
	X(reordered, "frames received after a later number of their channel")                                        \
	X(late, "emitted after a newer event")                                                                       \
	X(forced, "emitted early because of the memory limit")                                                       \
	X(malformed, "frames that cannot be read, in whole or in part, or with impossible numbers")                  \
	X(malformed_events, "in frames with impossible numbers, and events beyond the numbers of a frame")           \
	X(stale, "frames without events that arrived too late to be placed; dropped")                                \
	X(control_gaps, "control frames missing by their numbers")                                                   \
	X(ended, "streams with END: 1 or 0 for one")

/* Totals of one stream, over all its channels. */
struct tw_stream_numbers {
#define X(name, what) uint64_t name;
	TW_STREAM_NUMBERS(X)
#undef X
};

#endif
