/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulated_clocks.h"

#include <math.h>

#define SAMPLE_ERROR_NS 900

void world__init(struct world *w, uint64_t seed)
{
	*w = (struct world){
		.random = seed * 2654435761u + 1,
		.stream = 5000000000000u,
		.wall = 1700000000000000000,
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

uint64_t world__stream(const struct world *w, uint64_t now)
{
	const double gained = (double)(now - w->since) * w->drift;

	return w->stream + (now - w->since) + (uint64_t)(int64_t)gained;
}

void world__drift(struct world *w, uint64_t now, double ppm)
{
	w->stream = world__stream(w, now);
	w->since = now;
	w->drift = ppm / 1e6;
}

void world__sleep(struct world *w, uint64_t now, uint64_t ns)
{
	w->stream = world__stream(w, now);
	w->since = now + ns;
	w->suspended += (int64_t)ns;
}

/* Return: the delay of a message. The part above @least is mostly short, because queues are mostly empty, and sometimes long. */
static uint64_t way(struct world *w, uint64_t least)
{
	return least + (uint64_t)(-log(1 - world__chance(w)) * (double)w->jitter_ns);
}

bool world__exchange(struct world *w, uint64_t now, struct tw_time_sync_sample *ret)
{
	const uint64_t there = now + way(w, w->there_ns);
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

static uint64_t inexact(struct world *w, uint64_t reading)
{
	return reading + (uint64_t)(int64_t)((world__chance(w) - 0.5) * SAMPLE_ERROR_NS);
}

struct tw_clock_view world__sample(struct world *w, uint64_t now)
{
	const uint64_t mono = world__stream(w, now);
	const uint64_t boot = mono + (uint64_t)w->suspended;

	return (struct tw_clock_view){
		.valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_MONO | 1u << TW_CLOCK_BOOT | 1u << TW_CLOCK_REAL,
		.error_ns = SAMPLE_ERROR_NS,
		.reading = {
			[TW_CLOCK_TRACE] = mono,
			[TW_CLOCK_MONO] = mono,
			[TW_CLOCK_BOOT] = inexact(w, boot),
			[TW_CLOCK_REAL] = inexact(w, boot + (uint64_t)w->wall),
		},
	};
}
