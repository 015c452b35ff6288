/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The distance of a stream's clock from the capture clock: stream's clock - capture clock. Each exchange of a time synchronisation request
 * and its response (RFC 5905, section 8) gives a lower and an upper bound of the distance. The method is that of Marzullo and Owicki,
 * "Maintaining the Time in a Distributed System", 1983.
 *
 * A request cannot arrive before it was sent, so at `received` the distance is at most `received - asked`. A response cannot arrive
 * before it was sent, so at `answered` the distance is at least `answered - arrived`. This is true for any delays. The clocks drift by at
 * most TW_DRIFT_MAX, so at other times the bounds are valid if they are widened by the possible drift. All bounds are intersected.
 *
 * This assumes that the drift is at most TW_DRIFT_MAX, and that neither clock is set. If bounds contradict each other, one of these
 * assumptions is wrong, and only the newest bounds are used.
 */
#ifndef TW_DISTANCE_H
#define TW_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/decode.h"

/* The maximum drift, ppb: the kernel's limit for slewing a clock (adjtimex(2)); the error of a crystal is smaller. */
#define TW_DRIFT_MAX 500000

#define TW_DISTANCE_MARKS   32 /* latest marks (below), for bounds at times shortly before the newest exchange */
#define TW_DISTANCE_ANCHORS 16 /* marks at least 16 s apart, to compute the drift */

/* One exchange, ns. @asked and @arrived are in the capture clock, @received and @answered in the stream's clock. */
struct tw_time_sync_sample {
	uint64_t asked, received, answered, arrived;
	struct tw_stamp_sources by; /* of these times */
	bool again;                 /* the same exchange was added before, with less precise times */
};

/* Bounds of the distance (stream's clock - capture clock), ns: low <= distance <= high. */
struct tw_bounds {
	int64_t low, high;
};

/* The bounds at one time of the stream's clock, ns, from all exchanges so far. */
struct tw_distance_mark {
	uint64_t time;
	struct tw_bounds bounds;
};

struct tw_distance {
	struct tw_distance_mark marks[TW_DISTANCE_MARKS];     /* a ring */
	struct tw_distance_mark anchors[TW_DISTANCE_ANCHORS]; /* a ring */
	uint64_t n_marks, n_anchors; /* number added since the last restart, including overwritten ones */
	uint64_t exchanges;          /* valid exchanges; an exchange that was added again counts once */
	uint64_t refused;            /* invalid exchanges: arrived < asked, or low > high in their bounds */
	uint64_t restarts;           /* contradictions, after which old bounds were discarded */
};

/** tw_distance__take() - add an exchange. Return: false if it is invalid */
bool tw_distance__take(struct tw_distance *distance, const struct tw_time_sync_sample *sample);

/** tw_distance__restart() - discard all bounds, because a clock was set */
void tw_distance__restart(struct tw_distance *distance);

/** tw_distance__known() - whether there was a valid exchange since the last restart */
static inline bool tw_distance__known(const struct tw_distance *distance)
{
	return distance->n_marks;
}

/** tw_distance__pause() - time between the last two exchanges, ns; 0 if there were fewer than two since the last restart */
uint64_t tw_distance__pause(const struct tw_distance *distance);

/** tw_distance__at() - bounds of the distance, ns, at @time of the stream's clock; @time may be before the newest exchange */
struct tw_bounds tw_distance__at(const struct tw_distance *distance, uint64_t time);

/**
 * tw_distance__drift() - bounds of the mean drift of the stream's clock relative to the capture clock over the last minutes, ns per s
 *
 * They follow from the bounds of the distance at the beginning and at the end of this time. The current drift may be outside of these
 * bounds, up to +-TW_DRIFT_MAX.
 */
struct tw_bounds tw_distance__drift(const struct tw_distance *distance);

/* Saturating arithmetic for untrusted times. */
static inline int64_t tw_saturate__plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

static inline int64_t tw_saturate__minus(int64_t a, int64_t b)
{
	int64_t difference;

	if (__builtin_sub_overflow(a, b, &difference))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return difference;
}

/** tw_saturate__size() - absolute value of @a */
static inline uint64_t tw_saturate__size(int64_t a)
{
	return a < 0 ? -(uint64_t)a : (uint64_t)a;
}

/** tw_bounds__grown() - widen @bounds by the possible drift in @ns of time */
struct tw_bounds tw_bounds__grown(struct tw_bounds bounds, uint64_t ns);

/** tw_bounds__meet() - the intersection of two bounds; low > high if they contradict each other */
struct tw_bounds tw_bounds__meet(struct tw_bounds a, struct tw_bounds b);

/** tw_bounds__middle() - the middle between low and high, which is the best estimate */
int64_t tw_bounds__middle(struct tw_bounds bounds);

#endif
