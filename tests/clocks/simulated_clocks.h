/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two hosts with known clocks: the capture host's is the true time, the stream's has a changing drift against it, and messages between
 * them have delays.
 */
#ifndef SIMULATED_CLOCKS_H
#define SIMULATED_CLOCKS_H

#include "clocks/stream_clock.h"

struct world {
	uint64_t random; /* state of the generator */
	/* the stream's clock at the last change of its drift */
	uint64_t since;    /* true time, ns */
	uint64_t stream;   /* its reading, ns */
	double drift;      /* drift against the true time, ns per ns */
	int64_t wall;      /* the producer's REALTIME less its BOOTTIME */
	int64_t suspended; /* its BOOTTIME less its MONOTONIC */
	/* paths */
	uint64_t there_ns, back_ns; /* minimum delays */
	uint64_t jitter_ns;         /* maximum additional delay, mostly far less */
	double loss;                /* of requests and responses */
};

void world__init(struct world *w, uint64_t seed);

/** world__chance() - from 0 up to, but not including, 1 */
double world__chance(struct world *w);

/** world__stream() - the stream's clock at a true time that is not before @since */
uint64_t world__stream(const struct world *w, uint64_t now);

/** world__drift() - from now on the stream's clock drifts by @ppm */
void world__drift(struct world *w, uint64_t now, double ppm);

/** world__sleep() - the producer's machine is suspended for @ns */
void world__sleep(struct world *w, uint64_t now, uint64_t ns);

/** world__exchange() - a request sent now, and its response. Return: false if one was lost */
bool world__exchange(struct world *w, uint64_t now, struct tw_time_sync_sample *ret);

/** world__sample() - a CLOCK of the current time, with an error and a correct error bound */
struct tw_clock_view world__sample(struct world *w, uint64_t now);

#endif
