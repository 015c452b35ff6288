/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a stream's clock is ahead of the capture host's, as exchanges of questions and answers tell it (RFC 5905, section 8;
 * the bounds are those of Marzullo and Owicki, "Maintaining the Time in a Distributed System", 1983).
 *
 * The question cannot come before it was asked, so at `received` the distance is `received - asked` at most; the answer cannot
 * arrive before it was given, so at `answered` it is `answered - arrived` at least. This holds however long the ways are and
 * however they differ. Between exchanges the clocks gain TW_DRIFT_MAX on each other at most, so what an exchange told holds
 * later, and held before, with that much added on both sides. All that was told is intersected.
 *
 * The bounds rest on two assumptions: that drift, and that neither clock is set. Where exchanges contradict each other one of
 * them does not hold; then only the newest counts.
 */
#ifndef TW_DISTANCE_H
#define TW_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#define TW_DRIFT_MAX \
	500000 /* ppb; what the kernel lets a clock be slewed by (adjtimex(2)), and more than a crystal has */

#define TW_DISTANCE_MARKS   32 /* the newest, for bounds at times that lie a bit back */
#define TW_DISTANCE_ANCHORS 16 /* some seconds apart, for the drift */

/* One exchange. All in ns: two times of the capture host's clock, two of the stream's. */
struct tw_time_sync_sample {
	uint64_t asked, received, answered, arrived;
};

/* Stream's clock less the capture host's, ns: no less than low, no more than high. */
struct tw_bounds {
	int64_t low, high;
};

/* What was known at one time of the stream's clock, ns, by all exchanges so far. */
struct tw_distance_mark {
	uint64_t time;
	struct tw_bounds bounds;
};

struct tw_distance {
	struct tw_distance_mark marks[TW_DISTANCE_MARKS];     /* a ring; n_marks so far */
	struct tw_distance_mark anchors[TW_DISTANCE_ANCHORS]; /* the same */
	uint64_t n_marks, n_anchors;
	uint64_t exchanges; /* taken */
	uint64_t refused;   /* that cannot be: the answer took longer to give than it was waited for */
	uint64_t restarts;  /* times that an exchange contradicted those before */
};

/** tw_distance__take() - learn from an exchange. Return: false if it cannot be */
bool tw_distance__take(struct tw_distance *distance, const struct tw_time_sync_sample *sample);

/** tw_distance__restart() - a clock was set: what was told before means nothing now */
void tw_distance__restart(struct tw_distance *distance);

/** tw_distance__known() - whether any exchange counts */
static inline bool tw_distance__known(const struct tw_distance *distance)
{
	return distance->n_marks;
}

/** tw_distance__pause() - between the last two exchanges, ns; 0 before there were two */
uint64_t tw_distance__pause(const struct tw_distance *distance);

/** tw_distance__at() - bounds at a time of the stream's clock, ns, before or after the newest exchange; one must be known */
struct tw_bounds tw_distance__at(const struct tw_distance *distance, uint64_t time);

/**
 * tw_distance__drift() - what the stream's clock gained on the capture host's over the last minutes, ns per s
 *
 * The mean is bounded by what is known of the distance at both ends; at one moment it may be another, within TW_DRIFT_MAX.
 */
struct tw_bounds tw_distance__drift(const struct tw_distance *distance);

/* Sums of times that strangers sent: what would overflow is cut. */
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

/** tw_saturate__size() - how far from 0 */
static inline uint64_t tw_saturate__size(int64_t a)
{
	return a < 0 ? -(uint64_t)a : (uint64_t)a;
}

/** tw_bounds__grown() - bounds of a distance that had some time to drift, ns */
struct tw_bounds tw_bounds__grown(struct tw_bounds bounds, uint64_t ns);

/** tw_bounds__meet() - both hold. Return: low > high if they contradict each other */
struct tw_bounds tw_bounds__meet(struct tw_bounds a, struct tw_bounds b);

/** tw_bounds__middle() - the best guess */
int64_t tw_bounds__middle(struct tw_bounds bounds);

#endif
