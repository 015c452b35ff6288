/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/stream_clock.h"

#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "clocks/clock_estimate.h"
#include "clocks/distance.h"

/* Unless the offset is certainly wrong, a correction is slow, because the estimate assumes symmetric delays. */
#define TURN_NS   (8 * TW_NS_PER_SECOND)  /* duration of a correction */
#define TURN_MIN  (TW_NS_PER_SECOND / 10) /* shortest duration, at the start of a stream */
#define TURN_MAX  500e-6                  /* largest slope of a correction */
#define TURN_SURE 0.1                     /* slope of a correction if the offset is certainly wrong */
/* If the offset is certainly wrong, larger corrections than these are made immediately. */
#define LEAP_NS TW_NS_PER_MS     /* forward */
#define JUMP_NS TW_NS_PER_SECOND /* backward */

int64_t tw_clock_line__offset(const struct tw_clock_line *line, uint64_t ns)
{
	const double since = (double)(int64_t)(ns - line->from);
	const double turning = since < 0 ? 0 : since < line->turn_ns ? since : line->turn_ns;

	return tw_saturate__plus(line->offset, (int64_t)(since * line->drift + turning * line->turn));
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
	c->root.is_utc = identity->has_sync_utc && identity->sync_utc <= UINT32_MAX;
	c->root.utc_ns = (uint32_t)identity->sync_utc;
	snprintf(c->root.grandmaster, sizeof(c->root.grandmaster), "%.*s", (int)sizeof(c->root.grandmaster) - 1,
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
	const uint64_t at = c->written ? tw_time__later(c->written, c->jumped) : now;
	struct tw_clock_estimate estimate;
	struct tw_distance_line best;
	int64_t target, gap;
	bool sure;

	if (c->align != TW_ALIGN_HOST || !tw_clock_estimate__make(c, at, &estimate))
		return;
	best = tw_clock_estimate__best(c, at, &estimate);
	target = tw_saturate__minus(0, best.distance);
	c->line = (struct tw_clock_line){
		.from = at,
		.offset = tw_clock_line__offset(&c->line, at),
		.drift = -best.drift / (double)TW_NS_PER_SECOND,
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
	struct tw_clock_estimate unused;
	bool contradicted = false;

	tw_clock_estimate__choose(c, ns, &unused, &contradicted);
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
		c->jumped = s.reading[TW_CLOCK_TRACE];
		tw_distance__restart(&c->distance);
		tw_readings__restart(&c->phc.clocks);
	}
	tw_clock_estimate__keep(c, &s);
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
	return ns + (uint64_t)tw_clock_line__offset(&c->line, ns);
}

/*
 * Set @ahead of the summary, from the newest CLOCK. The bounds refer to the reference. If it is the capture clock, the steps of the capture
 * host's wall clock since the start are subtracted.
 */
static void say_ahead(const struct tw_stream_clock *c, struct tw_stream_clock_summary *ret)
{
	const struct tw_clock_view *sample = &c->samples.last;
	const uint64_t at = sample->reading[TW_CLOCK_TRACE];
	struct tw_clock_estimate estimate;
	int64_t distance;

	if (!c->samples.any || !tw_clock_estimate__make(c, at, &estimate) || !estimate.is_bounded)
		return;
	distance = tw_clock_estimate__best(c, at, &estimate).distance;
	ret->ahead_known = true;
	ret->ahead = tw_saturate__plus(c->wall_offset, distance);
	if (c->own.reference.kind == TW_REFERENCE_HOST)
		ret->ahead = tw_saturate__minus(ret->ahead, c->own.stepped);
	ret->ahead_most = tw_clock_estimate__error(&estimate, tw_saturate__minus(0, distance)) + 1 + sample->error_ns;
}

void tw_stream_clock__summary(const struct tw_stream_clock *c, struct tw_stream_clock_summary *ret)
{
	const struct tw_bounds drift = tw_distance__drift(&c->distance);
	struct tw_clock_estimate estimate;

	*ret = (struct tw_stream_clock_summary){
		.dated = c->dated,
		.offset = tw_clock_line__offset(&c->line, c->written),
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
	if (tw_clock_estimate__make(c, tw_time__later(c->written, c->jumped), &estimate)) {
		ret->method = (uint16_t)estimate.method;
		ret->error_ns = tw_clock_estimate__error(&estimate, ret->offset);
	}
	say_ahead(c, ret);
}
