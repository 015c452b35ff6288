/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/time/series.h"

#include <errno.h>
#include <stdlib.h>

#include "base/time.h"
#include "clocks/distance.h"
#include "wire/tracewire.h"

static int64_t min_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t max_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Widens @to so that it contains @more. */
static void join(struct tw_time_point *to, const struct tw_time_point *more)
{
	to->offset_min = min_of(to->offset_min, more->offset_min);
	to->offset_max = max_of(to->offset_max, more->offset_max);
	to->low = min_of(to->low, more->low);
	to->high = max_of(to->high, more->high);
	to->is_bounded &= more->is_bounded;
}

/* Merges each two neighbours. */
static void halve(struct tw_time_series *series)
{
	for (uint32_t i = 0; i < series->n / 2; i++) {
		series->points[i] = series->points[2 * i];
		join(&series->points[i], &series->points[2 * i + 1]);
	}
	series->n /= 2;
	series->per_point *= 2;
}

/* Makes room for one more point. */
static int grow(struct tw_time_series *series)
{
	const uint32_t room = series->room ? 2 * series->room : 16;
	struct tw_time_point *larger;

	if (series->n < series->room)
		return 0;
	if (series->room == TW_TIME_POINTS_MAX) {
		halve(series);
		return 0;
	}
	larger = reallocarray(series->points, room, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	series->points = larger;
	series->room = room;
	return 0;
}

static void add_error(struct tw_time_series *series, uint64_t error)
{
	if (error == TW_ERROR_UNKNOWN) {
		series->has_unknown = true;
		return;
	}
	series->error_min = tw_time__earlier(series->error_min, error);
	series->error_max = tw_time__later(series->error_max, error);
}

static void add_to_run(struct tw_time_series *series, const struct tw_time_sample *sample)
{
	if (!series->has_run)
		series->run.first = *sample;
	series->has_run = true;
	series->run.last = *sample;
}

int tw_time_series__add(struct tw_time_series *series, const struct tw_time_sample *sample)
{
	const bool is_bounded = sample->error_ns != TW_ERROR_UNKNOWN;
	const int64_t error = sample->error_ns > INT64_MAX ? INT64_MAX : (int64_t)sample->error_ns;
	const struct tw_time_point point = {
		.from = sample->time,
		.offset_min = sample->offset,
		.offset_max = sample->offset,
		.low = tw_saturate__minus(sample->offset, error),
		.high = tw_saturate__plus(sample->offset, error),
		.is_bounded = is_bounded,
	};
	const bool is_newer = !series->samples || sample->time > series->last.time;
	const bool is_point = is_newer && series->in_last == series->per_point;
	const int err = is_point ? grow(series) : 0;

	if (err)
		return err;
	if (!series->samples) {
		series->first = *sample;
		series->error_min = TW_ERROR_UNKNOWN;
		series->per_point = 1;
	}
	series->samples++;
	add_error(series, sample->error_ns);
	if (is_point) {
		series->points[series->n++] = point;
		series->in_last = 0;
	} else {
		join(&series->points[series->n - 1], &point);
	}
	series->in_last += is_newer;
	if (!is_newer)
		return 0;
	series->last = *sample;
	add_to_run(series, sample);
	return 0;
}

static uint64_t length_of(const struct tw_time_run *run)
{
	return run->last.time - run->first.time;
}

void tw_time_series__break(struct tw_time_series *series)
{
	if (series->has_run && (!series->has_longest || length_of(&series->run) > length_of(&series->longest))) {
		series->longest = series->run;
		series->has_longest = true;
	}
	series->has_run = false;
}

bool tw_time_series__slope(const struct tw_time_series *series, struct tw_time_slope *ret)
{
	const struct tw_time_run *run = series->has_longest ? &series->longest : &series->run;
	double seconds;

	if (series->has_run && length_of(&series->run) >= length_of(run))
		run = &series->run;
	if (!series->samples || !length_of(run))
		return false;
	seconds = (double)length_of(run) / (double)TW_NS_PER_SECOND;
	ret->ns_per_s = (double)tw_saturate__minus(run->last.offset, run->first.offset) / seconds;
	ret->error = -1;
	if (run->first.error_ns != TW_ERROR_UNKNOWN && run->last.error_ns != TW_ERROR_UNKNOWN)
		ret->error = ((double)run->first.error_ns + (double)run->last.error_ns) / seconds;
	return true;
}

void tw_time_series__fini(struct tw_time_series *series)
{
	free(series->points);
	*series = (struct tw_time_series){ 0 };
}
