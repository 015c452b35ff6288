/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts times of a stream's clock to packet times, and computes the error bound of packet times. Input: HOST, CLOCK, responses to time
 * synchronisation requests, and the state of the capture host's wall clock. No function reads a clock. A struct tw_stream_clock belongs to
 * one thread.
 *
 * Packet time = time of the stream's clock, in ns, + offset. The offset is:
 *
 * - with TW_ALIGN_NONE: the reading REAL minus the reading TRACE of the first CLOCK. This offset is constant, so durations are those of the
 * stream's clock, and the error grows as this clock drifts from the capture host's clock. With `wall`, the offset follows suspends, and
 * steps of the producer's wall clock: it becomes REAL - TRACE of the CLOCK that shows the change.
 * - with TW_ALIGN_HOST: reference - stream's clock. Even after hours, simultaneous events of several hosts must have similar packet times,
 * and the order of the events of each host must not change. Therefore the offset follows the drift, and approaches the estimate slowly: a
 * difference is corrected in 8 s, or at 500 ppm if that takes longer. At the start of a stream, when estimates are the least exact, it is
 * corrected in as much time as has passed since the first correction, at least 0.1 s. If the offset is certainly wrong, because it is
 * outside of the bounds, it is corrected at a rate of 10 %. If such a correction is more than 1 ms forward or more than 1 s backward, it is
 * made immediately. A jump backward can happen if the first response arrives after the first packets; a caller avoids it by delaying the
 * first packets for a few ms. A step of the reference is followed immediately.
 *
 * The reference is the capture clock of clocks/capture_clock.h, or another clock (clocks/reference.h). Error bounds refer to it, with
 * either mode.
 *
 * Both the estimate and the error bound follow from the best of several sources (clocks/clock_estimate.h).
 */
#ifndef TW_STREAM_CLOCK_H
#define TW_STREAM_CLOCK_H

#include "clocks/readings.h"
#include "clocks/reference.h"
#include "clocks/wall_clock.h"
#include "stream/identity.h"
#include "wire/decode.h"

enum tw_align {
	TW_ALIGN_NONE, /* packet times are those of each stream's own wall clock */
	TW_ALIGN_HOST, /* align all streams to the reference */
};

#define TW_STREAM_CLOCK_CHANGES 8 /* limit of unreported changes of clocks; a further one is added to the last one */
#define TW_STREAM_CLOCK_RECORDS (TW_STREAM_CLOCK_CHANGES + 2) /* largest number of OFFSET records before one packet */

/* State of the capture host's clocks. */
struct tw_own_clock {
	uint32_t sync_ns; /* error bound relative to its time source, ns; 0 = unknown */
	struct tw_time_root root;
	int64_t stepped; /* from tw_capture_clock__stepped(), ns */
	struct tw_reference_state reference;
};

/*
 * The offset of packet times, ns, as a function of the stream's clock t:
 * offset + drift * (t - from) + turn * (t - from), where the last term stops growing at t - from = turn_ns.
 */
struct tw_clock_line {
	uint64_t from; /* in the stream's clock, ns */
	int64_t offset;
	double drift;   /* ns per ns: compensates the drift */
	double turn;    /* ns per ns: slope of the current correction; 0 = none */
	double turn_ns; /* duration of the correction, ns */
};

/** tw_clock_line__offset() - the offset at @ns of the stream's clock */
int64_t tw_clock_line__offset(const struct tw_clock_line *line, uint64_t ns);

/* Bounds of the distance that follow from the error bounds that both hosts report (sync_ns). */
struct tw_kept_clocks {
	uint64_t time; /* time of the last CLOCK, in the stream's clock, ns */
	struct tw_bounds bounds;
	bool any; /* both hosts report an error bound that refers to the same time: @bounds is valid */
};

/* Readings of the PHC that the stream's machine uses. */
struct tw_stream_phc {
	uint16_t index;            /* N of /dev/ptpN */
	uint32_t sync_ns;          /* in the last CLOCK; 0 = unknown */
	struct tw_readings clocks; /* stream's clock - PHC, at times of the stream's clock, ns */
};

struct tw_stream_clock {
	enum tw_align align;
	bool wall;
	struct tw_clock_scale scale;
	bool disciplined;             /* the stream's clock has the rate of REALTIME: it is mono, boot or tai */
	struct tw_wall_clock samples; /* the latest CLOCK */
	struct tw_distance distance;
	struct tw_stamp_sources by; /* of the newest exchange; all 0 = there was none */
	struct tw_kept_clocks kept;
	struct tw_stream_phc phc;
	struct tw_time_root root; /* that the stream's machine follows */
	struct tw_own_clock own;
	bool dated; /* the offset is known, from a CLOCK or a response */
	uint64_t
		jumped; /* time of the CLOCK that showed the last jump of the stream's clock, ns; the error at earlier times is unknown */
	bool doubted; /* the stream's clock may have stopped since the last CLOCK or response: the error is unknown */
	struct tw_clock_line line;
	int64_t wall_offset; /* REAL - TRACE of the newest CLOCK, ns */
	uint64_t written;    /* newest time of a packet, ns in the stream's clock; 0 = none yet: @line may still jump */
	uint64_t first;      /* the same at the first correction of @line after a packet; 0 = there was none */
	/* OFFSET records */
	struct tw_offset_view changes[TW_STREAM_CLOCK_CHANGES]; /* unreported changes, the oldest first */
	unsigned int n_changes;
	bool started;                 /* START was reported */
	struct tw_offset_view stated; /* the last reported record */
	uint64_t low_since;           /* time since which the error is below that of @stated, ns; 0 = it is not */
	/* No record is needed for packets from check_from until before check_at, with events until before check_end; ns in the stream's clock. */
	uint64_t check_from, check_at, check_end;
	uint64_t n_of_kind[TW_OFFSET_KINDS]; /* number of changes of clocks, by enum tw_offset_kind */
	uint64_t contradicted;               /* CLOCKs whose sync_ns or PHC contradicts the exchanges */
};

/** tw_stream_clock__init() - set the initial state: the offset is 0 and the error unknown. @wall: see the head of this file */
void tw_stream_clock__init(struct tw_stream_clock *clock, enum tw_align align, bool wall);

/** tw_stream_clock__host() - set unit and kind of the clock, and the root of its time source, from a HOST */
void tw_stream_clock__host(struct tw_stream_clock *clock, const struct tw_identity *identity);

/** tw_stream_clock__sample() - add a CLOCK; it is ignored if it is repeated, older than the last one, or without TRACE or REAL */
void tw_stream_clock__sample(struct tw_stream_clock *clock, const struct tw_clock_view *sample);

/**
 * tw_stream_clock__exchange() - add a request and its response
 * @sample: received and answered are in units of the stream's clock
 * Return: false if the exchange is invalid.
 */
bool tw_stream_clock__exchange(struct tw_stream_clock *clock, const struct tw_time_sync_sample *sample);

/**
 * tw_stream_clock__doubt() - the stream was silent for long, so that its machine may have been suspended
 *
 * The error of packet times is unknown until the next CLOCK or response.
 */
void tw_stream_clock__doubt(struct tw_stream_clock *clock);

/** tw_stream_clock__own() - set the state of the capture host's clocks; to be called about once a second */
void tw_stream_clock__own(struct tw_stream_clock *clock, const struct tw_own_clock *own);

/** tw_stream_clock__ns() - convert a time of the stream's clock to ns */
static inline uint64_t tw_stream_clock__ns(const struct tw_stream_clock *clock, uint64_t time)
{
	return tw_clock_scale__ns(&clock->scale, time);
}

/** tw_stream_clock__time() - convert ns to the stream's clock: the first time that is not before @ns */
static inline uint64_t tw_stream_clock__time(const struct tw_stream_clock *clock, uint64_t ns)
{
	unsigned __int128 time;

	if (!clock->scale.mult)
		return ns;
	time = (((unsigned __int128)ns << clock->scale.shift) + clock->scale.mult - 1) / clock->scale.mult;
	return time > UINT64_MAX ? UINT64_MAX : (uint64_t)time;
}

/** tw_stream_clock__is_dated() - whether the offset is known, so that packet times can be computed */
static inline bool tw_stream_clock__is_dated(const struct tw_stream_clock *clock)
{
	return clock->dated;
}

/** tw_stream_clock__has_exchanges() - whether there were at least @n valid exchanges, and one of them since the clock was set last */
static inline bool tw_stream_clock__has_exchanges(const struct tw_stream_clock *clock, uint64_t n)
{
	return tw_distance__known(&clock->distance) && clock->distance.exchanges >= n;
}

/** tw_stream_clock__packet_time_on_line() - the slow path of tw_stream_clock__packet_time(); @ns: in the stream's clock */
uint64_t tw_stream_clock__packet_time_on_line(const struct tw_stream_clock *clock, uint64_t ns);

/**
 * tw_stream_clock__packet_time() - convert a time of the stream's clock to packet time, ns since 1970, with the current offset
 *
 * Changes of the offset keep the order of events: a time after those passed to tw_stream_clock__record() does not get an earlier packet
 * time than these. The exceptions are jumps, and steps with `wall`, as described above.
 */
static inline uint64_t tw_stream_clock__packet_time(const struct tw_stream_clock *clock, uint64_t time)
{
	const uint64_t ns = tw_stream_clock__ns(clock, time);
	const struct tw_clock_line *line = &clock->line;

	if (line->drift == 0 && line->turn == 0)
		return ns + (uint64_t)line->offset;
	return tw_stream_clock__packet_time_on_line(clock, ns);
}

/** tw_stream_clock__look() - the slow path of tw_stream_clock__record(); @end: the time of the last event, ns in the stream's clock */
bool tw_stream_clock__look(struct tw_stream_clock *clock, uint64_t time, uint64_t end, struct tw_offset_view *ret);

/**
 * tw_stream_clock__record() - get an OFFSET record that must be written before a packet
 * @time: time of the packet in the stream's clock; packets are passed in time order, except late ones
 * @last: time of its last event; the times of its events have the same distance from packet time as @time has
 * @ret: the record, with time @time
 *
 * The bound of a packet is that of the last record before it. Call this function before each packet until it returns false. The records are
 * START, then changes of clocks (also of the reference). An ESTIMATE follows if the error_ns of the last record is too small, or has been
 * too large by a fourth for 4 s. An ESTIMATE also follows if the offset moved by more than 1 ms and by more than 8 times the error_ns of
 * the last record. At most TW_STREAM_CLOCK_RECORDS records precede one packet: START once, each change once, and one ESTIMATE. The error_ns
 * of the ESTIMATE includes a margin, so a second ESTIMATE is not due. Most calls cost three comparisons.
 * Return: false if no record is needed.
 */
static inline bool tw_stream_clock__record(struct tw_stream_clock *clock, uint64_t time, uint64_t last,
					   struct tw_offset_view *ret)
{
	const uint64_t ns = tw_stream_clock__ns(clock, time), end = tw_stream_clock__ns(clock, last);

	if (ns > clock->written)
		clock->written = ns;
	return (ns >= clock->check_at || ns < clock->check_from || end >= clock->check_end) &&
	       tw_stream_clock__look(clock, time, end, ret);
}

/** tw_stream_clock__take_change() - the slow path of tw_stream_clock__change() */
bool tw_stream_clock__take_change(struct tw_stream_clock *clock, uint64_t time, struct tw_offset_view *ret);

/**
 * tw_stream_clock__change() - like tw_stream_clock__record(), but only for changes of clocks
 *
 * This is for a recording that was made on the producer's host. The error bound of its times is unknown, because they are compared with no
 * other clock.
 */
static inline bool tw_stream_clock__change(struct tw_stream_clock *clock, uint64_t time, struct tw_offset_view *ret)
{
	return clock->n_changes && tw_stream_clock__take_change(clock, time, ret);
}

/* Properties of a stream's clock, for the summary at the end of a capture. */
struct tw_stream_clock_summary {
	bool dated;
	int64_t offset;             /* offset of the newest packet, ns */
	uint64_t error_ns;          /* error bound of the newest packet's time; TW_ERROR_UNKNOWN = unknown */
	uint16_t method;            /* enum tw_offset_method */
	struct tw_stamp_sources by; /* of the newest exchange; all 0 = there was none */
	bool drift_known;          /* there were exchanges over at least some seconds: the next two members are valid */
	int32_t drift, drift_most; /* gain on the capture clock, ns per s; error bound of this gain */
	bool ahead_known;          /* the next two members are valid */
	/* At the newest CLOCK, ns: producer's wall clock - capture host's wall clock; with another reference than HOST: - reference */
	int64_t ahead;
	uint64_t ahead_most;                   /* error bound of @ahead, ns */
	uint64_t exchanges, refused, restarts; /* as in struct tw_distance */
	uint64_t changes[TW_OFFSET_KINDS];     /* number of changes of clocks, by enum tw_offset_kind */
	uint64_t contradicted;                 /* as in struct tw_stream_clock */
};

void tw_stream_clock__summary(const struct tw_stream_clock *clock, struct tw_stream_clock_summary *ret);

#endif
