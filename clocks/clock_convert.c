/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/clock_convert.h"

#include <string.h>

#include "base/time.h"
#include "clocks/distance.h"

#define READINGS 3 /* of which the shortest is used */

/* Bounds of a time. 128 bits hold sums and differences of any times of 64 bits. */
struct span {
	__int128 low, high;
};

struct tw_clock_point tw_clock_point__read(clockid_t from, clockid_t to)
{
	struct tw_clock_point ret = { .error_ns = UINT64_MAX };

	for (int i = 0; i < READINGS; i++) {
		const uint64_t before = tw_time__now(from), reading = tw_time__now(to), after = tw_time__now(from);
		const uint64_t window = after - before; /* huge, if the clock was set back in between */

		if (window / 2 + 1 < ret.error_ns)
			ret = (struct tw_clock_point){ before + window / 2, reading, window / 2 + 1 };
	}
	return ret;
}

/* Whether the kernel lets the clock run at the rate of CLOCK_MONOTONIC, which NTP adjusts. */
static bool is_adjusted(clockid_t clock)
{
	return clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME || clock == CLOCK_REALTIME || clock == CLOCK_TAI;
}

uint32_t tw_clock_point__drift(clockid_t from, clockid_t to)
{
	return from == to || (is_adjusted(from) && is_adjusted(to)) ? 0 : TW_DRIFT_MAX;
}

static __int128 size_of(__int128 number)
{
	return number < 0 ? -number : number;
}

/* Return: the bounds of @time on the clock @to, from one point */
static struct span from_point(const struct tw_clock_point *point, uint32_t drift, uint64_t time)
{
	const __int128 since = (__int128)time - point->from;
	const __int128 drifted = (size_of(since) * drift + TW_NS_PER_SECOND - 1) / (__int128)TW_NS_PER_SECOND;
	const __int128 middle = since + point->to, error = drifted + point->error_ns;

	return (struct span){ middle - error, middle + error };
}

static struct span meet(struct span a, struct span b)
{
	return (struct span){ a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high };
}

static struct span cover(struct span a, struct span b)
{
	return (struct span){ a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high };
}

static bool is_empty(struct span span)
{
	return span.low > span.high;
}

bool tw_clock_point__agree(const struct tw_clock_point *a, const struct tw_clock_point *b, uint32_t drift)
{
	const struct span at_b = { (__int128)b->to - b->error_ns, (__int128)b->to + b->error_ns };

	return !is_empty(meet(from_point(a, drift, b->from), at_b));
}

/*
 * Get the bounds from two points that contradict each other. If a clock was set by more than the time between the points, one of the points
 * usually puts the time outside of the time between them, and only the other one is right. A smaller change can also be a slew.
 */
static struct span from_contradiction(const struct tw_clock_point *a, const struct tw_clock_point *b, struct span by_a,
				      struct span by_b)
{
	const __int128 elapsed = (__int128)b->to - a->to;
	const __int128 step = elapsed - ((__int128)b->from - a->from);
	const struct span between = { (__int128)a->to - a->error_ns, (__int128)b->to + b->error_ns };

	if (elapsed < 0 || size_of(step) < elapsed)
		return cover(by_a, by_b);
	by_a = meet(by_a, between);
	by_b = meet(by_b, between);
	return is_empty(by_a) ? by_b : is_empty(by_b) ? by_a : cover(by_a, by_b);
}

bool tw_clock_point__convert(const struct tw_clock_point *a, const struct tw_clock_point *b, uint32_t drift,
			     uint64_t time, struct tw_clock_time *ret)
{
	struct span span = from_point(a, drift, time);

	if (b) {
		const struct span by_a = span, by_b = from_point(b, drift, time);

		span = meet(by_a, by_b);
		if (is_empty(span))
			span = from_contradiction(a, b, by_a, by_b);
	}
	if (is_empty(span) || span.low < 0 || span.high > UINT64_MAX)
		return false;
	ret->ns = (uint64_t)(span.low + (span.high - span.low) / 2);
	ret->error_ns = (uint64_t)span.high - ret->ns;
	return true;
}

static bool point_of(const struct tw_clock_view *sample, enum tw_clock from, struct tw_clock_point *ret)
{
	*ret = (struct tw_clock_point){ sample->reading[from], sample->reading[TW_CLOCK_TRACE], sample->error_ns };
	return sample->valid >> from & sample->valid >> TW_CLOCK_TRACE & 1;
}

static bool point_of_phc(const struct tw_clock_view *sample, uint16_t index, struct tw_clock_point *ret)
{
	for (unsigned int i = 0; i < sample->n_phcs; i++) {
		const struct tw_phc_view *phc = &sample->phcs[i];

		*ret = (struct tw_clock_point){ phc->phc, phc->trace, phc->error_ns };
		if (phc->index == index)
			return true;
	}
	return false;
}

/* Return: the clockid_t of the trace clock, or -1 if it is a clock of the rings, which has a rate of its own */
static int id_of_trace(const char *name)
{
	static const struct {
		const char *name;
		clockid_t id;
	} clocks[] = {
		{ "mono", CLOCK_MONOTONIC },
		{ "mono_raw", CLOCK_MONOTONIC_RAW },
		{ "boot", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI },
	};

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcmp(clocks[i].name, name))
			return clocks[i].id;
	return -1;
}

bool tw_clock_samples__convert(const struct tw_clock_samples *samples, enum tw_clock from, uint64_t time,
			       struct tw_clock_time *ret)
{
	static const clockid_t ids[] = {
		[TW_CLOCK_MONO] = CLOCK_MONOTONIC,    [TW_CLOCK_BOOT] = CLOCK_BOOTTIME,
		[TW_CLOCK_REAL] = CLOCK_REALTIME,     [TW_CLOCK_TAI] = CLOCK_TAI,
		[TW_CLOCK_RAW] = CLOCK_MONOTONIC_RAW,
	};
	const int trace = id_of_trace(samples->trace_clock);
	struct tw_clock_point a, b;

	if (from == TW_CLOCK_TRACE || ids[from] == trace) {
		*ret = (struct tw_clock_time){ .ns = time };
		return true;
	}
	if (!point_of(samples->before, from, &a) || (samples->after && !point_of(samples->after, from, &b)))
		return false;
	return tw_clock_point__convert(&a, samples->after ? &b : NULL, tw_clock_point__drift(ids[from], trace), time,
				       ret);
}

bool tw_clock_samples__convert_phc(const struct tw_clock_samples *samples, uint16_t index, uint64_t time,
				   struct tw_clock_time *ret)
{
	struct tw_clock_point a, b;

	if (!point_of_phc(samples->before, index, &a) || (samples->after && !point_of_phc(samples->after, index, &b)))
		return false;
	return tw_clock_point__convert(&a, samples->after ? &b : NULL, TW_DRIFT_MAX, time, ret);
}
