/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The estimate of the distance of a stream's clock from the reference at one time, with error bounds. It has three sources:
 *
 * - exchanges (clocks/distance.h);
 * - the error bounds that both hosts report of their wall clocks (sync_ns of CLOCK). They can be added only if both refer to the same time:
 * if both hosts follow the same PTP grandmaster, which may be one of them, or if the time of both is traceable to UTC by the word of its
 * source. The accuracy that a PTP grandmaster states is then added. A grandmaster that states none counts only towards its own slaves;
 * - if the reference is a PTP hardware clock (PHC): the readings of a PHC in the stream's CLOCKs. Both PHCs follow the same grandmaster, so
 * the distance of the stream's clock from the reference follows from these readings. Its error is that of the reading, plus the distances
 * of both PHCs from the grandmaster (sync_ns of both), plus the possible drift since the reading (clocks/readings.h). If the grandmaster
 * or a sync_ns is unknown, there is no error bound, and this source is used only if there is no other one.
 *
 * The source with the tightest bounds is used. A source that contradicts the exchanges is not used.
 */
#ifndef TW_CLOCK_ESTIMATE_H
#define TW_CLOCK_ESTIMATE_H

#include "clocks/stream_clock.h"

/* An estimate by one source. */
struct tw_clock_estimate {
	struct tw_bounds bounds; /* of the distance, ns; without @is_bounded, only their middle is valid */
	struct tw_bounds here;   /* by exchanges: bounds of the distance from the capture clock, ns */
	struct tw_bounds drift;  /* bounds of the drift, ns per s */
	enum tw_offset_method method;
	bool is_bounded;
	uint64_t until; /* time in the stream's clock until which the source is valid without new data, ns */
};

/**
 * tw_clock_estimate__choose() - make the estimate at @ns of the stream's clock
 * @ret_contradicted: set to true if a source contradicts the exchanges; may be NULL
 * Return: false if there is no source, the clock is doubted, or the clock has jumped since @ns.
 */
bool tw_clock_estimate__choose(const struct tw_stream_clock *clock, uint64_t ns, struct tw_clock_estimate *ret,
			       bool *ret_contradicted);

/** tw_clock_estimate__make() - the same, but does not tell whether a source contradicts the exchanges */
static inline bool tw_clock_estimate__make(const struct tw_stream_clock *clock, uint64_t ns,
					   struct tw_clock_estimate *ret)
{
	return tw_clock_estimate__choose(clock, ns, ret, NULL);
}

/**
 * tw_clock_estimate__best() - the most likely distance of the stream's clock from the reference, and its drift
 * @estimate: made at @ns
 */
struct tw_distance_line tw_clock_estimate__best(const struct tw_stream_clock *clock, uint64_t ns,
						const struct tw_clock_estimate *estimate);

/**
 * tw_clock_estimate__keep() - compute the bounds of the distance from a CLOCK and the error bounds that both hosts report (clock->kept)
 * @sample: the newest CLOCK of the stream; its TRACE is in ns
 */
void tw_clock_estimate__keep(struct tw_stream_clock *clock, const struct tw_clock_view *sample);

/** tw_clock_estimate__error() - error bound of a packet time that was computed with @offset, ns; TW_ERROR_UNKNOWN */
uint64_t tw_clock_estimate__error(const struct tw_clock_estimate *estimate, int64_t offset);

#endif
