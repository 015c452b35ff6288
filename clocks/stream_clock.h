/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a stream's clock to packet time, and how good packet times are. Learns from what came (HOST, CLOCK, answers to the
 * capture host's questions); nothing here reads a clock. Belongs to one thread.
 *
 * Packet time = time of the stream's clock, in ns, + offset:
 *
 * - TW_ALIGN_NONE: REAL - TRACE of the first CLOCK, for good: durations are the producer's own, and the error grows as the clocks
 *   drift apart. With `wall`, steps of the producer's wall clock and suspends are followed: REAL - TRACE of the CLOCK that shows one.
 * - TW_ALIGN_HOST: the capture host's clock. Of one timeline over hours people expect that what happened together stands together at
 *   its end, too, and that no host's own order breaks. So the offset follows the drift, and the estimate slowly (a gap is closed
 *   in 8 s, by 500 ppm at most). Where it is certainly wrong, outside of the bounds, it is set forward at once, and backward by letting packet
 *   time run a tenth slower; only more than a second backward is a jump, as waiting minutes to be right helps nobody. That happens
 *   when the first answer comes after the first packets; who holds these back for it, a few ms, never sees it.
 *
 * The capture host's clock is that of clocks/capture_clock.h: its wall clock as at the capture's start, not set since.
 *
 * An error bound is that of exchanges (clocks/distance.h), or of both hosts' word (CLOCK's sync_ns), whichever is tighter; if they
 * contradict each other exchanges count.
 */
#ifndef TW_STREAM_CLOCK_H
#define TW_STREAM_CLOCK_H

#include "clocks/distance.h"
#include "clocks/wall_clock.h"
#include "stream/identity.h"
#include "wire/decode.h"

enum tw_align {
	TW_ALIGN_NONE, /* keep each stream's own wall clock */
	TW_ALIGN_HOST, /* put all on the capture host's */
};

#define TW_STREAM_CLOCK_CHANGES 8 /* steps and suspends that wait to be told; more are added up */
#define TW_STREAM_CLOCK_RECORDS (TW_STREAM_CLOCK_CHANGES + 2) /* before a packet, at most */

/* What the capture host says of its own clock; see clocks/capture_clock.h for @stepped. */
struct tw_own_clock {
	uint32_t sync_ns; /* no further than this from what keeps it; 0 = not known */
	int64_t stepped;  /* what its wall clock was set by since the capture's start, ns */
};

/* Packet time less the stream's clock, ns: a line that goes by the drift, and by @turn more until that is done. */
struct tw_clock_line {
	uint64_t from; /* in the stream's clock, ns */
	int64_t offset;
	double drift;   /* ns per ns */
	double turn;    /* the same */
	double turn_ns; /* how long that takes */
};

/* Bounds by the word of both hosts. */
struct tw_kept_clocks {
	uint64_t time; /* of the last CLOCK that said so, in the stream's clock, ns */
	struct tw_bounds bounds;
	bool any;
};

struct tw_stream_clock {
	enum tw_align align;
	bool wall;
	struct tw_clock_scale scale;
	bool disciplined; /* the stream's clock runs as REALTIME does */
	struct tw_wall_clock samples;
	struct tw_distance distance;
	struct tw_kept_clocks kept;
	struct tw_own_clock own;
	bool dated; /* a CLOCK told the offset */
	struct tw_clock_line line;
	int64_t wall_offset; /* REAL - TRACE of the newest CLOCK, ns */
	uint64_t written;    /* newest time asked for, ns; 0 = none: until then the line is free */
	/* OFFSET records */
	struct tw_offset_view changes[TW_STREAM_CLOCK_CHANGES]; /* to be told */
	unsigned int n_changes;
	bool started;                 /* START was told */
	struct tw_offset_view stated; /* by the last record */
	uint64_t low_since;           /* since when the error is far below what was stated, ns; 0 = it is not */
	uint64_t check_at;            /* until then the last record holds, ns */
	uint64_t steps, suspends;     /* seen */
};

/** tw_stream_clock__init() - nothing is known yet: the offset is 0 and the error unknown */
void tw_stream_clock__init(struct tw_stream_clock *clock, enum tw_align align, bool wall);

/** tw_stream_clock__host() - a HOST came: how the clock counts, and which it is */
void tw_stream_clock__host(struct tw_stream_clock *clock, const struct tw_identity *identity);

/** tw_stream_clock__sample() - a CLOCK came, repetitions included */
void tw_stream_clock__sample(struct tw_stream_clock *clock, const struct tw_clock_view *sample);

/**
 * tw_stream_clock__exchange() - an answer came
 * @sample: received and answered as the stream's clock counts
 * Return: false if it cannot be.
 */
bool tw_stream_clock__exchange(struct tw_stream_clock *clock, const struct tw_time_sync_sample *sample);

/** tw_stream_clock__own() - what the capture host says of its own clock from now on; once a second will do */
void tw_stream_clock__own(struct tw_stream_clock *clock, const struct tw_own_clock *own);

/** tw_stream_clock__ns() - a time of the stream's clock in ns */
static inline uint64_t tw_stream_clock__ns(const struct tw_stream_clock *clock, uint64_t time)
{
	return tw_clock_scale__ns(&clock->scale, time);
}

/** tw_stream_clock__time() - the way back: the first time of the stream's clock of which ns are @ns or more */
static inline uint64_t tw_stream_clock__time(const struct tw_stream_clock *clock, uint64_t ns)
{
	unsigned __int128 time;

	if (!clock->scale.mult)
		return ns;
	time = (((unsigned __int128)ns << clock->scale.shift) + clock->scale.mult - 1) / clock->scale.mult;
	return time > UINT64_MAX ? UINT64_MAX : (uint64_t)time;
}

/** tw_stream_clock__is_dated() - whether the offset is known, so that packets may be written */
static inline bool tw_stream_clock__is_dated(const struct tw_stream_clock *clock)
{
	return clock->dated;
}

/** tw_stream_clock__packet_time_on_line() - the slow part of tw_stream_clock__packet_time() */
uint64_t tw_stream_clock__packet_time_on_line(const struct tw_stream_clock *clock, uint64_t ns);

/**
 * tw_stream_clock__packet_time() - ns since 1970 of a time of the stream's clock, as things stand
 *
 * Whatever is learned meanwhile, later times of the stream get no earlier packet times than those for which
 * tw_stream_clock__record() was asked, but for jumps as said above.
 */
static inline uint64_t tw_stream_clock__packet_time(const struct tw_stream_clock *clock, uint64_t time)
{
	const uint64_t ns = tw_stream_clock__ns(clock, time);
	const struct tw_clock_line *line = &clock->line;

	if (line->drift == 0 && line->turn == 0)
		return ns + (uint64_t)line->offset;
	return tw_stream_clock__packet_time_on_line(clock, ns);
}

/** tw_stream_clock__look() - the slow part of tw_stream_clock__record() */
bool tw_stream_clock__look(struct tw_stream_clock *clock, uint64_t time, struct tw_offset_view *ret);

/**
 * tw_stream_clock__record() - the OFFSET record that has to stand before a packet
 * @time: the packet's, in the stream's clock; packets come in this order
 *
 * To be asked before every packet, until it returns false: START first, then steps, suspends, and an ESTIMATE where the last
 * record's error_ns no longer holds or is far too wide. That comes to an end after TW_STREAM_CLOCK_RECORDS: START is told once, a
 * change that was told is gone, and none comes while a packet is written; behind a record the error is what it has just said, with
 * room, so that no second ESTIMATE is due. Costs a comparison for most packets. ret->time is @time.
 */
static inline bool tw_stream_clock__record(struct tw_stream_clock *clock, uint64_t time, struct tw_offset_view *ret)
{
	const uint64_t ns = tw_stream_clock__ns(clock, time);

	if (ns > clock->written)
		clock->written = ns;
	return ns >= clock->check_at && tw_stream_clock__look(clock, time, ret);
}

/* For the report at the end. */
struct tw_stream_clock_summary {
	bool dated;
	int64_t offset;    /* of the newest packet, ns */
	uint64_t error_ns; /* TW_ERROR_UNKNOWN */
	uint16_t method;   /* enum tw_offset_method */
	bool drift_known;  /* by exchanges over some seconds at least */
	int32_t drift,
		drift_most; /* ns per s that the stream's clock gains on the capture host's; no further off than @drift_most */
	bool ahead_known;
	int64_t ahead; /* the producer's wall clock, of the capture host's as last set, ns, by the newest CLOCK; no further off than ahead_most */
	uint64_t ahead_most;
	uint64_t exchanges, refused, restarts; /* as in struct tw_distance */
	uint64_t steps, suspends;
};

void tw_stream_clock__summary(const struct tw_stream_clock *clock, struct tw_stream_clock_summary *ret);

#endif
