/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When an OFFSET record is worth writing, and the summary. */
#include "base/time.h"
#include "pcap-tools/clocks/estimate.h"
#include "pcap-tools/clocks/saturate.h"

#define LOOK_NS    TW_NS_PER_SECOND       /* between two looks at most */
#define LOW_NS     (4 * TW_NS_PER_SECOND) /* an error is told to be smaller when it has been so for long */
#define MOVED_NS   TW_NS_PER_MS           /* what the offset may go on by before it is told anew */
#define MOVED_MORE 8                      /* the same in errors */

/* How things stand. A drift of which not even the sign is certain is none that can be told. */
static struct tw_offset_view state(const struct tw_stream_clock *c, uint64_t time)
{
	const uint64_t ns = tw_stream_clock__ns(c, time);
	struct tw_offset_view ret = {
		.time = time,
		.offset = tw_clock_estimate__offset(c, ns),
		.error_ns = TW_ERROR_UNKNOWN,
	};
	struct tw_clock_estimate estimate;

	if (!tw_clock_estimate__make(c, ns, &estimate))
		return ret;
	ret.method = (uint16_t)estimate.method;
	ret.error_ns = tw_clock_estimate__error(&estimate, ret.offset);
	if (estimate.drift.low > 0 || estimate.drift.high < 0)
		ret.drift = (int32_t)tw_bounds__middle(estimate.drift);
	return ret;
}

/* What is told holds for a while: until the next exchange, if that comes as soon as the last one did. */
static uint64_t with_room(const struct tw_stream_clock *c, const struct tw_offset_view *now)
{
	const uint64_t error = now->error_ns;
	uint64_t growth = 1;

	if (error > INT64_MAX)
		return error;
	if (now->method == TW_OFFSET_BY_TIME_SYNC)
		growth += tw_distance__pause(&c->distance) / (TW_NS_PER_SECOND / TW_DRIFT_MOST);
	return error + error / 4 + growth;
}

/* Better, and for long enough. */
static bool is_low(struct tw_stream_clock *c, const struct tw_offset_view *now, uint64_t ns)
{
	if (c->stated.error_ns == TW_ERROR_UNKNOWN)
		return now->error_ns != TW_ERROR_UNKNOWN;
	if (with_room(c, now) > c->stated.error_ns / 2) {
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

static bool is_worth(struct tw_stream_clock *c, const struct tw_offset_view *now, uint64_t ns)
{
	const bool low = is_low(c, now, ns);

	return low || now->error_ns > c->stated.error_ns || has_moved(c, now->offset);
}

/* The error grows by the drift of the clocks and by what the line turns: until when it is below what was stated. */
static void plan(struct tw_stream_clock *c, const struct tw_offset_view *now, uint64_t ns)
{
	const double drift = c->line.drift < 0 ? -c->line.drift : c->line.drift;
	const double turn = c->line.turn < 0 ? -c->line.turn : c->line.turn;
	const double room = (double)(c->stated.error_ns - now->error_ns) / (TW_DRIFT_MOST / 1e9 + drift + turn);
	struct tw_clock_estimate estimate;

	c->check_at = ns + LOOK_NS;
	if (now->error_ns != TW_ERROR_UNKNOWN && room < (double)LOOK_NS)
		c->check_at = ns + (uint64_t)room;
	if (tw_clock_estimate__make(c, ns, &estimate) && c->check_at > tw_clock_estimate__lasts(c, &estimate))
		c->check_at = tw_clock_estimate__lasts(c, &estimate);
	if (c->n_changes && c->check_at > tw_stream_clock__ns(c, c->changes[0].time))
		c->check_at = tw_stream_clock__ns(c, c->changes[0].time);
}

/* The oldest change is told from here on; with --wall packet times follow it. */
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
	else if (is_worth(c, &now, ns))
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

/* By the word of the newest CLOCK. The bounds are against the capture clock, which keeps to the wall clock as it was at the start. */
static void say_ahead(const struct tw_stream_clock *c, struct tw_stream_clock_summary *ret)
{
	const struct tw_clock_view *sample = &c->samples.last;
	struct tw_clock_estimate estimate;

	if (!c->samples.any || !tw_clock_estimate__make(c, sample->reading[TW_CLOCK_TRACE], &estimate))
		return;
	ret->ahead_known = true;
	ret->ahead = tw_saturate__plus(c->wall_offset, tw_bounds__middle(estimate.bounds));
	ret->ahead = tw_saturate__minus(ret->ahead, c->own.stepped);
	ret->ahead_most = ((uint64_t)estimate.bounds.high - (uint64_t)estimate.bounds.low) / 2 + 1 + sample->error_ns;
}

void tw_stream_clock__summary(const struct tw_stream_clock *c, struct tw_stream_clock_summary *ret)
{
	const struct tw_bounds drift = tw_distance__drift(&c->distance);
	struct tw_clock_estimate estimate;

	*ret = (struct tw_stream_clock_summary){
		.dated = c->dated,
		.offset = tw_clock_estimate__offset(c, c->written),
		.error_ns = TW_ERROR_UNKNOWN,
		.drift = (int32_t)tw_bounds__middle(drift),
		.drift_most = (int32_t)((drift.high - drift.low) / 2 + 1),
		.drift_known = drift.high - drift.low < TW_DRIFT_MOST,
		.exchanges = c->distance.exchanges,
		.refused = c->distance.refused,
		.restarts = c->distance.restarts,
		.steps = c->steps,
		.suspends = c->suspends,
	};
	if (tw_clock_estimate__make(c, c->written, &estimate)) {
		ret->method = (uint16_t)estimate.method;
		ret->error_ns = tw_clock_estimate__error(&estimate, ret->offset);
	}
	say_ahead(c, ret);
}
