/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The token bucket is stored as one number, busy_until: the time at which all admitted bytes would have been sent if they were sent at the
 * rate of the limit, as in the generic cell rate algorithm (ITU-T I.371). All threads share this number. The bucket needs no refill.
 */
#include "vnet/limit.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/time.h"

#define BURST_NS (4 * TW_NS_PER_MS) /* depth of the bucket: readers send in bursts, every few ms */

struct tw_limit {
	uint64_t rate;
	_Atomic uint64_t busy_until; /* CLOCK_MONOTONIC, ns */
};

struct limit_sink {
	struct tw_sink sink;
	struct tw_sink *inner;
	struct tw_limit *limit;
	uint64_t now; /* when the slot was reserved */
	uint64_t waits;
};

static struct limit_sink *of(struct tw_sink *sink)
{
	return (struct limit_sink *)sink;
}

static bool is_empty(const struct tw_limit *limit, uint64_t now)
{
	return atomic_load_explicit(&limit->busy_until, memory_order_relaxed) > now + BURST_NS;
}

/*
 * Adds to busy_until the time that @bytes take at the rate of the limit. The time is rounded up, so that the average rate does not exceed
 * the limit.
 */
static void take(struct tw_limit *limit, uint64_t now, size_t bytes)
{
	const uint64_t ns = (bytes * 8 * TW_NS_PER_SECOND + limit->rate - 1) / limit->rate;
	uint64_t until = atomic_load_explicit(&limit->busy_until, memory_order_relaxed), then;

	do {
		then = (until > now ? until : now) + ns;
	} while (!atomic_compare_exchange_weak_explicit(&limit->busy_until, &until, then, memory_order_relaxed,
							memory_order_relaxed));
}

/* Copies the properties that the inner sink has changed, and charges the bucket for the padding that the inner sink has sent. */
static void follow(struct limit_sink *s)
{
	const uint64_t more = s->inner->padding - s->sink.padding;

	if (more)
		take(s->limit, s->now, more);
	s->sink.padding = s->inner->padding;
	s->sink.frame_max = s->inner->frame_max;
	s->sink.blocked_by = s->inner->blocked_by;
}

static void *limit_reserve(struct tw_sink *sink)
{
	struct limit_sink *s = of(sink);
	void *slot;

	s->now = tw_time__now(CLOCK_MONOTONIC);
	if (is_empty(s->limit, s->now)) {
		s->waits++;
		return NULL;
	}
	slot = tw_sink__reserve(s->inner);
	follow(s);
	return slot;
}

static void limit_commit(struct tw_sink *sink, size_t len)
{
	struct limit_sink *s = of(sink);

	tw_sink__commit(s->inner, len);
	take(s->limit, s->now, len + sink->overhead);
	follow(s);
}

static int limit_flush(struct tw_sink *sink)
{
	struct limit_sink *s = of(sink);
	const int ret = tw_sink__flush(s->inner);

	follow(s);
	return ret;
}

static void limit_stats(struct tw_sink *sink, struct tw_sink_stats *ret)
{
	struct limit_sink *s = of(sink);

	tw_sink__stats(s->inner, ret);
	ret->waits += s->waits;
}

static void limit_give_up(struct tw_sink *sink)
{
	tw_sink__give_up(of(sink)->inner);
}

static void limit_close(struct tw_sink *sink)
{
	struct limit_sink *s = of(sink);

	tw_sink__close(s->inner);
	free(s);
}

static const struct tw_sink_ops limit_ops = {
	.reserve = limit_reserve,
	.commit = limit_commit,
	.flush = limit_flush,
	.stats = limit_stats,
	.give_up = limit_give_up,
	.close = limit_close,
};

struct tw_limit *tw_limit__new(uint64_t rate)
{
	struct tw_limit *limit = calloc(1, sizeof(*limit));

	if (limit)
		limit->rate = rate;
	return limit;
}

int tw_limit__sink(struct tw_limit *limit, struct tw_sink *sink, struct tw_sink **ret, struct tw_error *error)
{
	struct limit_sink *s = calloc(1, sizeof(*s));

	if (!s) {
		tw_sink__close(sink);
		return tw_error__set(error, -ENOMEM, "no memory to limit the rate");
	}
	s->sink = *sink;
	s->sink.ops = &limit_ops;
	s->inner = sink;
	s->limit = limit;
	*ret = &s->sink;
	return 0;
}

void tw_limit__free(struct tw_limit *limit)
{
	free(limit);
}
