/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The offset of one clock from a stream's clock over time, with the bounds of its error, in bounded memory. If there are too many points,
 * neighbours are merged: the bounds of the merged point contain those of both. From then on, each point has twice as many samples.
 */
#ifndef TW_TIME_SERIES_H
#define TW_TIME_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#define TW_TIME_POINTS_MAX 256 /* even */

/* The offset from @from on, until the next point. */
struct tw_time_point {
	uint64_t from;                  /* by the stream's clock, ns */
	int64_t offset_min, offset_max; /* smallest and largest offset, ns */
	int64_t low, high;              /* the true offset is between these, ns; valid if is_bounded */
	bool is_bounded;
};

struct tw_time_sample {
	uint64_t time; /* by the stream's clock, ns */
	int64_t offset;
	uint64_t error_ns; /* TW_ERROR_UNKNOWN = unknown */
};

/* A part of the series in which neither clock was set. */
struct tw_time_run {
	struct tw_time_sample first, last;
};

struct tw_time_series {
	struct tw_time_point *points; /* @n of them, in time order */
	uint32_t n, room;
	uint64_t samples;
	uint64_t per_point, in_last;     /* samples of each point; of the last one */
	struct tw_time_run run, longest; /* the current run; the longest of the earlier ones */
	bool has_run, has_longest;
	struct tw_time_sample first, last; /* valid if @samples is not 0 */
	uint64_t error_min,
		error_max; /* of the samples whose error is known; error_min is TW_ERROR_UNKNOWN if there are none */
	bool has_unknown;  /* the error of a sample is unknown */
};

/* The mean slope of a run. */
struct tw_time_slope {
	double ns_per_s;
	double error; /* largest difference from the true mean slope, ns per s; negative = unknown */
};

/** tw_time_series__add() - add a sample. A sample that is older than the last one widens the bounds of the last point. Return: 0, -ENOMEM */
int tw_time_series__add(struct tw_time_series *series, const struct tw_time_sample *sample);

/** tw_time_series__break() - one of the clocks was set: a slope is not computed across this time */
void tw_time_series__break(struct tw_time_series *series);

/** tw_time_series__slope() - the slope of the longest run. Return: false if no run has two samples at different times */
bool tw_time_series__slope(const struct tw_time_series *series, struct tw_time_slope *ret);

/** tw_time_series__fini() - free the points */
void tw_time_series__fini(struct tw_time_series *series);

#endif
