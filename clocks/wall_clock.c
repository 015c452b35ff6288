/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/wall_clock.h"

#include "base/time.h"
#include "clocks/distance.h"

/* Two consecutive samples. */
struct pair {
	const struct tw_clock_view *a, *b;
};

static bool both_have(const struct pair *p, enum tw_clock clock)
{
	return (p->a->valid & p->b->valid) >> clock & 1;
}

static uint64_t progress(const struct pair *p, enum tw_clock clock)
{
	return p->b->reading[clock] - p->a->reading[clock];
}

/* Return: ns by which @clock gained on the clock @on between the samples; 0 if the samples' errors plus @more ns can explain the gain. */
static int64_t gain(const struct pair *p, enum tw_clock clock, enum tw_clock on, uint64_t more)
{
	const int64_t by = (int64_t)(progress(p, clock) - progress(p, on));

	if (!both_have(p, clock) || !both_have(p, on))
		return 0;
	return tw_saturate__size(by) > (uint64_t)p->a->error_ns + p->b->error_ns + more ? by : 0;
}

/* Return: the largest possible drift, ns, of a clock with its own rate in the time between the samples, which the clock @on measures. */
static uint64_t drift(const struct pair *p, enum tw_clock on)
{
	return progress(p, on) / (TW_NS_PER_SECOND / TW_DRIFT_MAX);
}

/* Whether the stream's clock is @clock: then one reading is used for both. */
static bool is_trace(const struct pair *p, enum tw_clock clock)
{
	return both_have(p, clock) && p->a->reading[TW_CLOCK_TRACE] == p->a->reading[clock] &&
	       p->b->reading[TW_CLOCK_TRACE] == p->b->reading[clock];
}

/*
 * Whether the stream's clock stopped or was set. A clock with the rate of BOOTTIME has no drift. After a suspend, each distance that the
 * errors cannot explain counts, even if drift could explain it, because the clock is likely to have stopped.
 */
static bool has_jumped(const struct pair *p, bool suspended)
{
	const bool no_drift = is_trace(p, TW_CLOCK_MONO) || is_trace(p, TW_CLOCK_BOOT) || is_trace(p, TW_CLOCK_TAI);

	return gain(p, TW_CLOCK_TRACE, TW_CLOCK_BOOT, no_drift || suspended ? 0 : drift(p, TW_CLOCK_BOOT)) != 0;
}

static int64_t step_of(const struct pair *p)
{
	if (both_have(p, TW_CLOCK_BOOT))
		return gain(p, TW_CLOCK_REAL, TW_CLOCK_BOOT, 0);
	if (both_have(p, TW_CLOCK_MONO))
		return gain(p, TW_CLOCK_REAL, TW_CLOCK_MONO, 0);
	return gain(p, TW_CLOCK_REAL, TW_CLOCK_TRACE, drift(p, TW_CLOCK_TRACE));
}

/* Return: the change of TAI - REALTIME, ns; the nearest whole number of seconds, because the kernel's offset has no fraction */
static int64_t tai_change_of(const struct pair *p)
{
	const int64_t change = gain(p, TW_CLOCK_TAI, TW_CLOCK_REAL, 0), second = (int64_t)TW_NS_PER_SECOND;
	const int64_t fraction = change % second;

	if (fraction >= second / 2)
		return tw_saturate__plus(change, second - fraction);
	if (fraction < -second / 2)
		return tw_saturate__minus(change, second + fraction);
	return change - fraction;
}

/* Whether REALTIME was set by @step and TAI was not set, because both changes together are a leap second. */
static bool is_leap(const struct pair *p, int64_t step, int64_t tai)
{
	const uint64_t error = (uint64_t)p->a->error_ns + p->b->error_ns;

	return tw_saturate__size(tai) == TW_NS_PER_SECOND && tw_saturate__size(tw_saturate__plus(step, tai)) <= error;
}

/* Whether the second sample is newer. MONO decides, because it cannot be set; without MONO, BOOT decides, or else TRACE. */
static bool is_newer(const struct pair *p)
{
	static const enum tw_clock by[] = { TW_CLOCK_MONO, TW_CLOCK_BOOT, TW_CLOCK_TRACE };

	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++)
		if (both_have(p, by[i]))
			return p->b->reading[by[i]] > p->a->reading[by[i]];
	return true;
}

bool tw_wall_clock__take(struct tw_wall_clock *wall, const struct tw_clock_view *sample, struct tw_wall_change *ret)
{
	const struct pair p = { &wall->last, sample };
	int64_t suspend;

	*ret = (struct tw_wall_change){ 0 };
	if (wall->any) {
		if (!is_newer(&p))
			return false;
		suspend = gain(&p, TW_CLOCK_BOOT, TW_CLOCK_MONO, 0);
		ret->suspend = suspend > 0 ? suspend : 0;
		ret->step = step_of(&p);
		ret->tai = tai_change_of(&p);
		if (is_leap(&p, ret->step, ret->tai)) {
			ret->leap = -ret->tai;
			ret->step = ret->tai = 0;
		}
		ret->jumped = has_jumped(&p, ret->suspend != 0);
	}
	wall->last = *sample;
	wall->any = true;
	return true;
}
