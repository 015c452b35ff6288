/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/distance.h"

#include "base/time.h"

#define ANCHOR_NS (16 * TW_NS_PER_SECOND) /* shortest time between two anchors */

struct tw_bounds tw_bounds__grown(struct tw_bounds bounds, uint64_t ns)
{
	const int64_t growth = (int64_t)(ns / (TW_NS_PER_SECOND / TW_DRIFT_MAX)) + 1;

	return (struct tw_bounds){ tw_saturate__plus(bounds.low, -growth), tw_saturate__plus(bounds.high, growth) };
}

struct tw_bounds tw_bounds__meet(struct tw_bounds a, struct tw_bounds b)
{
	return (struct tw_bounds){ a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high };
}

int64_t tw_bounds__middle(struct tw_bounds bounds)
{
	return bounds.low / 2 + bounds.high / 2;
}

/* Return: the newest mark; its content is valid only if n_marks is not 0. */
static const struct tw_distance_mark *latest_mark(const struct tw_distance *d)
{
	return &d->marks[(d->n_marks - 1) % TW_DISTANCE_MARKS];
}

uint64_t tw_distance__pause(const struct tw_distance *d)
{
	if (d->n_marks < 2)
		return 0;
	return tw_time__apart(d->marks[(d->n_marks - 2) % TW_DISTANCE_MARKS].time, latest_mark(d)->time);
}

static int64_t width(const struct tw_distance_mark *mark)
{
	return tw_saturate__minus(mark->bounds.high, mark->bounds.low);
}

/*
 * Add an anchor if the newest anchor is old enough. Otherwise, a mark whose bounds are less than half as wide replaces the newest anchor,
 * because the first exchange on a busy machine may have very wide bounds.
 */
static void anchor(struct tw_distance *d, const struct tw_distance_mark *mark)
{
	struct tw_distance_mark *newest = &d->anchors[(d->n_anchors - 1) % TW_DISTANCE_ANCHORS];

	if (!d->n_anchors || tw_time__apart(mark->time, newest->time) >= ANCHOR_NS)
		d->anchors[d->n_anchors++ % TW_DISTANCE_ANCHORS] = *mark;
	else if (width(mark) < width(newest) / 2)
		*newest = *mark;
}

bool tw_distance__take(struct tw_distance *d, const struct tw_time_sync_sample *s)
{
	const struct tw_bounds asked = { INT64_MIN, (int64_t)(s->received - s->asked) };
	struct tw_distance_mark mark = { .time = s->answered };

	mark.bounds = tw_bounds__grown(asked, tw_time__apart(s->answered, s->received));
	mark.bounds.low = (int64_t)(s->answered - s->arrived);
	if (s->arrived < s->asked || mark.bounds.low > mark.bounds.high) {
		d->refused++;
		return false;
	}
	d->exchanges += !s->again;
	if (tw_distance__known(d)) {
		const struct tw_distance_mark *last = latest_mark(d);
		const struct tw_bounds before = tw_bounds__grown(last->bounds, tw_time__apart(mark.time, last->time));
		const struct tw_bounds both = tw_bounds__meet(before, mark.bounds);

		if (both.low <= both.high) {
			mark.bounds = both;
		} else {
			tw_distance__restart(d);
			d->restarts++;
		}
	}
	d->marks[d->n_marks++ % TW_DISTANCE_MARKS] = mark;
	anchor(d, &mark);
	return true;
}

void tw_distance__restart(struct tw_distance *d)
{
	d->n_marks = 0;
	d->n_anchors = 0;
}

struct tw_bounds tw_distance__at(const struct tw_distance *d, uint64_t time)
{
	const uint64_t n = d->n_marks < TW_DISTANCE_MARKS ? d->n_marks : TW_DISTANCE_MARKS;
	struct tw_bounds bounds = { INT64_MIN, INT64_MAX };

	for (uint64_t i = 0; i < n; i++)
		bounds = tw_bounds__meet(bounds,
					 tw_bounds__grown(d->marks[i].bounds, tw_time__apart(d->marks[i].time, time)));
	return bounds;
}

/* Return: the rate of @by ns in @ns, in ns per s, limited to +-TW_DRIFT_MAX. */
static int64_t rate(int64_t by, uint64_t ns)
{
	const double ppb = (double)by * 1e9 / (double)ns;

	if (ppb < -TW_DRIFT_MAX)
		return -TW_DRIFT_MAX;
	return ppb > TW_DRIFT_MAX ? TW_DRIFT_MAX : (int64_t)ppb;
}

struct tw_bounds tw_distance__drift(const struct tw_distance *d)
{
	const uint64_t oldest = d->n_anchors > TW_DISTANCE_ANCHORS ? d->n_anchors % TW_DISTANCE_ANCHORS : 0;
	const struct tw_distance_mark *first = &d->anchors[oldest], *last = latest_mark(d);
	uint64_t ns;

	if (!d->n_anchors || last->time <= first->time)
		return (struct tw_bounds){ -TW_DRIFT_MAX, TW_DRIFT_MAX };
	ns = last->time - first->time;
	return (struct tw_bounds){ rate(tw_saturate__minus(last->bounds.low, first->bounds.high), ns) - 1,
				   rate(tw_saturate__minus(last->bounds.high, first->bounds.low), ns) + 1 };
}
