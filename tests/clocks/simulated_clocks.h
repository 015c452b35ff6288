/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two hosts whose clocks are known to the test: the capture host's is the true time, the stream's gains on it by a drift that
 * changes, and messages between them take their time.
 */
#ifndef SIMULATED_CLOCKS_H
#define SIMULATED_CLOCKS_H

#include "clocks/stream_clock.h"

struct world {
	uint64_t random; /* state of the generator */
	/* the stream's clock: where it was when its drift last changed */
	uint64_t since;    /* true time, ns */
	uint64_t stream;   /* what it showed, ns */
	double drift;      /* gains so much on the true time, ns per ns */
	int64_t wall;      /* the producer's REALTIME less its BOOTTIME */
	int64_t suspended; /* its BOOTTIME less its MONOTONIC */
	/* ways */
	uint64_t there_ns, back_ns; /* least times of the ways */
	uint64_t jitter_ns;         /* on top, most of the time far less than that */
	double loss;                /* of questions and answers */
};

void world__init(struct world *w, uint64_t seed);

/** world__chance() - from 0 to below 1 */
double world__chance(struct world *w);

/** world__stream() - the stream's clock at a true time that is not before @since */
uint64_t world__stream(const struct world *w, uint64_t now);

/** world__drift() - from now on the stream's clock gains @ppm */
void world__drift(struct world *w, uint64_t now, double ppm);

/** world__sleep() - the producer's machine is suspended until @ns later */
void world__sleep(struct world *w, uint64_t now, uint64_t ns);

/** world__exchange() - a question asked now, and its answer. Return: false if one was lost */
bool world__exchange(struct world *w, uint64_t now, struct tw_time_sync_sample *ret);

/** world__sample() - a CLOCK of now, not quite exact, and saying so */
struct tw_clock_view world__sample(struct world *w, uint64_t now);

#endif
