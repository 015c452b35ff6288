/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The distance of two clocks of one machine, from simultaneous readings about once a second: a trace clock and a network card's clock, for
 * example. A slope is fitted to the readings, and the bounds grow between them.
 *
 * The bounds of two consecutive readings give bounds of the rate between them. From the fourth reading on, the rate until the next reading
 * is assumed to be within the range of the last rates, widened by half of this range on both sides and by @wander. Before, it is assumed to
 * be within +-TW_DRIFT_MAX. A clock whose rate is not changed abruptly, by NTP for example, satisfies the assumption. A reading that
 * contradicts it is counted, and the range is learnt anew.
 */
#ifndef TW_READINGS_H
#define TW_READINGS_H

#include "clocks/distance.h"

#define TW_READINGS 16
#define TW_WANDER   1000 /* usual @wander, ppb: a crystal's rate changes less in a second */

struct tw_readings {
	struct tw_distance_mark marks[TW_READINGS]; /* a ring */
	uint64_t n;                                 /* number of readings since the last restart */
	uint64_t contradictions;
	uint32_t wander; /* largest change of the rate between readings, ppb, that the range of rates does not show */
};

/**
 * tw_readings__take() - add a reading; one that is not newer than the last one is ignored
 * @time: of one of the clocks, ns; @distance: of the clocks, ns; @error_ns: error bound of @distance
 * Return: ns by which the distance is outside of the expected bounds; 0 = it is inside. If it is outside, older readings are forgotten.
 */
int64_t tw_readings__take(struct tw_readings *readings, uint64_t time, int64_t distance, uint64_t error_ns);

/** tw_readings__restart() - forget all readings */
static inline void tw_readings__restart(struct tw_readings *readings)
{
	readings->n = 0;
}

/** tw_readings__newest() - the newest reading; NULL if there is none */
const struct tw_distance_mark *tw_readings__newest(const struct tw_readings *readings);

/** tw_readings__at() - bounds of the distance at @time, ns; there must be a reading */
struct tw_bounds tw_readings__at(const struct tw_readings *readings, uint64_t time);

/** tw_readings__rates() - bounds of the present rate: the growth of the distance, ns per s */
struct tw_bounds tw_readings__rates(const struct tw_readings *readings);

/**
 * tw_bounds__moved() - bounds of a distance @ns later than @bounds (earlier, if @ns is negative)
 * @rates: bounds of its growth, ns per s
 */
struct tw_bounds tw_bounds__moved(struct tw_bounds bounds, struct tw_bounds rates, int64_t ns);

#endif
