/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters of a stream from its LOST and STATS records. A LOST and a STATS may report the same loss. Records of each kind may be
 * missing, or older than those of the other kind. Until the stream ends, a total is therefore the larger of two values: the sum of the LOST
 * records, and the value in STATS. After END, the total of a counter that STATS reported is the value in STATS: this value is complete, and
 * LOST records that the network duplicated do not increase it.
 */
#ifndef TW_STREAM_COUNTERS_H
#define TW_STREAM_COUNTERS_H

#include "base/alloc.h"
#include "stream/limits.h"
#include "wire/decode.h"

enum tw_stream_counter {
	TW_STREAM_RECORDED,
	TW_STREAM_READ,
	TW_STREAM_FILTERED, /* rejected by the producer's filter */
	TW_STREAM_RING,
	TW_STREAM_SHED,
	TW_STREAM_TX,
	TW_STREAM_TX_FRAMES,    /* frames, not events: dropped frames with an unknown number of events */
	TW_STREAM_UNSURE_RINGS, /* rings whose counters in the kernel cannot be read, or do not match the producer's */
	TW_STREAM_COUNT,
};

/** tw_count__plus() - saturating sum of two numbers from untrusted records; tw_count__larger() - the larger of two numbers */
static inline uint64_t tw_count__plus(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t tw_count__larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

struct tw_stream_counter_row {
	uint16_t channel;                /* TW_CHANNEL_CONTROL = the whole stream */
	bool reported[TW_STREAM_COUNT];  /* a STATS contained the counter */
	uint64_t first[TW_STREAM_COUNT]; /* value in the first STATS that contained the counter */
	uint64_t value[TW_STREAM_COUNT]; /* largest value received, because totals only grow */
};

struct tw_stream_counters {
	uint64_t lost[TW_STREAM_COUNT];     /* sums of the LOST records */
	uint64_t unknown;                   /* number of LOST records with TW_LOST_UNKNOWN */
	bool from_start;                    /* the stream's first control frame was received */
	bool ended;                         /* END was received: the last STATS are final */
	struct tw_stream_counter_row *rows; /* from STATS: one for each channel, and one for the whole stream */
	size_t n_rows;
	const struct tw_alloc *alloc; /* allocator of @rows; NULL = malloc() */
};

/** tw_stream_counters__fini() - free the rows; @counters must not be used again */
void tw_stream_counters__fini(struct tw_stream_counters *counters);

/** tw_stream_counters__lost() - add a LOST; a malformed LOST is ignored */
void tw_stream_counters__lost(struct tw_stream_counters *counters, const struct tw_tlv_view *tlv);

/**
 * tw_stream_counters__stats() - add a STATS; channels beyond TW_STREAM_CHANNELS_MAX are ignored
 * Return: 0; -ENOMEM if memory ran out, after only a part of the STATS was added.
 */
int tw_stream_counters__stats(struct tw_stream_counters *counters, const struct tw_tlv_view *tlv);

/** tw_stream_counters__control() - note that the control frame with number @seq was received */
static inline void tw_stream_counters__control(struct tw_stream_counters *counters, uint64_t seq)
{
	counters->from_start |= !seq;
}

/** tw_stream_counters__reported() - whether a STATS reported @counter, for any channel */
bool tw_stream_counters__reported(const struct tw_stream_counters *counters, enum tw_stream_counter counter);

/** tw_stream_counters__total() - value of @counter since the stream's start, as reported by STATS and LOST */
uint64_t tw_stream_counters__total(const struct tw_stream_counters *counters, enum tw_stream_counter counter);

/**
 * tw_stream_counters__since() - value of @counter since this capture joined the stream
 * It is the total if the capture received the stream's first control frame. Otherwise it is the growth since the first received STATS, or
 * the sum of LOST records, whichever is larger, but at most the total.
 */
uint64_t tw_stream_counters__since(const struct tw_stream_counters *counters, enum tw_stream_counter counter);

/*
 * Counters of each stream. They count events, unless the description names something else. Three equations hold when nothing is queued:
 *
 *   numbers   = before + received + gaps                          (the sum of the next numbers of all channels)
 *   received  = events_out + filtered + incomplete + damaged
 *   events_in = events_out + filtered + incomplete + duplicates + malformed_events
 *
 * At any time, gaps = gaps_wire + gaps_receiver + gaps_reported.
 */
#define TW_STREAM_NUMBERS(X)                                                                                         \
	X(frames, "frames that the merge received, including control frames")                                        \
	X(frames_out, "frames emitted")                                                                              \
	X(events_in, "found in frames: EVENT, FILTERED and last PARTs of an EVENT")                                  \
	X(numbers, "numbers used by the producer, up to the last known number of each channel")                      \
	X(before, "numbers before the first known one: used before the capture joined; 0 if it joined at the start") \
	X(received, "numbers received, duplicates counted once")                                                     \
	X(events_out, "emitted")                                                                                     \
	X(filtered, "made FILTERED by a classifier")                                                                 \
	X(incomplete, "in PARTs of which at least one is missing")                                                   \
	X(damaged, "numbers of received frames for which the frame has no readable event")                           \
	X(gaps, "missing according to their numbers; events that arrive later are subtracted")                       \
	X(gaps_wire, "of the missing events, those neither in gaps_receiver nor in gaps_reported")                   \
	X(gaps_receiver, "of the missing events, those in gaps during which the receiver dropped frames")            \
	X(gaps_reported, "of the missing events, those reported by a LOST of SHED or TX directly after the gap")     \
	X(shed, "reported by LOST records of SHED")                                                                  \
	X(tx, "reported by LOST records of TX")                                                                      \
	X(duplicates, "received again")                                                                              \
	X(reordered, "frames received after a later number of their channel")                                        \
	X(late, "emitted after a newer event")                                                                       \
	X(forced, "emitted early because of the memory limit")                                                       \
	X(malformed, "frames that cannot be read, in whole or in part, or with impossible numbers")                  \
	X(malformed_events, "in frames with impossible numbers, and events beyond the numbers of a frame")           \
	X(stale, "frames without events, dropped because they arrived too late")                                     \
	X(control_gaps, "control frames missing according to their numbers")                                         \
	X(ended, "streams with END: 0 or 1 for a single stream")

/* Sums of these counters over all channels of one stream. */
struct tw_stream_numbers {
#define X(name, what) uint64_t name;
	TW_STREAM_NUMBERS(X)
#undef X
};

#endif
