/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/distance.h"

#include <math.h>

#include "base/time.h"
#include "clocks/line_bounds.h"
#include "clocks/regression.h"

#define ANCHOR_NS (16 * TW_NS_PER_SECOND) /* shortest time between two anchors */
/* The second assumption of distance.h. */
#define EVEN_NS     (4 * TW_NS_PER_SECOND) /* it is used after this time without a visible step of the rate */
#define SIDE_NS     (2 * TW_NS_PER_SECOND) /* span of the exchanges on one side; two sides are the time between two steps */
#define RATE_JITTER 100e-9                 /* change of an even rate at any time, ns per ns */
#define RATE_WANDER (1e-6 / (double)TW_NS_PER_SECOND) /* further change in each ns, ns per ns */
#define BOUND_MAX   1e15                              /* larger bounds, ns, are not computed */
/* An exchange that takes 1 / DELAY_PART longer than the fastest one has a fourth of its weight in the estimate. */
#define DELAY_PART 8

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

static const struct tw_distance_mark *mark_at(const struct tw_distance *d, uint64_t number)
{
	return &d->marks[number % TW_DISTANCE_MARKS];
}

/* Return: the newest mark; its content is valid only if n_marks is not 0. */
static const struct tw_distance_mark *latest_mark(const struct tw_distance *d)
{
	return mark_at(d, d->n_marks - 1);
}

uint64_t tw_distance__pause(const struct tw_distance *d)
{
	uint64_t pause = 0;

	for (uint64_t i = 1; i <= TW_EXCHANGES_OF_RUN && i < d->n_marks; i++)
		pause = tw_time__later(pause, tw_time__apart(mark_at(d, d->n_marks - i)->time,
							     mark_at(d, d->n_marks - i - 1)->time));
	return pause;
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

/* Marks on one side of a time: the number of the one that is next to it, the number of marks, and the step to the next one. */
struct side {
	uint64_t first, n, step;
};

static uint64_t oldest_mark(const struct tw_distance *d)
{
	return d->n_marks > TW_DISTANCE_MARKS ? d->n_marks - TW_DISTANCE_MARKS : 0;
}

/* Return: number of the first mark after @time; n_marks if there is none. */
static uint64_t first_after(const struct tw_distance *d, uint64_t time)
{
	uint64_t at = d->n_marks;

	while (at > oldest_mark(d) && mark_at(d, at - 1)->time > time)
		at--;
	return at;
}

uint64_t tw_distance__newest(const struct tw_distance *d)
{
	return d->n_marks ? latest_mark(d)->time : 0;
}

uint64_t tw_distance__next(const struct tw_distance *d, uint64_t time)
{
	const uint64_t after = first_after(d, time);

	return after < d->n_marks ? mark_at(d, after)->time : UINT64_MAX;
}

/* The marks before the mark @after, from @oldest on. */
static struct side side_before(uint64_t after, uint64_t oldest)
{
	return (struct side){ after - 1, after - oldest, (uint64_t)-1 };
}

static struct side side_after(const struct tw_distance *d, uint64_t after)
{
	return (struct side){ after, d->n_marks - after, 1 };
}

/* Shorten @side to the marks that are at most @ns from its first one. */
static void side__cut(struct side *side, const struct tw_distance *d, uint64_t ns)
{
	for (uint64_t i = 1; i < side->n; i++)
		if (tw_time__apart(mark_at(d, side->first)->time, mark_at(d, side->first + i * side->step)->time) > ns)
			side->n = i;
}

/* Get the limits of the distances whose rate is even and that are within the bounds of all marks of a side, relative to @base. */
static void even_limits(const struct tw_distance *d, const struct side *side, uint64_t time, int64_t base,
			struct tw_line_limit limits[TW_DISTANCE_MARKS])
{
	for (uint64_t i = 0; i < side->n; i++) {
		const struct tw_distance_mark *mark = mark_at(d, side->first + i * side->step);
		const double distance = (double)tw_time__apart(mark->time, time);
		const double change = distance * (RATE_JITTER + RATE_WANDER / 2 * distance);

		limits[i] = (struct tw_line_limit){
			.distance = distance,
			.low = (double)tw_saturate__minus(mark->bounds.low, base) - change,
			.high = (double)tw_saturate__minus(mark->bounds.high, base) + change,
		};
	}
}

/* Get the bounds at @time of these distances, relative to @base. Return: false if there are no marks or no such distances. */
static bool even_bounds(const struct tw_distance *d, const struct side *side, uint64_t time, int64_t base,
			struct tw_bounds *ret)
{
	struct tw_line_limit limits[TW_DISTANCE_MARKS];
	double low, high;

	even_limits(d, side, time, base, limits);
	if (!tw_line_bounds__find(limits, side->n, TW_DRIFT_MAX / 1e9, &low, &high) || low < -BOUND_MAX ||
	    high > BOUND_MAX)
		return false;
	*ret = (struct tw_bounds){ (int64_t)low - 1, (int64_t)high + 1 };
	return true;
}

/* If the bounds of the latest marks contradict an even rate, the rate has changed, and the drift is learnt anew. */
static void check_rate(struct tw_distance *d)
{
	const struct tw_distance_mark *newest = latest_mark(d);
	const struct side side = side_before(d->n_marks, d->even > oldest_mark(d) ? d->even : oldest_mark(d));
	const double drift = (double)tw_bounds__middle(tw_distance__drift(d)) / 1e9; /* the lines go back in time */
	struct tw_line_limit limits[TW_DISTANCE_MARKS];

	even_limits(d, &side, newest->time, newest->bounds.low, limits);
	if (tw_line_bounds__exist(limits, side.n, TW_DRIFT_MAX / 1e9, -drift))
		return;
	d->rate_steps++;
	d->even = d->n_marks - 1;
	d->even_since = newest->time;
	d->n_anchors = 0;
}

bool tw_distance__take(struct tw_distance *d, const struct tw_time_sync_sample *s)
{
	const struct tw_bounds asked = { INT64_MIN, (int64_t)(s->received - s->asked) };
	const bool again = s->again && d->n_marks && latest_mark(d)->received == s->received;
	struct tw_distance_mark mark = { .time = s->answered, .received = s->received };

	mark.bounds = tw_bounds__grown(asked, tw_time__apart(s->answered, s->received));
	mark.bounds.low = (int64_t)(s->answered - s->arrived);
	if (s->arrived < s->asked || mark.bounds.low > mark.bounds.high) {
		d->refused++;
		return false;
	}
	mark.middle = tw_bounds__middle(mark.bounds);
	mark.delay = (uint64_t)width(&mark);
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
	if (!d->n_marks)
		d->even_since = mark.time;
	if (again && d->n_marks)
		d->n_marks--;
	d->marks[d->n_marks++ % TW_DISTANCE_MARKS] = mark;
	check_rate(d);
	anchor(d, &mark);
	return true;
}

void tw_distance__restart(struct tw_distance *d)
{
	d->n_marks = 0;
	d->n_anchors = 0;
	d->even = 0;
}

struct tw_bounds tw_distance__safe_at(const struct tw_distance *d, uint64_t time)
{
	const uint64_t n = d->n_marks < TW_DISTANCE_MARKS ? d->n_marks : TW_DISTANCE_MARKS;
	struct tw_bounds bounds = { INT64_MIN, INT64_MAX };

	for (uint64_t i = 0; i < n; i++)
		bounds = tw_bounds__meet(bounds,
					 tw_bounds__grown(d->marks[i].bounds, tw_time__apart(d->marks[i].time, time)));
	return bounds;
}

/* Return: the smallest bounds that contain both. */
static struct tw_bounds hull(struct tw_bounds a, struct tw_bounds b)
{
	return (struct tw_bounds){ a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high };
}

/* Whether exchanges have shown no step of the rate for a while. */
static bool is_even(const struct tw_distance *d)
{
	return d->n_marks && latest_mark(d)->time >= d->even_since && latest_mark(d)->time - d->even_since >= EVEN_NS;
}

struct tw_bounds tw_distance__at(const struct tw_distance *d, uint64_t time)
{
	const struct tw_bounds safe = tw_distance__safe_at(d, time);
	const uint64_t after = first_after(d, time);
	struct side sides[2] = { side_before(after, oldest_mark(d)), side_after(d, after) };
	struct tw_bounds bounds[2], both;

	if (!is_even(d) || !sides[0].n || !sides[1].n ||
	    tw_time__apart(mark_at(d, after - 1)->time, mark_at(d, after)->time) > SIDE_NS)
		return safe;
	for (int i = 0; i < 2; i++) {
		side__cut(&sides[i], d, SIDE_NS);
		if (!even_bounds(d, &sides[i], time, safe.low, &bounds[i]))
			return safe;
	}
	both = hull(bounds[0], bounds[1]);
	both = (struct tw_bounds){ tw_saturate__plus(safe.low, both.low), tw_saturate__plus(safe.low, both.high) };
	both = tw_bounds__meet(safe, both);
	return both.low > both.high ? safe : both;
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

/* Return: the shortest delay of an exchange from the mark @from on. */
static uint64_t shortest_delay(const struct tw_distance *d, uint64_t from)
{
	uint64_t shortest = UINT64_MAX;

	for (uint64_t at = from; at < d->n_marks; at++)
		shortest = tw_time__earlier(shortest, mark_at(d, at)->delay);
	return shortest;
}

/* The exchanges since the last step of the rate, for regressions. */
struct exchanges {
	struct tw_regression_point points[TW_DISTANCE_MARKS]; /* y without asymmetry */
	double more[TW_DISTANCE_MARKS];                       /* additional delay of slow exchanges, ns */
	size_t n;
};

/* Get the exchanges; x is relative to @time, y to @base. */
static void list_exchanges(const struct tw_distance *d, uint64_t time, int64_t base, struct exchanges *ret)
{
	const uint64_t from = d->even > oldest_mark(d) ? d->even : oldest_mark(d);
	const double shortest = (double)shortest_delay(d, from), part = shortest / DELAY_PART + 1;

	ret->n = 0;
	for (uint64_t at = from; at < d->n_marks; at++) {
		const struct tw_distance_mark *mark = mark_at(d, at);
		const double more = (double)mark->delay - shortest, slower = 1 + more / part;

		ret->more[ret->n] = more;
		ret->points[ret->n++] = (struct tw_regression_point){
			.x = (double)(int64_t)(mark->time - time),
			.y = (double)tw_saturate__minus(mark->middle, base),
			.weight = 1 / (slower * slower),
		};
	}
}

/*
 * Fit a line to the exchanges. @asymmetry is the part of the additional delay of slow exchanges that is added to the distance: 0.5 if only
 * responses are slow, -0.5 if only requests are. Return: false if no line is fit.
 */
static bool fit(const struct exchanges *exchanges, double asymmetry, struct tw_regression_line *ret)
{
	struct tw_regression_point points[TW_DISTANCE_MARKS];

	for (size_t i = 0; i < exchanges->n; i++) {
		points[i] = exchanges->points[i];
		points[i].y += asymmetry * exchanges->more[i];
	}
	/* An impossible slope shows that changing delays look like drift. Far outside of the exchanges, the estimate would be poor. */
	return tw_regression__fit(points, exchanges->n, ret) && fabs(ret->slope) <= TW_DRIFT_MAX / 1e9 &&
	       ret->from <= 0 && -ret->to <= ret->to - ret->from;
}

/* Fit a line with each of the asymmetries. Return: false if no line is fit; otherwise @ret is the line with the smallest residuals. */
static bool best_fit(const struct tw_distance *d, uint64_t time, int64_t base, struct tw_regression_line *ret)
{
	static const double asymmetries[] = { 0, -0.5, 0.5 };
	struct tw_regression_line line;
	struct exchanges exchanges;
	bool any = false;

	list_exchanges(d, time, base, &exchanges);
	for (size_t i = 0; i < sizeof(asymmetries) / sizeof(asymmetries[0]); i++) {
		if (!fit(&exchanges, asymmetries[i], &line) || (any && line.variance >= ret->variance))
			continue;
		*ret = line;
		any = true;
	}
	return any;
}

static double limited(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

struct tw_distance_line tw_distance__line(const struct tw_distance *d, uint64_t time, struct tw_bounds bounds)
{
	const struct tw_bounds drift = tw_distance__drift(d);
	struct tw_distance_line ret = { tw_bounds__middle(bounds), (double)tw_bounds__middle(drift) };
	const double width = (double)tw_saturate__minus(bounds.high, bounds.low);
	struct tw_regression_line line = { 0 };

	if (width > BOUND_MAX || !best_fit(d, time, bounds.low, &line))
		return ret;
	ret.distance = tw_saturate__plus(bounds.low, (int64_t)limited(line.at_0, 0, width));
	if (line.to - line.from >= (double)SIDE_NS)
		ret.drift = line.slope * 1e9;
	return ret;
}
