/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts a stream's clock to packet time, and determines the error bound of packet times. Input: HOST, CLOCK, responses to the capture
 * host's requests; nothing here reads a clock. Belongs to one thread.
 *
 * Packet time = time of the stream's clock, in ns, + offset:
 *
 * - TW_ALIGN_NONE: REAL - TRACE of the first CLOCK, constant: durations are those of the producer, and the error grows as the clocks
 * drift apart. With `wall`, steps of the producer's wall clock and suspends are followed: REAL - TRACE of the CLOCK that shows one.
 * - TW_ALIGN_HOST: the capture host's clock. On one timeline over hours, simultaneous events must stay together until the end, and the
 * order of events of each host must not change. Therefore the offset follows the drift, and approaches the estimate slowly (a gap is
 * closed in 8 s, with at most 500 ppm). If the offset is certainly wrong, outside of the bounds, it is set forward at once; backward,
 * packet time runs slower by a tenth. Only an error of more than a second backward is corrected by a jump, because a correction in
 * minutes would be too slow. That happens if the first response arrives after the first packets; a caller that delays these a few ms for
 * it avoids it.
 *
 * The capture host's clock is that of clocks/capture_clock.h: its wall clock at the start of the capture, never set since.
 *
 * An error bound is the tighter one of exchanges (clocks/distance.h) and of both hosts' reports (sync_ns of CLOCK); if they contradict
 * each other the exchanges count.
 */
#ifndef TW_STREAM_CLOCK_H
#define TW_STREAM_CLOCK_H

#include "clocks/distance.h"
#include "clocks/wall_clock.h"
#include "stream/identity.h"
#include "wire/decode.h"

enum tw_align {
	TW_ALIGN_NONE, /* keep each stream's wall clock */
	TW_ALIGN_HOST, /* align all streams to the capture host's clock */
};

#define TW_STREAM_CLOCK_CHANGES 8 /* steps and suspends that are not reported yet; further ones are added up */
#define TW_STREAM_CLOCK_RECORDS (TW_STREAM_CLOCK_CHANGES + 2) /* limit for one packet */

/* State of the capture host's own clock; see clocks/capture_clock.h for @stepped. */
struct tw_own_clock {
	uint32_t sync_ns; /* error bound against its time source; 0 = unknown */
	int64_t stepped;  /* steps of its wall clock since the start of the capture, ns */
};

/* Packet time less the stream's clock, ns: a line with the slope of the drift, plus @turn until that is completed. */
struct tw_clock_line {
	uint64_t from; /* by the stream's clock, ns */
	int64_t offset;
	double drift;   /* ns per ns */
	double turn;    /* ns per ns */
	double turn_ns; /* duration of the turn */
};

/* Bounds from both hosts' reports. */
struct tw_kept_clocks {
	uint64_t time; /* time of the last CLOCK with such a report, stream's clock, ns */
	struct tw_bounds bounds;
	bool any;
};

struct tw_stream_clock {
	enum tw_align align;
	bool wall;
	struct tw_clock_scale scale;
	bool disciplined; /* the stream's clock has the rate of REALTIME */
	struct tw_wall_clock samples;
	struct tw_distance distance;
	struct tw_kept_clocks kept;
	struct tw_own_clock own;
	bool dated; /* a CLOCK had the offset */
	struct tw_clock_line line;
	int64_t wall_offset; /* REAL - TRACE of the newest CLOCK, ns */
	uint64_t written;    /* newest time passed in, ns; 0 = none: until then the line may change */
	/* OFFSET records */
	struct tw_offset_view changes[TW_STREAM_CLOCK_CHANGES]; /* to be reported */
	unsigned int n_changes;
	bool started;                 /* START was reported */
	struct tw_offset_view stated; /* reported by the last record */
	uint64_t low_since;           /* since when the error is far below the reported one, ns; 0 = it is not */
	uint64_t check_at;            /* the last record is valid until then, ns */
	uint64_t steps, suspends;     /* number of steps */
};

/** tw_stream_clock__init() - initial state: the offset is 0 and the error unknown */
void tw_stream_clock__init(struct tw_stream_clock *clock, enum tw_align align, bool wall);

/** tw_stream_clock__host() - a HOST arrived: sets unit and name of the clock */
void tw_stream_clock__host(struct tw_stream_clock *clock, const struct tw_identity *identity);

/** tw_stream_clock__sample() - a CLOCK arrived; repetitions too */
void tw_stream_clock__sample(struct tw_stream_clock *clock, const struct tw_clock_view *sample);

/**
 * tw_stream_clock__exchange() - a response arrived
 * @sample: received and answered in units of the stream's clock
 * Return: false if it is invalid.
 */
bool tw_stream_clock__exchange(struct tw_stream_clock *clock, const struct tw_time_sync_sample *sample);

/** tw_stream_clock__own() - set the state of the capture host's own clock; called about once a second */
void tw_stream_clock__own(struct tw_stream_clock *clock, const struct tw_own_clock *own);

/** tw_stream_clock__ns() - convert a time of the stream's clock to ns */
static inline uint64_t tw_stream_clock__ns(const struct tw_stream_clock *clock, uint64_t time)
{
	return tw_clock_scale__ns(&clock->scale, time);
}

/** tw_stream_clock__time() - the inverse: the first time of the stream's clock with at least @ns */
static inline uint64_t tw_stream_clock__time(const struct tw_stream_clock *clock, uint64_t ns)
{
	unsigned __int128 time;

	if (!clock->scale.mult)
		return ns;
	time = (((unsigned __int128)ns << clock->scale.shift) + clock->scale.mult - 1) / clock->scale.mult;
	return time > UINT64_MAX ? UINT64_MAX : (uint64_t)time;
}

/** tw_stream_clock__is_dated() - whether the offset is known, so that packets can be written */
static inline bool tw_stream_clock__is_dated(const struct tw_stream_clock *clock)
{
	return clock->dated;
}

/** tw_stream_clock__packet_time_on_line() - the slow part of tw_stream_clock__packet_time() */
uint64_t tw_stream_clock__packet_time_on_line(const struct tw_stream_clock *clock, uint64_t ns);

/**
 * tw_stream_clock__packet_time() - convert a time of the stream's clock to ns since 1970, with the current state
 *
 * Whatever arrives meanwhile, later times of the stream get no earlier packet times than those passed to tw_stream_clock__record(),
 * except for jumps as described above.
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
 * tw_stream_clock__record() - the OFFSET record that must precede the packet
 * @time: the packet's, by the stream's clock; packets arrive in this order
 *
 * Call it before every packet until it returns false: START first, then steps, suspends, and an ESTIMATE if the last record's error_ns
 * is no longer valid or far too wide. There are at most TW_STREAM_CLOCK_RECORDS: START is reported once, each change once, and none
 * arrives while a packet is written; after an ESTIMATE the error is the one just reported, with a margin, so that no second one is due.
 * Costs one comparison for most packets. ret->time is @time.
 */
static inline bool tw_stream_clock__record(struct tw_stream_clock *clock, uint64_t time, struct tw_offset_view *ret)
{
	const uint64_t ns = tw_stream_clock__ns(clock, time);

	if (ns > clock->written)
		clock->written = ns;
	return ns >= clock->check_at && tw_stream_clock__look(clock, time, ret);
}

/* The stream's clock, for the summary at the end of a capture. */
struct tw_stream_clock_summary {
	bool dated;
	int64_t offset;    /* of the newest packet, ns */
	uint64_t error_ns; /* TW_ERROR_UNKNOWN if unknown */
	uint16_t method;   /* enum tw_offset_method */
	bool drift_known;  /* from exchanges over at least some seconds */
	int32_t drift,
		drift_most; /* drift, ns per s by which the stream's clock is faster than the capture host's; error at most @drift_most */
	bool ahead_known;
	int64_t ahead; /* the producer's wall clock ahead of the capture host's as last set, ns, from the newest CLOCK; error at most ahead_most */
	uint64_t ahead_most;
	uint64_t exchanges, refused, restarts; /* as in struct tw_distance */
	uint64_t steps, suspends;
};

void tw_stream_clock__summary(const struct tw_stream_clock *clock, struct tw_stream_clock_summary *ret);

#endif
