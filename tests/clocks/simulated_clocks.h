/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two simulated hosts with known clocks. The capture host's clock is the true time. The stream's clock drifts against it, and the drift can
 * change: suddenly, as if NTP began to slew the clock, or slowly, as with the temperature. Messages between the hosts have delays.
 */
#ifndef SIMULATED_CLOCKS_H
#define SIMULATED_CLOCKS_H

#include "clocks/stream_clock.h"

struct world {
	uint64_t random; /* state of the generator */
	/* the stream's clock at the last change of its drift */
	uint64_t since;  /* true time, ns */
	uint64_t stream; /* its reading less @ahead, ns */
	double drift;    /* drift against the true time, ns per ns */
	int64_t wall;    /* the producer's REALTIME less its BOOTTIME */
	int64_t ahead;   /* the stream's clock less the producer's MONOTONIC; it changes if the stream's clock is set */
	int64_t tai;     /* the producer's TAI less its REALTIME */
	int64_t suspended; /* the producer's BOOTTIME less its MONOTONIC */
	/* paths */
	uint64_t there_ns, back_ns; /* minimum delays */
	uint64_t jitter_ns;         /* mean additional delay, exponentially distributed */
	double loss;                /* of requests and responses */
	/* what world__advance() changes */
	double ppm;           /* mean drift */
	double wander;        /* the drift swings around @ppm with this largest change per second, ppm */
	double step;          /* the drift makes steps of up to this size, ppm */
	double step_every;    /* shortest time between two steps, s; the longest is twice as long */
	bool slews;           /* a step lasts for whole seconds, and the drift returns to @ppm */
	double queue_max;     /* longest delay in the queue of requests, ns; 0 = there is no queue */
	double queue, offset; /* current delay in the queue, ns; difference between the drift and @ppm, ppm */
	uint64_t next_step, next_advance;
};

void world__init(struct world *w, uint64_t seed);

/** world__chance() - make a random number from 0 up to, but not including, 1 */
double world__chance(struct world *w);

/** world__stream() - read the stream's clock at the true time @now, which is not before @since */
uint64_t world__stream(const struct world *w, uint64_t now);

/** world__drift() - let the stream's clock drift by @ppm from @now on */
void world__drift(struct world *w, uint64_t now, double ppm);

/** world__advance() - change drift and queue, as the members above say; to be called every few ms */
void world__advance(struct world *w, uint64_t now);

/** world__sleep() - suspend the producer's machine for @ns */
void world__sleep(struct world *w, uint64_t now, uint64_t ns);

/** world__leap() - insert a leap second: the kernel sets REALTIME back and TAI not */
void world__leap(struct world *w);

/** world__exchange() - send a request at @now and get its response. Return: false if the request or the response was lost */
bool world__exchange(struct world *w, uint64_t now, struct tw_time_sync_sample *ret);

/**
 * world__stamped_exchange() - like world__exchange(), with transmit stamps, which exclude the delays in both hosts
 * @host_ns: mean delay in a host between the reading of its clock and the transmission of the frame
 * @ret_read: the exchange without the stamp of the response, which arrives with a later response; that of the request is known
 */
bool world__stamped_exchange(struct world *w, uint64_t now, uint64_t host_ns, struct tw_time_sync_sample *ret_read,
			     struct tw_time_sync_sample *ret_stamped);

/** world__sample() - make a CLOCK at @now; its readings are inexact, within the error that it declares */
struct tw_clock_view world__sample(struct world *w, uint64_t now);

#endif
