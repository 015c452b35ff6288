/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts times of one clock of a machine to another clock of the same machine, from readings of both clocks at the same instants. So
 * a time stamp of a socket (REALTIME, MONOTONIC, TAI) or of a network card (PHC) becomes a time of the stream's clock.
 *
 * Each result has an error bound. The bound is the distance between the instants of both readings, plus the largest possible drift since
 * the readings. With readings before and after the time, both bounds are intersected. If they contradict each other, one of the clocks was
 * set, stopped or slewed in between. The result then covers what both readings allow, so that no clock that was set bends a time silently.
 */
#ifndef TW_CLOCK_CONVERT_H
#define TW_CLOCK_CONVERT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "wire/decode.h"

/* Readings of two clocks at the same instant, ns. */
struct tw_clock_point {
	uint64_t from, to;
	uint64_t error_ns; /* largest distance between the instants of both readings */
};

struct tw_clock_time {
	uint64_t ns;
	uint64_t error_ns; /* largest possible error of @ns */
};

/** tw_clock_point__read() - read two clocks of the system, each of which may be any but a PHC */
struct tw_clock_point tw_clock_point__read(clockid_t from, clockid_t to);

/** tw_clock_point__drift() - largest difference of the rates of two clocks of the system, ns per s; 0 = they have the same rate */
uint32_t tw_clock_point__drift(clockid_t from, clockid_t to);

/**
 * tw_clock_point__agree() - whether neither clock was set or stopped between two points, as far as the errors and the drift tell
 * @drift: largest difference of the clocks' rates, ns per s
 */
bool tw_clock_point__agree(const struct tw_clock_point *a, const struct tw_clock_point *b, uint32_t drift);

/**
 * tw_clock_point__convert() - convert a time of the clock @from to the clock @to
 * @a, @b: points before and after the time, in any order if they agree; @b may be NULL
 * @drift: largest difference of the clocks' rates, ns per s
 * Return: false if the time is between no such points: it is negative, or a clock was set so that neither point allows the time.
 */
bool tw_clock_point__convert(const struct tw_clock_point *a, const struct tw_clock_point *b, uint32_t drift,
			     uint64_t time, struct tw_clock_time *ret);

/* The CLOCK samples of a stream before and after a time. Their TRACE, and the @trace of their @phcs, are in ns. */
struct tw_clock_samples {
	const struct tw_clock_view *before, *after; /* @after may be NULL: the time is newer than the last sample */
	const char *trace_clock;                    /* name of the stream's clock, from HOST */
};

/**
 * tw_clock_samples__convert() - convert a time of one of the clocks to the stream's clock
 * @from: the clock that @time, ns, is a time of
 * Return: false if a sample lacks a reading of @from or TRACE, and as tw_clock_point__convert().
 */
bool tw_clock_samples__convert(const struct tw_clock_samples *samples, enum tw_clock from, uint64_t time,
			       struct tw_clock_time *ret);

/** tw_clock_samples__convert_phc() - tw_clock_samples__convert() for a time of /dev/ptp@index; the samples' readings of it are used */
bool tw_clock_samples__convert_phc(const struct tw_clock_samples *samples, uint16_t index, uint64_t time,
				   struct tw_clock_time *ret);

#endif
