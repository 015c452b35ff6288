/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When an OFFSET record is due: the functions of stream_clock.h that make records. */
#include "base/time.h"
#include "clocks/clock_estimate.h"
#include "clocks/distance.h"
#include "clocks/stream_clock.h"

#define LOOK_NS    TW_NS_PER_SECOND       /* longest time between two checks whether an OFFSET record is due */
#define LOW_NS     (4 * TW_NS_PER_SECOND) /* a smaller error is reported after it has lasted this long */
#define LOW_PART   4                      /* a smaller error is reported if it is smaller by at least a fourth */
#define MOVED_NS   TW_NS_PER_MS           /* smaller changes of the offset are not reported */
#define PARTS      8                      /* of a packet with several events, between which the error is computed */
#define MOVED_MORE 8                      /* changes below this multiple of the error are not reported either */

/* Make an OFFSET record of the current state; its kind remains 0. A drift of unknown sign is not reported. */
static struct tw_offset_view state(const struct tw_stream_clock *c, uint64_t time)
{
	const uint64_t ns = tw_stream_clock__ns(c, time);
	struct tw_offset_view ret = {
		.time = time,
		.offset = tw_clock_line__offset(&c->line, ns),
		.error_ns = TW_ERROR_UNKNOWN,
	};
	struct tw_clock_estimate estimate;

	if (!tw_clock_estimate__make(c, ns, &estimate))
		return ret;
	ret.method = (uint16_t)estimate.method;
	ret.error_ns = tw_clock_estimate__error(&estimate, ret.offset);
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
	if (ns < c->written)
		return false; /* a late packet */
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

/* Return: the largest change of the error of packet times per time: by drift, and by the correction of the line */
static double growth(const struct tw_stream_clock *c)
{
	const double drift = c->line.drift < 0 ? -c->line.drift : c->line.drift;
	const double turn = c->line.turn < 0 ? -c->line.turn : c->line.turn;
	const double clocks =
		c->own.reference.kind == TW_REFERENCE_PHC ? 2 : 1; /* that drift against the capture clock */

	return clocks * TW_BOUND_GROWTH_MAX / 1e9 + drift + turn;
}

/* Return: the largest error of the times of a packet's events, from @ns to @end. They all have the offset of @now, which is for @ns. */
static uint64_t largest_error(const struct tw_stream_clock *c, const struct tw_offset_view *now, uint64_t ns,
			      uint64_t end)
{
	const uint64_t part = (end - ns) / PARTS + 1;
	uint64_t error = now->error_ns;

	for (uint64_t at = ns; at < end && error <= INT64_MAX;) {
		struct tw_clock_estimate estimate;

		at = end - at > part ? at + part : end;
		error = !tw_clock_estimate__make(c, at, &estimate)
				? TW_ERROR_UNKNOWN
				: tw_time__later(error, tw_clock_estimate__error(&estimate, now->offset));
	}
	return error > INT64_MAX ? error : error + (uint64_t)((double)part / 2 * growth(c));
}

/*
 * Set the times between which no check is needed: the error stays below the reported error, although it grows, there is no exchange, at
 * which the bounds may change suddenly, and the source of the estimate stays valid.
 */
static void plan(struct tw_stream_clock *c, const struct tw_offset_view *now, uint64_t ns, uint64_t end)
{
	const double room = (double)(c->stated.error_ns - now->error_ns) / growth(c);
	struct tw_clock_estimate estimate;

	c->check_from = ns;
	c->check_end = end + LOOK_NS;
	if (now->error_ns != TW_ERROR_UNKNOWN && room < (double)LOOK_NS)
		c->check_end = end + (uint64_t)room;
	c->check_end = tw_time__earlier(c->check_end, tw_distance__next(&c->distance, end));
	if (tw_clock_estimate__make(c, end, &estimate))
		c->check_end = tw_time__earlier(c->check_end, estimate.until);
	c->check_at = ns + (c->check_end > end ? c->check_end - end : 0);
	if (c->n_changes)
		c->check_at = tw_time__earlier(c->check_at, tw_stream_clock__ns(c, c->changes[0].time));
	if (ns < c->jumped)
		c->check_at = tw_time__earlier(c->check_at, c->jumped);
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

bool tw_stream_clock__look(struct tw_stream_clock *c, uint64_t time, uint64_t end, struct tw_offset_view *ret)
{
	const uint64_t ns = tw_stream_clock__ns(c, time);
	struct tw_offset_view now;

	if (!c->dated)
		return false;
	if (c->started && c->n_changes && tw_stream_clock__ns(c, c->changes[0].time) <= ns)
		now = take_change(c, time);
	else
		now = state(c, time);
	if (end > ns)
		now.error_ns = largest_error(c, &now, ns, end);
	if (!c->started)
		now.kind = TW_OFFSET_START;
	else if (!now.kind && (is_low(c, &now, ns) || now.error_ns > c->stated.error_ns || has_moved(c, now.offset)))
		now.kind = TW_OFFSET_ESTIMATE;
	if (!now.kind) {
		plan(c, &now, ns, end);
		return false;
	}
	now.error_ns = with_room(c, &now);
	c->started = true;
	c->low_since = 0;
	c->check_at = 0;
	c->stated = now;
	*ret = now;
	return true;
}
