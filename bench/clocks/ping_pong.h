/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two threads on two CPUs act in turn: a turn begins when the previous one has ended. Times of this by the clocks of both CPUs bound the
 * difference between these clocks. If the clock of the last CPU is ahead, each time from the first CPU to the last is too long by the
 * difference. The shortest such time is therefore at least the difference. The same holds for the other direction.
 */
#ifndef BENCH_PING_PONG_H
#define BENCH_PING_PONG_H

#include <stdbool.h>
#include <stdint.h>

/* The two CPUs: the first and the last of those on which this process may run. Both are equal if there is only one. */
struct cpu_pair {
	int first, last;
};

struct cpu_pair cpu_pair__find(void);

/** run_on() - bind the calling thread to a CPU */
void run_on(int cpu);

/**
 * ping_pong() - call act(ctx, cpu, round) on the first CPU, then on the last, for each of @rounds rounds, and once more on the first
 * Return: number of complete rounds, without the additional call: less than @rounds if the rounds take more than some seconds
 */
unsigned int ping_pong(struct cpu_pair cpus, unsigned int rounds,
		       void (*act)(void *ctx, bool on_last, unsigned int round), void *ctx);

/* Bounds on the difference between two clocks: the last is ahead of the first by @there at most, and behind by @back at most. */
struct skew {
	int64_t there,
		back; /* the shortest time from the first CPU to the last, and back, each by the clocks of both; ns */
};

#define SKEW_UNKNOWN ((struct skew){ INT64_MAX, INT64_MAX })

/**
 * skew__narrow() - improve bounds by the times of a ping_pong()
 * @first: rounds + 1 pairs, the begin and the end of each turn on the first CPU; @last: rounds pairs; in units of @unit_ns
 */
void skew__narrow(struct skew *skew, const uint64_t (*first)[2], const uint64_t (*last)[2], unsigned int rounds,
		  double unit_ns);

#endif
