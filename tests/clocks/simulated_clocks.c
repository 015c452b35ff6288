/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulated_clocks.h"

#include <math.h>

#include "base/time.h"

#define SAMPLE_ERROR_NS 900
#define ADVANCE_NS      (5 * TW_NS_PER_MS)
#define SWING_S         3.0 /* of the wander: its period is 2 pi times as long */

void world__init(struct world *w, uint64_t seed)
{
	*w = (struct world){
		.random = seed * 2654435761u + 1,
		.stream = 5000000000000u,
		.wall = 1700000000000000000,
		.tai = 37000000000,
		.there_ns = 30000,
		.back_ns = 30000,
		.jitter_ns = 20000,
	};
}

/* The generator splitmix64. */
double world__chance(struct world *w)
{
	uint64_t z = w->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

/* Return: the producer's MONOTONIC */
static uint64_t mono_at(const struct world *w, uint64_t now)
{
	const double gained = (double)(now - w->since) * w->drift;

	return w->stream + (now - w->since) + (uint64_t)(int64_t)gained;
}

uint64_t world__stream(const struct world *w, uint64_t now)
{
	return mono_at(w, now) + (uint64_t)w->ahead;
}

void world__drift(struct world *w, uint64_t now, double ppm)
{
	w->stream = mono_at(w, now);
	w->since = now;
	w->drift = ppm / 1e6;
}

/* The next step of the drift. After a step of a slewed clock, the drift returns to its mean. */
static void take_step(struct world *w, uint64_t now)
{
	double pause = w->step_every * (1 + world__chance(w));

	if (w->slews && w->offset == 0)
		pause = 1 + floor(3 * world__chance(w));
	w->offset = w->slews && w->offset != 0 ? 0 : (2 * world__chance(w) - 1) * w->step;
	w->next_step = now + (uint64_t)(pause * 1e9);
}

void world__advance(struct world *w, uint64_t now)
{
	const double seconds = (double)(now % (1000000 * TW_NS_PER_SECOND)) / 1e9;
	double swing;

	if (now < w->next_advance)
		return;
	w->next_advance = now + ADVANCE_NS;
	if (w->step > 0 && now >= w->next_step)
		take_step(w, now);
	swing = w->wander * SWING_S * sin(seconds / SWING_S);
	if (w->wander > 0 || w->drift * 1e6 != w->ppm + w->offset)
		world__drift(w, now, w->ppm + w->offset + swing);
	w->queue = fmin(fmax(w->queue + (world__chance(w) - 0.45) * w->queue_max / 10, 0), w->queue_max);
}

void world__sleep(struct world *w, uint64_t now, uint64_t ns)
{
	w->stream = mono_at(w, now);
	w->since = now + ns;
	w->suspended += (int64_t)ns;
}

void world__leap(struct world *w)
{
	w->wall -= 1000000000;
	w->tai += 1000000000;
}

/* Return: a random delay with this mean, mostly short and sometimes long */
static uint64_t delay(struct world *w, uint64_t mean)
{
	return (uint64_t)(-log(1 - world__chance(w)) * (double)mean);
}

/* Return: the delay of a message. The part above @least is mostly short, because queues are mostly empty, and sometimes long. */
static uint64_t way(struct world *w, uint64_t least)
{
	return least + delay(w, w->jitter_ns);
}

bool world__exchange(struct world *w, uint64_t now, struct tw_time_sync_sample *ret)
{
	const uint64_t there = now + way(w, w->there_ns) + (uint64_t)w->queue;
	const uint64_t answered = there + way(w, 5000);
	const uint64_t arrived = answered + way(w, w->back_ns);

	*ret = (struct tw_time_sync_sample){
		.asked = now,
		.received = world__stream(w, there),
		.answered = world__stream(w, answered),
		.arrived = arrived,
	};
	return world__chance(w) >= w->loss && world__chance(w) >= w->loss;
}

bool world__stamped_exchange(struct world *w, uint64_t now, uint64_t host_ns, struct tw_time_sync_sample *ret_read,
			     struct tw_time_sync_sample *ret_stamped)
{
	const bool answered = world__exchange(w, now + delay(w, host_ns), ret_stamped);

	*ret_read = *ret_stamped;
	ret_read->answered = tw_time__later(ret_read->received, ret_read->answered - delay(w, host_ns));
	ret_read->by.answered = TW_STAMP_READING;
	ret_stamped->by.answered = TW_STAMP_SOFTWARE;
	return answered;
}

static uint64_t inexact(struct world *w, uint64_t reading)
{
	return reading + (uint64_t)(int64_t)((world__chance(w) - 0.5) * SAMPLE_ERROR_NS);
}

struct tw_clock_view world__sample(struct world *w, uint64_t now)
{
	const uint64_t mono = mono_at(w, now);
	const uint64_t boot = mono + (uint64_t)w->suspended;

	return (struct tw_clock_view){
		.valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_MONO | 1u << TW_CLOCK_BOOT | 1u << TW_CLOCK_REAL |
			 1u << TW_CLOCK_TAI,
		.error_ns = SAMPLE_ERROR_NS,
		.reading = {
			[TW_CLOCK_TRACE] = world__stream(w, now),
			[TW_CLOCK_MONO] = mono,
			[TW_CLOCK_BOOT] = inexact(w, boot),
			[TW_CLOCK_REAL] = inexact(w, boot + (uint64_t)w->wall),
			[TW_CLOCK_TAI] = inexact(w, boot + (uint64_t)w->wall + (uint64_t)w->tai),
		},
	};
}
