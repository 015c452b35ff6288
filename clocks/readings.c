/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/readings.h"

#include "base/time.h"

#define LEARNT 4 /* number of readings from which on the range of rates is used */

/* Return: the growth in @ns at @rate ns per s, rounded away from the middle: down, or up with @up. @ns and @rate may be negative. */
static int64_t growth(int64_t rate, int64_t ns, bool up)
{
	const double by = (double)rate * (double)ns / (double)TW_NS_PER_SECOND + (up ? 1 : -1);

	if (by > 9e18)
		return INT64_MAX;
	return by < -9e18 ? INT64_MIN : (int64_t)by;
}

struct tw_bounds tw_bounds__moved(struct tw_bounds bounds, struct tw_bounds rates, int64_t ns)
{
	const int64_t slow = ns < 0 ? rates.high : rates.low, fast = ns < 0 ? rates.low : rates.high;

	if (!ns)
		return bounds;
	return (struct tw_bounds){ tw_saturate__plus(bounds.low, growth(slow, ns, false)),
				   tw_saturate__plus(bounds.high, growth(fast, ns, true)) };
}

static const struct tw_distance_mark *mark_at(const struct tw_readings *r, uint64_t n)
{
	return &r->marks[n % TW_READINGS];
}

static uint64_t oldest(const struct tw_readings *r)
{
	return r->n > TW_READINGS ? r->n - TW_READINGS : 0;
}

const struct tw_distance_mark *tw_readings__newest(const struct tw_readings *r)
{
	return r->n ? mark_at(r, r->n - 1) : NULL;
}

static int64_t limit(double rate)
{
	if (rate > TW_DRIFT_MAX)
		return TW_DRIFT_MAX;
	return rate < -TW_DRIFT_MAX ? -TW_DRIFT_MAX : (int64_t)rate;
}

/* Return: bounds of the rate between two readings, ns per s. */
static struct tw_bounds rate_between(const struct tw_distance_mark *a, const struct tw_distance_mark *b)
{
	const double s = (double)(b->time - a->time) / (double)TW_NS_PER_SECOND;

	return (struct tw_bounds){ limit((double)tw_saturate__minus(b->bounds.low, a->bounds.high) / s - 1),
				   limit((double)tw_saturate__minus(b->bounds.high, a->bounds.low) / s + 1) };
}

struct tw_bounds tw_readings__rates(const struct tw_readings *r)
{
	struct tw_bounds ret = { TW_DRIFT_MAX, -TW_DRIFT_MAX };
	int64_t more;

	if (r->n < LEARNT)
		return (struct tw_bounds){ -TW_DRIFT_MAX, TW_DRIFT_MAX };
	for (uint64_t n = oldest(r); n + 1 < r->n; n++) {
		const struct tw_bounds rate = rate_between(mark_at(r, n), mark_at(r, n + 1));

		ret.low = rate.low < ret.low ? rate.low : ret.low;
		ret.high = rate.high > ret.high ? rate.high : ret.high;
	}
	more = (ret.high - ret.low) / 2 + r->wander;
	return (struct tw_bounds){ limit((double)(ret.low - more)), limit((double)(ret.high + more)) };
}

struct tw_bounds tw_readings__at(const struct tw_readings *r, uint64_t time)
{
	const struct tw_bounds rates = tw_readings__rates(r);
	const struct tw_distance_mark *nearest = tw_readings__newest(r);
	struct tw_bounds ret = { INT64_MIN, INT64_MAX };

	for (uint64_t n = oldest(r); n < r->n; n++) {
		const struct tw_distance_mark *mark = mark_at(r, n);

		if (tw_time__apart(mark->time, time) < tw_time__apart(nearest->time, time))
			nearest = mark;
		ret = tw_bounds__meet(ret, tw_bounds__moved(mark->bounds, rates, (int64_t)(time - mark->time)));
	}
	if (ret.low <= ret.high)
		return ret;
	return tw_bounds__moved(nearest->bounds, rates, (int64_t)(time - nearest->time));
}

static int64_t outside(struct tw_bounds expected, struct tw_bounds bounds)
{
	if (bounds.low > expected.high)
		return tw_saturate__minus(bounds.low, expected.high);
	return bounds.high < expected.low ? tw_saturate__minus(bounds.high, expected.low) : 0;
}

int64_t tw_readings__take(struct tw_readings *r, uint64_t time, int64_t distance, uint64_t error_ns)
{
	const int64_t error = error_ns > INT64_MAX ? INT64_MAX : (int64_t)error_ns;
	struct tw_distance_mark mark = {
		.time = time,
		.bounds = { tw_saturate__minus(distance, error), tw_saturate__plus(distance, error) },
	};
	int64_t ret = 0;

	if (r->n && time <= tw_readings__newest(r)->time)
		return 0;
	if (r->n) {
		const struct tw_bounds expected = tw_readings__at(r, time);

		ret = outside(expected, mark.bounds);
		if (ret) {
			r->contradictions++;
			tw_readings__restart(r);
		} else {
			mark.bounds = tw_bounds__meet(expected, mark.bounds);
		}
	}
	r->marks[r->n++ % TW_READINGS] = mark;
	return ret;
}
