/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a ring's time stamps to the times of events, as the options TIME_SHIFT, TSC2NSEC, DATE and OFFSET say: a guest's clock to its
 * host's, counts of a TSC to nanoseconds, and the distance to another clock.
 */
#ifndef TW_TRACEDAT_CLOCK_H
#define TW_TRACEDAT_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The guest's clock was compared with the host's; all numbers as TIME_SHIFT has them. */
struct tw_dat_sample {
	uint64_t time;
	int64_t offset;
	uint64_t scaling, fraction;
};

struct tw_dat_samples {
	struct tw_dat_sample *samples; /* by time */
	uint32_t n;
};

struct tw_dat_clock {
	struct tw_dat_samples *cpus; /* NULL = no TIME_SHIFT */
	uint32_t n_cpus;
	bool interpolate;
	uint32_t mult, shift; /* TSC2NSEC; mult 0 = none */
	uint64_t offset;      /* DATE and OFFSET, added modulo 2^64 */
};

/**
 * tw_dat_clock__shift() - take in a TIME_SHIFT option
 * Return: 0; -EBADMSG if it is shorter than it says, or says too much; -ENOMEM
 */
int tw_dat_clock__shift(struct tw_dat_clock *clock, const void *option, size_t len, bool big_endian);

/** tw_dat_clock__tsc() - take in a TSC2NSEC option. Return: 0 or -EBADMSG */
int tw_dat_clock__tsc(struct tw_dat_clock *clock, const void *option, size_t len, bool big_endian);

void tw_dat_clock__fini(struct tw_dat_clock *clock);

/** tw_dat_clock__correct() - the time for a time stamp; @cpu is the index of the CPU in its buffer */
uint64_t tw_dat_clock__correct(const struct tw_dat_clock *clock, uint32_t cpu, uint64_t stamp);

#endif
