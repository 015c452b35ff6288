/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/clock_estimate.h"

#include <string.h>

#include "base/time.h"
#include "clocks/distance.h"

#define KEPT_NS (4 * TW_NS_PER_SECOND) /* sync_ns is valid this long; a CLOCK has it each second, but may be lost */

static struct tw_bounds minus(struct tw_bounds a, struct tw_bounds b)
{
	return (struct tw_bounds){ tw_saturate__minus(a.low, b.high), tw_saturate__minus(a.high, b.low) };
}

/* Return: bounds of reference - capture clock at @ns in the stream's clock. @bounds: of the distance from the capture clock */
static struct tw_bounds reference_at(const struct tw_stream_clock *c, uint64_t ns, struct tw_bounds bounds)
{
	return tw_reference_state__at(&c->own.reference, ns - (uint64_t)tw_bounds__middle(bounds));
}

/* Convert an estimate of the distance from the capture clock, at @ns in the stream's clock, to the distance from the reference. */
static void refer(const struct tw_stream_clock *c, uint64_t ns, struct tw_clock_estimate *estimate)
{
	estimate->bounds = minus(estimate->bounds, reference_at(c, ns, estimate->bounds));
	estimate->drift = minus(estimate->drift, c->own.reference.rates);
}

/* The sources. @ns: in the stream's clock. Return: false if the source is unknown or too old */

static bool by_exchange(const struct tw_stream_clock *c, uint64_t ns, struct tw_clock_estimate *ret)
{
	if (!tw_distance__known(&c->distance))
		return false;
	*ret = (struct tw_clock_estimate){ .here = tw_distance__at(&c->distance, ns),
					   .drift = tw_distance__drift(&c->distance),
					   .method = TW_OFFSET_BY_TIME_SYNC,
					   .is_bounded = true,
					   .until = UINT64_MAX };
	ret->bounds = ret->here;
	refer(c, ns, ret);
	return true;
}

static bool same_grandmaster(const struct tw_stream_clock *c, const char *here)
{
	return *here && !strcmp(here, c->root.grandmaster);
}

/* Whether the error bounds that both hosts report refer to the same time. @ret_ns: what must be added to the sum of the bounds, ns */
static bool same_time(const struct tw_stream_clock *c, uint64_t *ret_ns)
{
	const struct tw_time_root *const here = &c->own.root, *const there = &c->root;

	*ret_ns = 0;
	if (same_grandmaster(c, here->grandmaster))
		return true;
	*ret_ns = (uint64_t)here->utc_ns + there->utc_ns;
	return here->is_utc && there->is_utc;
}

void tw_clock_estimate__keep(struct tw_stream_clock *c, const struct tw_clock_view *sample)
{
	const int64_t distance = tw_saturate__minus(c->own.stepped, c->wall_offset);
	uint64_t apart;
	const bool is_same = same_time(c, &apart);
	const int64_t error = (int64_t)(sample->sync_ns + (uint64_t)c->own.sync_ns + sample->error_ns + apart);

	c->kept.any = is_same && sample->sync_ns && c->own.sync_ns;
	c->kept.time = sample->reading[TW_CLOCK_TRACE];
	c->kept.bounds = (struct tw_bounds){ tw_saturate__minus(distance, error), tw_saturate__plus(distance, error) };
}

/*
 * The reports of both hosts, unless a host has another source since the last CLOCK. If the stream's clock has its own rate, the bounds grow
 * by the possible drift.
 */
static bool by_sync(const struct tw_stream_clock *c, uint64_t ns, struct tw_clock_estimate *ret)
{
	const uint64_t since = tw_time__apart(ns, c->kept.time);
	uint64_t unused;

	if (!c->kept.any || since > KEPT_NS || !same_time(c, &unused))
		return false;
	*ret = (struct tw_clock_estimate){ .bounds = c->disciplined ? c->kept.bounds
								    : tw_bounds__grown(c->kept.bounds, since),
					   .method = TW_OFFSET_BY_SYNC,
					   .is_bounded = true,
					   .until = c->kept.time + KEPT_NS };
	refer(c, ns, ret);
	return true;
}

/* The PHCs of both hosts follow the same grandmaster. A PHC of which nothing is known may follow it. */
static bool same_domain(const struct tw_stream_clock *c)
{
	const char *const here = c->own.reference.grandmaster;

	return !*here || !*c->root.grandmaster || same_grandmaster(c, here);
}

static bool by_phc(const struct tw_stream_clock *c, uint64_t ns, struct tw_clock_estimate *ret)
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
	*ret = (struct tw_clock_estimate){ .bounds = { tw_saturate__plus(bounds.low, reference->utc_ns),
						       tw_saturate__plus(bounds.high, reference->utc_ns) },
					   .drift = tw_readings__rates(&c->phc.clocks),
					   .method = TW_OFFSET_BY_PHC,
					   .is_bounded = here && there && same_grandmaster(c, reference->grandmaster),
					   .until = newest->time + KEPT_NS };
	return true;
}

static uint64_t width(struct tw_bounds bounds)
{
	return (uint64_t)bounds.high - (uint64_t)bounds.low;
}

static bool contradict(const struct tw_clock_estimate *a, const struct tw_clock_estimate *b)
{
	const struct tw_bounds both = tw_bounds__meet(a->bounds, b->bounds);

	return a->is_bounded && b->is_bounded && both.low > both.high;
}

static bool is_better(const struct tw_clock_estimate *a, const struct tw_clock_estimate *b)
{
	if (a->is_bounded != b->is_bounded)
		return a->is_bounded;
	return a->is_bounded && width(a->bounds) < width(b->bounds);
}

bool tw_clock_estimate__choose(const struct tw_stream_clock *c, uint64_t ns, struct tw_clock_estimate *ret,
			       bool *ret_contradicted)
{
	static bool (*const others[])(const struct tw_stream_clock *, uint64_t,
				      struct tw_clock_estimate *) = { by_sync, by_phc };
	struct tw_clock_estimate exchange = { 0 }, other;
	bool any;

	if (c->doubted || ns < c->jumped)
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

struct tw_distance_line tw_clock_estimate__best(const struct tw_stream_clock *c, uint64_t ns,
						const struct tw_clock_estimate *estimate)
{
	struct tw_distance_line best = { tw_bounds__middle(estimate->bounds),
					 (double)tw_bounds__middle(estimate->drift) };

	if (estimate->method != TW_OFFSET_BY_TIME_SYNC)
		return best;
	best = tw_distance__line(&c->distance, ns, estimate->here);
	best.distance = tw_saturate__minus(best.distance, tw_bounds__middle(reference_at(c, ns, estimate->here)));
	best.drift -= (double)tw_bounds__middle(c->own.reference.rates);
	return best;
}

uint64_t tw_clock_estimate__error(const struct tw_clock_estimate *estimate, int64_t offset)
{
	if (!estimate->is_bounded)
		return TW_ERROR_UNKNOWN;
	return tw_time__later(tw_saturate__size(tw_saturate__plus(offset, estimate->bounds.low)),
			      tw_saturate__size(tw_saturate__plus(offset, estimate->bounds.high)));
}
