/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/stream_clock.h"

#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "clocks/distance.h"

/* Unless the offset is certainly wrong, a correction is slow, because the estimate assumes symmetric delays. */
#define TURN_NS   (8 * TW_NS_PER_SECOND)  /* duration of a correction */
#define TURN_MIN  (TW_NS_PER_SECOND / 10) /* shortest duration, at the start of a stream */
#define TURN_MAX  500e-6                  /* largest slope of a correction */
#define TURN_SURE 0.1                     /* slope of a correction if the offset is certainly wrong */
/* If the offset is certainly wrong, larger corrections than these are made immediately. */
#define LEAP_NS    TW_NS_PER_MS           /* forward */
#define JUMP_NS    TW_NS_PER_SECOND       /* backward */
#define KEPT_NS    (4 * TW_NS_PER_SECOND) /* sync_ns is valid this long; a CLOCK has it each second, but may be lost */
#define LOOK_NS    TW_NS_PER_SECOND       /* longest time between two checks whether an OFFSET record is due */
#define LOW_NS     (4 * TW_NS_PER_SECOND) /* a smaller error is reported after it has lasted this long */
#define LOW_PART   4                      /* a smaller error is reported if it is smaller by at least a fourth */
#define MOVED_NS   TW_NS_PER_MS           /* smaller changes of the offset are not reported */
#define MOVED_MORE 8                      /* changes below this multiple of the error are not reported either */

/* An estimate of the distance of the stream's clock from the reference at one time, by one source. */
struct estimate {
	struct tw_bounds bounds;      /* of the distance, ns; without @is_bounded, only their middle is valid */
	struct tw_bounds drift;       /* bounds of the drift, ns per s */
	struct tw_distance_line best; /* the most likely distance and drift */
	enum tw_offset_method method;
	bool is_bounded;
	uint64_t until; /* time in the stream's clock until which the source is valid without new data, ns */
};

static struct tw_bounds minus(struct tw_bounds a, struct tw_bounds b)
{
	return (struct tw_bounds){ tw_saturate__minus(a.low, b.high), tw_saturate__minus(a.high, b.low) };
}

/* Convert an estimate of the distance from the capture clock, at @ns in the stream's clock, to the distance from the reference. */
static void refer(const struct tw_stream_clock *c, uint64_t ns, struct estimate *estimate)
{
	const struct tw_reference_state *reference = &c->own.reference;
	const uint64_t capture = ns - (uint64_t)tw_bounds__middle(estimate->bounds);
	const struct tw_bounds at = tw_reference_state__at(reference, capture);

	estimate->bounds = minus(estimate->bounds, at);
	estimate->drift = minus(estimate->drift, reference->rates);
	estimate->best.distance = tw_saturate__minus(estimate->best.distance, tw_bounds__middle(at));
	estimate->best.drift -= (double)tw_bounds__middle(reference->rates);
}

/* The sources. @ns: in the stream's clock. Return: false if the source is unknown or too old */

static bool by_exchange(const struct tw_stream_clock *c, uint64_t ns, struct estimate *ret)
{
	if (!tw_distance__known(&c->distance))
		return false;
	*ret = (struct estimate){ .bounds = tw_distance__at(&c->distance, ns),
				  .drift = tw_distance__drift(&c->distance),
				  .method = TW_OFFSET_BY_TIME_SYNC,
				  .is_bounded = true,
				  .until = UINT64_MAX };
	ret->best = tw_distance__line(&c->distance, ns, ret->bounds);
	refer(c, ns, ret);
	return true;
}

/* The reports of both hosts. If the stream's clock has its own rate, the bounds grow by the possible drift. */
static bool by_sync(const struct tw_stream_clock *c, uint64_t ns, struct estimate *ret)
{
	const uint64_t since = tw_time__apart(ns, c->kept.time);

	if (!c->kept.any || since > KEPT_NS)
		return false;
	*ret = (struct estimate){ .bounds = c->disciplined ? c->kept.bounds : tw_bounds__grown(c->kept.bounds, since),
				  .method = TW_OFFSET_BY_SYNC,
				  .is_bounded = true,
				  .until = c->kept.time + KEPT_NS };
	ret->best.distance = tw_bounds__middle(ret->bounds);
	refer(c, ns, ret);
	return true;
}

/* The PHCs of both hosts follow the same grandmaster. A PHC of which nothing is known may follow it. */
static bool same_domain(const struct tw_stream_clock *c)
{
	const char *const here = c->own.reference.grandmaster;

	return !*here || !*c->grandmaster || !strcmp(here, c->grandmaster);
}

static bool by_phc(const struct tw_stream_clock *c, uint64_t ns, struct estimate *ret)
{
	const struct tw_reference_state *reference = &c->own.reference;
	const struct tw_distance_mark *newest = tw_readings__newest(&c->phc.clocks);
	const uint32_t here = reference->sync_ns, there = c->phc.sync_ns;
	const struct tw_bounds both = { -(int64_t)here - there, (int64_t)here + there };
	struct tw_bounds bounds;

	if (reference->kind != TW_REFERENCE_PHC || !newest || !same_domain(c) ||
	    (ns > newest->time && ns - newest->time > KEPT_NS))
		return false;
	bounds = minus(tw_readings__at(&c->phc.clocks, ns), both);
	*ret = (struct estimate){ .bounds = { tw_saturate__plus(bounds.low, reference->utc_ns),
					      tw_saturate__plus(bounds.high, reference->utc_ns) },
				  .drift = tw_readings__rates(&c->phc.clocks),
				  .method = TW_OFFSET_BY_PHC,
				  .is_bounded = here && there && *reference->grandmaster && *c->grandmaster,
				  .until = newest->time + KEPT_NS };
	ret->best.distance = tw_bounds__middle(ret->bounds);
	ret->best.drift = (double)tw_bounds__middle(ret->drift);
	return true;
}

static uint64_t width(struct tw_bounds bounds)
{
	return (uint64_t)bounds.high - (uint64_t)bounds.low;
}

static bool contradict(const struct estimate *a, const struct estimate *b)
{
	const struct tw_bounds both = tw_bounds__meet(a->bounds, b->bounds);

	return a->is_bounded && b->is_bounded && both.low > both.high;
}

static bool is_better(const struct estimate *a, const struct estimate *b)
{
	if (a->is_bounded != b->is_bounded)
		return a->is_bounded;
	return a->is_bounded && width(a->bounds) < width(b->bounds);
}

/*
 * Make the estimate at @ns in the stream's clock: by the source with the tightest bounds, among the exchanges and the sources that do not
 * contradict them. @ret_contradicted: a source contradicts the exchanges; may be NULL
 * Return: false if there is no source, or the clock is doubted
 */
static bool estimate__choose(const struct tw_stream_clock *c, uint64_t ns, struct estimate *ret, bool *ret_contradicted)
{
	static bool (*const others[])(const struct tw_stream_clock *, uint64_t, struct estimate *) = { by_sync,
												       by_phc };
	struct estimate exchange = { 0 }, other;
	bool any;

	if (c->doubted)
		return false;
	any = by_exchange(c, ns, &exchange);
	if (any)
		*ret = exchange;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!others[i](c, ns, &other))
			continue;
		if (contradict(&exchange, &other)) {
			if (ret_contradicted)
				*ret_contradicted = true;
			continue;
		}
		if (!any || is_better(&other, ret))
			*ret = other;
		any = true;
	}
	return any;
}

static bool estimate__make(const struct tw_stream_clock *c, uint64_t ns, struct estimate *ret)
{
	return estimate__choose(c, ns, ret, NULL);
}

/* Return: the offset of packet times at @ns in the stream's clock, ns. */
static int64_t estimate__offset(const struct tw_stream_clock *c, uint64_t ns)
{
	const struct tw_clock_line *line = &c->line;
	const double since = (double)(int64_t)(ns - line->from);
	const double turning = since < 0 ? 0 : since < line->turn_ns ? since : line->turn_ns;

	return tw_saturate__plus(line->offset, (int64_t)(since * line->drift + turning * line->turn));
}

/* Return: the error bound of a packet time that was computed with @offset, ns; TW_ERROR_UNKNOWN */
static uint64_t estimate__error(const struct estimate *estimate, int64_t offset)
{
	if (!estimate->is_bounded)
		return TW_ERROR_UNKNOWN;
	return tw_time__later(tw_saturate__size(tw_saturate__plus(offset, estimate->bounds.low)),
			      tw_saturate__size(tw_saturate__plus(offset, estimate->bounds.high)));
}

void tw_stream_clock__init(struct tw_stream_clock *clock, enum tw_align align, bool wall)
{
	*clock = (struct tw_stream_clock){ .align = align, .wall = wall, .phc.clocks.wander = TW_WANDER };
}

void tw_stream_clock__host(struct tw_stream_clock *c, const struct tw_identity *identity)
{
	static const char *const names[] = { "mono", "boot", "tai" };

	c->scale = identity->scale;
	c->disciplined = false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		c->disciplined |= !strcmp(identity->clock, names[i]);
	snprintf(c->grandmaster, sizeof(c->grandmaster), "%.*s", (int)sizeof(c->grandmaster) - 1,
		 identity->grandmaster);
}

/* Whether @offset is certainly wrong, because it is outside of the bounds. */
static bool is_outside(struct tw_bounds bounds, int64_t offset)
{
	return tw_saturate__plus(bounds.low, offset) > 0 || tw_saturate__plus(bounds.high, offset) < 0;
}

/* Return: the duration of a correction at @at. The first estimates are the least exact, so the first corrections are fast. */
static double turn_ns(const struct tw_stream_clock *c, uint64_t at)
{
	const uint64_t age = at > c->first ? at - c->first : 0;

	return (double)tw_time__later(tw_time__earlier(age, TURN_NS), TURN_MIN);
}

/* Start a correction of the line, whose offset is too low by @gap ns, in @ns. @sure: the offset is certainly wrong */
static void turn_line(struct tw_clock_line *line, int64_t gap, double ns, bool sure)
{
	const double by = (double)gap;
	double turn = by / ns;

	if (!gap)
		return;
	if (sure)
		turn = gap > 0 ? TURN_SURE : -TURN_SURE;
	else if (turn < -TURN_MAX || turn > TURN_MAX)
		turn = gap > 0 ? TURN_MAX : -TURN_MAX;
	line->turn = turn;
	line->turn_ns = by / turn;
}

/* Correct the line towards the reference, from the time of the newest packet on. */
static void steer(struct tw_stream_clock *c, uint64_t now)
{
	const uint64_t at = c->written ? c->written : now;
	struct estimate estimate;
	int64_t target, gap;
	bool sure;

	if (c->align != TW_ALIGN_HOST || !estimate__make(c, at, &estimate))
		return;
	target = tw_saturate__minus(0, estimate.best.distance);
	c->line = (struct tw_clock_line){
		.from = at,
		.offset = estimate__offset(c, at),
		.drift = -estimate.best.drift / (double)TW_NS_PER_SECOND,
	};
	gap = tw_saturate__minus(target, c->line.offset);
	sure = estimate.is_bounded && is_outside(estimate.bounds, c->line.offset);
	if (!c->first)
		c->first = c->written;
	if (!c->dated || !c->written || (sure && (gap > (int64_t)LEAP_NS || gap < -(int64_t)JUMP_NS)))
		c->line.offset = target;
	else
		turn_line(&c->line, gap, turn_ns(c, at), sure);
	c->dated = true;
}

/* Compute the bounds of the distance from a CLOCK and the error bounds that both hosts report of their wall clocks. */
static void keep(struct tw_stream_clock *c, const struct tw_clock_view *sample)
{
	const int64_t distance = tw_saturate__minus(c->own.stepped, c->wall_offset);
	const int64_t error = (int64_t)sample->sync_ns + c->own.sync_ns + sample->error_ns;

	c->kept.any = sample->sync_ns && c->own.sync_ns;
	c->kept.time = sample->reading[TW_CLOCK_TRACE];
	c->kept.bounds = (struct tw_bounds){ tw_saturate__minus(distance, error), tw_saturate__plus(distance, error) };
}

/* Return: the reading of the PHC that ptp4l adjusts, with the tightest bound; without such a PHC, the first one; NULL = there is none */
static const struct tw_phc_view *best_phc(const struct tw_clock_view *sample)
{
	const struct tw_phc_view *best = sample->n_phcs ? &sample->phcs[0] : NULL;

	for (size_t i = 1; i < sample->n_phcs; i++) {
		const struct tw_phc_view *p = &sample->phcs[i];

		if (p->sync_ns && (!best->sync_ns || p->sync_ns < best->sync_ns))
			best = p;
	}
	return best;
}

/* Add the reading of the PHC in a CLOCK. ptp4l corrects an offset of sync_ns in about a second, which changes the PHC's rate as much. */
static void take_phc(struct tw_stream_clock *c, const struct tw_clock_view *sample)
{
	const struct tw_phc_view *p = best_phc(sample);
	uint64_t trace;

	if (!p)
		return;
	if (p->index != c->phc.index)
		tw_readings__restart(&c->phc.clocks);
	trace = tw_stream_clock__ns(c, p->trace);
	c->phc.index = p->index;
	c->phc.sync_ns = p->sync_ns;
	c->phc.clocks.wander = TW_WANDER + (p->sync_ns < TW_DRIFT_MAX ? p->sync_ns : TW_DRIFT_MAX);
	tw_readings__take(&c->phc.clocks, trace, (int64_t)(trace - p->phc), p->error_ns);
}

/* Return: the change to which a further one is added if there is no room: the last one of its kind, or else the last one */
static struct tw_offset_view *last_of(struct tw_stream_clock *c, enum tw_offset_kind kind)
{
	for (unsigned int i = c->n_changes; i-- > 0;)
		if (c->changes[i].kind == kind)
			return &c->changes[i];
	return &c->changes[c->n_changes - 1];
}

/* Note a change of a clock by @step, ns, for an OFFSET record. 0 = there was none */
static void note(struct tw_stream_clock *c, enum tw_offset_kind kind, uint64_t time, int64_t step)
{
	struct tw_offset_view *change;

	if (!step)
		return;
	c->n_of_kind[kind]++;
	if (c->n_changes == TW_STREAM_CLOCK_CHANGES) {
		change = last_of(c, kind);
		change->step = tw_saturate__plus(step, change->step);
		change->offset = c->wall_offset;
		return;
	}
	c->changes[c->n_changes++] = (struct tw_offset_view){
		.kind = (uint16_t)kind,
		.time = time,
		.offset = c->wall_offset,
		.step = step,
	};
}

static void count_contradiction(struct tw_stream_clock *c, uint64_t ns)
{
	struct estimate unused;
	bool contradicted = false;

	estimate__choose(c, ns, &unused, &contradicted);
	c->contradicted += contradicted;
}

void tw_stream_clock__sample(struct tw_stream_clock *c, const struct tw_clock_view *sample)
{
	struct tw_clock_view s = *sample;
	struct tw_wall_change change;

	if (!(s.valid >> TW_CLOCK_TRACE & s.valid >> TW_CLOCK_REAL & 1))
		return;
	s.reading[TW_CLOCK_TRACE] = tw_stream_clock__ns(c, s.reading[TW_CLOCK_TRACE]);
	if (!tw_wall_clock__take(&c->samples, &s, &change))
		return;
	c->doubted = false;
	c->wall_offset = (int64_t)(s.reading[TW_CLOCK_REAL] - s.reading[TW_CLOCK_TRACE]);
	note(c, TW_OFFSET_SUSPEND, sample->reading[TW_CLOCK_TRACE], change.suspend);
	note(c, TW_OFFSET_STEP, sample->reading[TW_CLOCK_TRACE], change.step);
	note(c, TW_OFFSET_LEAP, sample->reading[TW_CLOCK_TRACE], change.leap);
	note(c, TW_OFFSET_TAI, sample->reading[TW_CLOCK_TRACE], change.tai);
	if (change.jumped) {
		tw_distance__restart(&c->distance);
		tw_readings__restart(&c->phc.clocks);
	}
	keep(c, &s);
	take_phc(c, &s);
	count_contradiction(c, s.reading[TW_CLOCK_TRACE]);
	if (!c->dated) {
		c->line.offset = c->wall_offset;
		c->dated = true;
	}
	steer(c, s.reading[TW_CLOCK_TRACE]);
	c->check_at = 0;
}

bool tw_stream_clock__exchange(struct tw_stream_clock *c, const struct tw_time_sync_sample *sample)
{
	struct tw_time_sync_sample s = *sample;

	s.received = tw_stream_clock__ns(c, s.received);
	s.answered = tw_stream_clock__ns(c, s.answered);
	if (!tw_distance__take(&c->distance, &s))
		return false;
	c->by = s.by;
	c->doubted = false;
	steer(c, s.answered);
	c->check_at = 0;
	return true;
}

void tw_stream_clock__doubt(struct tw_stream_clock *c)
{
	c->doubted = true;
	c->check_at = 0;
}

void tw_stream_clock__own(struct tw_stream_clock *c, const struct tw_own_clock *own)
{
	const int64_t step = tw_saturate__minus(own->reference.stepped, c->own.reference.stepped);

	c->own = *own;
	c->check_at = 0;
	if (!step)
		return;
	if (c->align == TW_ALIGN_HOST)
		c->line.offset = tw_saturate__plus(c->line.offset, step);
	if (c->started)
		note(c, TW_OFFSET_REFERENCE, tw_stream_clock__time(c, c->written), step);
}

uint64_t tw_stream_clock__packet_time_on_line(const struct tw_stream_clock *c, uint64_t ns)
{
	return ns + (uint64_t)estimate__offset(c, ns);
}

/* The functions below decide when an OFFSET record is written, and make the summary. */

/* Make an OFFSET record of the current state; its kind remains 0. A drift of unknown sign is not reported. */
static struct tw_offset_view state(const struct tw_stream_clock *c, uint64_t time)
{
	const uint64_t ns = tw_stream_clock__ns(c, time);
	struct tw_offset_view ret = {
		.time = time,
		.offset = estimate__offset(c, ns),
		.error_ns = TW_ERROR_UNKNOWN,
	};
	struct estimate estimate;

	if (!estimate__make(c, ns, &estimate))
		return ret;
	ret.method = (uint16_t)estimate.method;
	ret.error_ns = estimate__error(&estimate, ret.offset);
	ret.by = c->by;
	if (estimate.drift.low > 0 || estimate.drift.high < 0)
		ret.drift = (int32_t)tw_bounds__middle(estimate.drift);
	return ret;
}

/*
 * Return: the error bound to report. It includes a margin: a quarter of the error, and the growth of the error until the next exchange,
 * which is expected after the same pause as the last one. The error grows only for packets after the newest exchange.
 */
static uint64_t with_room(const struct tw_stream_clock *c, const struct tw_offset_view *now)
{
	const uint64_t error = now->error_ns, at = tw_stream_clock__ns(c, now->time);
	const uint64_t pause = tw_distance__pause(&c->distance), next = tw_distance__newest(&c->distance) + pause;
	uint64_t growth = 1;

	if (error > INT64_MAX)
		return error;
	if (now->method == TW_OFFSET_BY_TIME_SYNC && next > at)
		growth += tw_time__earlier(next - at, pause) / (TW_NS_PER_SECOND / TW_DRIFT_MAX);
	return error + error / 4 + growth;
}

/*
 * Whether the error has been below the reported error, by at least a part of it, for at least LOW_NS, or is known while the reported error
 * is unknown.
 */
static bool is_low(struct tw_stream_clock *c, const struct tw_offset_view *now, uint64_t ns)
{
	if (c->stated.error_ns == TW_ERROR_UNKNOWN)
		return now->error_ns != TW_ERROR_UNKNOWN;
	if (with_room(c, now) >= c->stated.error_ns - c->stated.error_ns / LOW_PART) {
		c->low_since = 0;
		return false;
	}
	if (!c->low_since)
		c->low_since = ns;
	return ns >= c->low_since + LOW_NS;
}

static bool has_moved(const struct tw_stream_clock *c, int64_t offset)
{
	const uint64_t by = tw_saturate__size(tw_saturate__minus(offset, c->stated.offset));

	return by > MOVED_NS && by / MOVED_MORE > c->stated.error_ns;
}

/*
 * Set check_at to a time up to which no check is needed: the error stays below the reported error, although it grows with the drift and the
 * correction of the line, there is no exchange, at which the bounds may change suddenly, and the source of the estimate stays valid.
 */
static void plan(struct tw_stream_clock *c, const struct tw_offset_view *now, uint64_t ns)
{
	const double drift = c->line.drift < 0 ? -c->line.drift : c->line.drift;
	const double turn = c->line.turn < 0 ? -c->line.turn : c->line.turn;
	const double clocks =
		c->own.reference.kind == TW_REFERENCE_PHC ? 2 : 1; /* that drift against the capture clock */
	const double growth = clocks * TW_BOUND_GROWTH_MAX / 1e9 + drift + turn;
	const double room = (double)(c->stated.error_ns - now->error_ns) / growth;
	struct estimate estimate;

	c->check_at = ns + LOOK_NS;
	if (now->error_ns != TW_ERROR_UNKNOWN && room < (double)LOOK_NS)
		c->check_at = ns + (uint64_t)room;
	c->check_at = tw_time__earlier(c->check_at, tw_distance__next(&c->distance, ns));
	if (estimate__make(c, ns, &estimate))
		c->check_at = tw_time__earlier(c->check_at, estimate.until);
	if (c->n_changes)
		c->check_at = tw_time__earlier(c->check_at, tw_stream_clock__ns(c, c->changes[0].time));
}

/* Make the record of the oldest unreported change. With `wall` and TW_ALIGN_NONE, the offset of packet times follows the change. */
static struct tw_offset_view take_change(struct tw_stream_clock *c, uint64_t time)
{
	const struct tw_offset_view change = c->changes[0];
	struct tw_offset_view ret;

	c->n_changes--;
	for (unsigned int i = 0; i < c->n_changes; i++)
		c->changes[i] = c->changes[i + 1];
	if (c->wall && c->align == TW_ALIGN_NONE)
		c->line.offset = change.offset;
	ret = state(c, time);
	ret.kind = change.kind;
	ret.step = change.step;
	return ret;
}

bool tw_stream_clock__take_change(struct tw_stream_clock *c, uint64_t time, struct tw_offset_view *ret)
{
	if (!c->dated || tw_stream_clock__ns(c, c->changes[0].time) > tw_stream_clock__ns(c, time))
		return false;
	*ret = take_change(c, time);
	return true;
}

bool tw_stream_clock__look(struct tw_stream_clock *c, uint64_t time, struct tw_offset_view *ret)
{
	const uint64_t ns = tw_stream_clock__ns(c, time);
	struct tw_offset_view now;

	if (!c->dated)
		return false;
	now = state(c, time);
	if (!c->started)
		now.kind = TW_OFFSET_START;
	else if (c->n_changes && tw_stream_clock__ns(c, c->changes[0].time) <= ns)
		now = take_change(c, time);
	else if (is_low(c, &now, ns) || now.error_ns > c->stated.error_ns || has_moved(c, now.offset))
		now.kind = TW_OFFSET_ESTIMATE;
	if (!now.kind) {
		plan(c, &now, ns);
		return false;
	}
	now.error_ns = with_room(c, &now);
	c->started = true;
	c->low_since = 0;
	c->stated = now;
	*ret = now;
	return true;
}

/*
 * Set @ahead of the summary, from the newest CLOCK. The bounds refer to the reference. If it is the capture clock, the steps of the capture
 * host's wall clock since the start are subtracted.
 */
static void say_ahead(const struct tw_stream_clock *c, struct tw_stream_clock_summary *ret)
{
	const struct tw_clock_view *sample = &c->samples.last;
	const uint64_t at = sample->reading[TW_CLOCK_TRACE];
	struct estimate estimate;

	if (!c->samples.any || !estimate__make(c, at, &estimate) || !estimate.is_bounded)
		return;
	ret->ahead_known = true;
	ret->ahead = tw_saturate__plus(c->wall_offset, estimate.best.distance);
	if (c->own.reference.kind == TW_REFERENCE_HOST)
		ret->ahead = tw_saturate__minus(ret->ahead, c->own.stepped);
	ret->ahead_most =
		estimate__error(&estimate, tw_saturate__minus(0, estimate.best.distance)) + 1 + sample->error_ns;
}

void tw_stream_clock__summary(const struct tw_stream_clock *c, struct tw_stream_clock_summary *ret)
{
	const struct tw_bounds drift = tw_distance__drift(&c->distance);
	struct estimate estimate;

	*ret = (struct tw_stream_clock_summary){
		.dated = c->dated,
		.offset = estimate__offset(c, c->written),
		.error_ns = TW_ERROR_UNKNOWN,
		.drift = (int32_t)tw_bounds__middle(drift),
		.drift_most = (int32_t)((drift.high - drift.low) / 2 + 1),
		.drift_known = drift.high - drift.low < TW_DRIFT_MAX,
		.by = c->by,
		.exchanges = c->distance.exchanges,
		.refused = c->distance.refused,
		.restarts = c->distance.restarts,
		.contradicted = c->contradicted,
	};
	memcpy(ret->changes, c->n_of_kind, sizeof(ret->changes));
	if (estimate__make(c, c->written, &estimate)) {
		ret->method = (uint16_t)estimate.method;
		ret->error_ns = estimate__error(&estimate, ret->offset);
	}
	say_ahead(c, ret);
}
