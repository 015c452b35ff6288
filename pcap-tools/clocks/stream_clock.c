/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/clocks/stream_clock.h"

#include <string.h>

#include "base/time.h"
#include "pcap-tools/clocks/estimate.h"
#include "pcap-tools/clocks/saturate.h"

#define TURN_NS   (8 * TW_NS_PER_SECOND) /* a guess is as good as the ways are even: it is followed slowly */
#define TURN_MOST 500e-6
#define TURN_SURE 0.1              /* the same where the offset is wrong for certain */
#define LEAP_NS   TW_NS_PER_MS     /* forward, where it is wrong for certain */
#define JUMP_NS   TW_NS_PER_SECOND /* backward: never by less */

void tw_stream_clock__init(struct tw_stream_clock *clock, enum tw_align align, bool wall)
{
	*clock = (struct tw_stream_clock){ .align = align, .wall = wall };
}

void tw_stream_clock__host(struct tw_stream_clock *c, const struct tw_identity *identity)
{
	static const char *const names[] = { "mono", "boot", "tai" };

	c->scale = identity->scale;
	c->disciplined = false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		c->disciplined |= !strcmp(identity->clock, names[i]);
}

/* Wrong for certain: by what is known no clock is there. */
static bool is_outside(struct tw_bounds bounds, int64_t offset)
{
	return tw_saturate__plus(bounds.low, offset) > 0 || tw_saturate__plus(bounds.high, offset) < 0;
}

/* How the line goes on from an offset that is @gap too low. */
static void turn_line(struct tw_clock_line *line, int64_t gap, bool sure)
{
	const double by = (double)gap;
	double turn = by / (double)TURN_NS;

	if (!gap)
		return;
	if (sure)
		turn = gap > 0 ? TURN_SURE : -TURN_SURE;
	else if (turn < -TURN_MOST || turn > TURN_MOST)
		turn = gap > 0 ? TURN_MOST : -TURN_MOST;
	line->turn = turn;
	line->turn_ns = by / turn;
}

/* Put the line on the capture host's clock, from the newest packet on. */
static void steer(struct tw_stream_clock *c, uint64_t now)
{
	const uint64_t at = c->written ? c->written : now;
	struct tw_clock_estimate estimate;
	int64_t target, gap;
	bool sure;

	if (c->align != TW_ALIGN_HOST || !tw_clock_estimate__make(c, at, &estimate))
		return;
	target = tw_saturate__minus(0, tw_bounds__middle(estimate.bounds));
	c->line = (struct tw_clock_line){
		.from = at,
		.offset = tw_clock_estimate__offset(c, at),
		.drift = (double)-tw_bounds__middle(estimate.drift) / (double)TW_NS_PER_SECOND,
	};
	gap = tw_saturate__minus(target, c->line.offset);
	sure = is_outside(estimate.bounds, c->line.offset);
	if (!c->dated || !c->written || (sure && (gap > (int64_t)LEAP_NS || gap < -(int64_t)JUMP_NS)))
		c->line.offset = target;
	else
		turn_line(&c->line, gap, sure);
	c->dated = true;
}

/* Both hosts say how well their wall clocks are kept. */
static void keep(struct tw_stream_clock *c, const struct tw_clock_view *sample)
{
	const int64_t distance = tw_saturate__minus(c->own.stepped, c->wall_offset);
	const int64_t error = (int64_t)sample->sync_ns + c->own.sync_ns + sample->error_ns;

	c->kept.any = sample->sync_ns && c->own.sync_ns;
	c->kept.time = sample->reading[TW_CLOCK_TRACE];
	c->kept.bounds = (struct tw_bounds){ tw_saturate__minus(distance, error), tw_saturate__plus(distance, error) };
}

static void note(struct tw_stream_clock *c, enum tw_offset_kind kind, uint64_t time, int64_t step)
{
	struct tw_offset_view *change = &c->changes[c->n_changes];

	if (c->n_changes == TW_STREAM_CLOCK_CHANGES) {
		change--;
		step = tw_saturate__plus(step, change->step);
	} else {
		c->n_changes++;
	}
	*change = (struct tw_offset_view){
		.kind = (uint16_t)kind,
		.time = time,
		.offset = c->wall_offset,
		.step = step,
	};
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
	c->wall_offset = (int64_t)(s.reading[TW_CLOCK_REAL] - s.reading[TW_CLOCK_TRACE]);
	if (change.suspend)
		note(c, TW_OFFSET_SUSPEND, sample->reading[TW_CLOCK_TRACE], change.suspend);
	if (change.step)
		note(c, TW_OFFSET_STEP, sample->reading[TW_CLOCK_TRACE], change.step);
	if (change.jumped)
		tw_distance__restart(&c->distance);
	c->suspends += !!change.suspend;
	c->steps += !!change.step;
	keep(c, &s);
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
	steer(c, s.answered);
	c->check_at = 0;
	return true;
}

void tw_stream_clock__own(struct tw_stream_clock *c, const struct tw_own_clock *own)
{
	c->own = *own;
}

uint64_t tw_stream_clock__packet_time_on_line(const struct tw_stream_clock *c, uint64_t ns)
{
	return ns + (uint64_t)tw_clock_estimate__offset(c, ns);
}
