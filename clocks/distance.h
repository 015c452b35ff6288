/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The distance of a stream's clock from the capture clock, from time synchronisation requests and responses (RFC 5905, section 8; the
 * bounds are those of Marzullo and Owicki, "Maintaining the Time in a Distributed System", 1983).
 *
 * A request cannot arrive before it was sent, so at `received` the distance is at most `received - asked`. A response cannot arrive
 * before it was sent, so at `answered` the distance is at least `answered - arrived`. This holds for any delays. The clocks drift by at
 * most TW_DRIFT_MAX, so these bounds hold at other times with the possible drift added on both sides. All bounds are intersected.
 *
 * This assumes the maximum drift, and that neither clock is set. If bounds contradict each other, an assumption is wrong; then only the
 * newest are used.
 */
#ifndef TW_DISTANCE_H
#define TW_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#define TW_DRIFT_MAX \
	500000 /* ppb; the kernel's limit for slewing a clock (adjtimex(2)), and more than the error of a crystal */

#define TW_DISTANCE_MARKS   32 /* the newest ones, for bounds at slightly earlier times */
#define TW_DISTANCE_ANCHORS 16 /* some seconds apart, to compute the drift */

/* One exchange. All in ns: two times of the capture host's clock, two of the stream's clock. */
struct tw_time_sync_sample {
	uint64_t asked, received, answered, arrived;
};

/* Stream's clock minus the capture clock, ns: at least low, at most high. */
struct tw_bounds {
	int64_t low, high;
};

/* The bounds at one time of the stream's clock, ns, from all exchanges so far. */
struct tw_distance_mark {
	uint64_t time;
	struct tw_bounds bounds;
};

struct tw_distance {
	struct tw_distance_mark marks[TW_DISTANCE_MARKS];     /* a ring; n_marks so far */
	struct tw_distance_mark anchors[TW_DISTANCE_ANCHORS]; /* a ring, too */
	uint64_t n_marks, n_anchors;
	uint64_t exchanges; /* exchanges taken */
	uint64_t refused;   /* invalid exchanges: the response took longer to make than the round trip */
	uint64_t restarts;  /* number of contradictions */
};

/** tw_distance__take() - add a request and its response. Return: false if they are invalid */
bool tw_distance__take(struct tw_distance *distance, const struct tw_time_sync_sample *sample);

/** tw_distance__restart() - a clock was set: discard all bounds */
void tw_distance__restart(struct tw_distance *distance);

/** tw_distance__known() - whether there is a valid exchange */
static inline bool tw_distance__known(const struct tw_distance *distance)
{
	return distance->n_marks;
}

/** tw_distance__pause() - time between the last two exchanges, ns; 0 if there were fewer */
uint64_t tw_distance__pause(const struct tw_distance *distance);

/** tw_distance__at() - bounds at a time of the stream's clock, ns, before or after the newest exchange; there must be one */
struct tw_bounds tw_distance__at(const struct tw_distance *distance, uint64_t time);

/**
 * tw_distance__drift() - drift of the stream's clock relative to the capture clock over the last minutes, ns per s
 *
 * The bounds of the distance at both ends limit the mean; the momentary drift may differ, up to TW_DRIFT_MAX.
 */
struct tw_bounds tw_distance__drift(const struct tw_distance *distance);

/* Saturating sums of untrusted times. */
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

/** tw_saturate__size() - absolute value */
static inline uint64_t tw_saturate__size(int64_t a)
{
	return a < 0 ? -(uint64_t)a : (uint64_t)a;
}

/** tw_bounds__grown() - bounds widened by the possible drift in some time, ns */
struct tw_bounds tw_bounds__grown(struct tw_bounds bounds, uint64_t ns);

/** tw_bounds__meet() - the intersection. Return: low > high if they contradict each other */
struct tw_bounds tw_bounds__meet(struct tw_bounds a, struct tw_bounds b);

/** tw_bounds__middle() - the best estimate */
int64_t tw_bounds__middle(struct tw_bounds bounds);

#endif
