/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The distance of a stream's clock from the capture clock: stream's clock - capture clock. Each exchange of a time synchronisation request
 * and its response (RFC 5905, section 8) gives a lower and an upper bound of the distance. The method is that of Marzullo and Owicki,
 * "Maintaining the Time in a Distributed System", 1983.
 *
 * A request cannot arrive before it was sent, so at `received` the distance is at most `received - asked`. A response cannot arrive
 * before it was sent, so at `answered` the distance is at least `answered - arrived`. This is true for any delays.
 *
 * The bounds at other times need assumptions about the rates of the clocks. Neither clock may be set. There are two assumptions about the
 * drift, which is the difference of the rates.
 *
 * 1. The drift is at most TW_DRIFT_MAX. Under this assumption, each bound is valid at other times if it is widened by the possible drift.
 * All bounds are intersected. If they contradict each other, only the newest bounds are used (`restarts`). The assumption is wrong while
 * chrony corrects a large offset, because it may then slew the clock by more (`maxslewrate`).
 *
 * 2. The drift is even. Apart from steps, it changes by at most 1 ppm per second, plus 0.1 ppm at any time. This covers a crystal whose
 * temperature changes (the coefficient of common crystals is below 1 ppm per kelvin), and the servo of a PTP clock in its steady state.
 * Steps occur when NTP begins or ends to slew a clock. A step may be of any size and occur at any time, but two steps of a size that the
 * exchanges do not show are at least 4 s apart. The kernel changes the rate once a second while it slews, and chrony when it gets a
 * measurement. Most NTP daemons measure once in 16 s or less often. Under this assumption, at a time between two exchanges, the drift was
 * even on one side of this time at least, so the distance lies on a line through the bounds of the exchanges before it, or of those after
 * it (clocks/line_bounds.h). This is tighter than assumption 1 if the delays are short.
 *
 * Assumption 2 is used only for times between two exchanges. After the newest exchange, a step may already have occurred. It is not used
 * until 4 s have passed without exchanges that contradict an even drift (`rate_steps`). A caller that asks for the bounds some exchanges
 * later therefore gets tighter bounds.
 */
#ifndef TW_DISTANCE_H
#define TW_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/decode.h"

/* The maximum drift, ppb: the kernel's limit for slewing a clock (adjtimex(2)); the error of a crystal is smaller. */
#define TW_DRIFT_MAX 500000

/* Between two exchanges, the bounds of the distance grow by at most this much, ns per s. */
#define TW_BOUND_GROWTH_MAX (TW_DRIFT_MAX + TW_DRIFT_MAX / 100)

/* Exchanges with a producer that sends transmit stamps come in runs of this number, with a pause between two runs. */
#define TW_EXCHANGES_OF_RUN 4

#define TW_DISTANCE_MARKS   128 /* latest marks (below), for bounds at times shortly before the newest exchange */
#define TW_DISTANCE_ANCHORS 16  /* marks at least 16 s apart, to compute the drift */

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
	/* When the request arrived, in the stream's clock. Better stamps of an exchange do not change it. */
	uint64_t received;
	struct tw_bounds bounds;
	int64_t middle; /* between the bounds that follow from this exchange alone */
	uint64_t delay; /* of request and response together, ns */
};

struct tw_distance {
	struct tw_distance_mark marks[TW_DISTANCE_MARKS];     /* a ring */
	struct tw_distance_mark anchors[TW_DISTANCE_ANCHORS]; /* a ring */
	uint64_t n_marks, n_anchors; /* number added since the last restart, including overwritten ones */
	uint64_t exchanges;          /* valid exchanges; an exchange that was added again counts once */
	uint64_t refused;            /* invalid exchanges: arrived < asked, or low > high in their bounds */
	uint64_t restarts;           /* contradictions, after which old bounds were discarded */
	uint64_t rate_steps;         /* steps of the rate that exchanges showed */
	uint64_t even;               /* number of the mark since which no exchange has shown a step of the rate */
	uint64_t even_since;         /* its time */
};

/**
 * tw_distance__take() - add an exchange
 *
 * An exchange may be added again, with more precise times, before the next one is added: the request was sent at the same time.
 *
 * Return: false if it is invalid.
 */
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

/** tw_distance__newest() - time of the newest exchange, in the stream's clock, ns; 0 if there was none since the last restart */
uint64_t tw_distance__newest(const struct tw_distance *distance);

/** tw_distance__next() - time of the first exchange after @time; UINT64_MAX if there is none */
uint64_t tw_distance__next(const struct tw_distance *distance, uint64_t time);

/** tw_distance__at() - bounds of the distance, ns, at @time of the stream's clock; @time may be before the newest exchange */
struct tw_bounds tw_distance__at(const struct tw_distance *distance, uint64_t time);

/** tw_distance__safe_at() - as tw_distance__at(), but without assumption 2 */
struct tw_bounds tw_distance__safe_at(const struct tw_distance *distance, uint64_t time);

/* An estimate at one time. */
struct tw_distance_line {
	int64_t distance; /* ns */
	double drift;     /* at this time, ns per s */
};

/**
 * tw_distance__line() - get the best estimate at @time of the stream's clock; @bounds are from tw_distance__at()
 *
 * It is a regression over the latest exchanges, in which slow exchanges have little weight (clocks/regression.h). The result is limited to
 * the bounds. If there are too few exchanges since the last step of the rate, it is the middle of the bounds. Asymmetric delays add half of
 * their difference to the error of the estimate.
 */
struct tw_distance_line tw_distance__line(const struct tw_distance *distance, uint64_t time, struct tw_bounds bounds);

/**
 * tw_distance__drift() - bounds of the mean drift of the stream's clock relative to the capture clock over the last minutes, ns per s
 *
 * They follow from the bounds of the distance at the beginning and at the end of this time. If the exchanges show a step of the rate, the
 * time begins after the step. The current drift may be outside of these
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
