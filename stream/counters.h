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
	bool told[TW_STREAM_COUNT];
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

/** tw_stream_counters__told() - whether any STATS reported this counter */
bool tw_stream_counters__told(const struct tw_stream_counters *counters, enum tw_stream_counter counter);

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
#define TW_STREAM_NUMBERS(X)                                                                                     \
	X(frames, "frames taken, control frames included")                                                       \
	X(frames_out, "frames that came out")                                                                    \
	X(events_in, "found in frames: EVENT, FILTERED and last PARTs of an EVENT")                              \
	X(numbers, "used up by the producer, as far as was heard of")                                            \
	X(before, "numbers before the first that was heard of: used up before we joined; 0 if we saw the start") \
	X(received, "numbers that came, each once")                                                              \
	X(events_out, "that came out")                                                                           \
	X(filtered, "rejected by a classifier in place")                                                         \
	X(incomplete, "in PARTs of which one is missing")                                                        \
	X(damaged, "numbers whose frame came, but holds no event that can be read for them")                     \
	X(gaps, "missing by their numbers; those that came after all are taken off again")                       \
	X(gaps_wire, "of them those that nothing below explains")                                                \
	X(gaps_receiver, "of them: the receiver dropped frames between the channel's frame before and the next") \
	X(gaps_reported, "of them: what a LOST of SHED or TX right behind the hole tells")                       \
	X(shed, "told by LOST records of SHED")                                                                  \
	X(tx, "told by LOST records of TX")                                                                      \
	X(duplicates, "that had come before")                                                                    \
	X(reordered, "frames that came behind a later number of their channel")                                  \
	X(late, "that came out behind a newer one")                                                              \
	X(forced, "let out early for want of memory")                                                            \
	X(malformed, "frames that cannot be read, or in part, or whose numbers cannot be")                       \
	X(malformed_events, "in frames whose numbers cannot be, and past those that a frame has numbers for")    \
	X(stale, "frames without events that came too late to be placed; dropped")                               \
	X(control_gaps, "control frames missing by their numbers")                                               \
	X(ended, "streams whose END came: 1 or 0 for one")

/* Of one stream. */
struct tw_stream_numbers {
#define X(name, what) uint64_t name;
	TW_STREAM_NUMBERS(X)
#undef X
};

#endif
