/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures a trace clock by the events of getppid() in a trace instance of its own. */
#ifndef BENCH_TRACE_CLOCK_H
#define BENCH_TRACE_CLOCK_H

#include "base/error.h"
#include "bench/clocks/ping_pong.h"

struct trace_clock_figures {
	double with_ns, without_ns; /* shortest durations of a getppid(), with its two events and without */
	double nearest_ns;          /* shortest time between two events of a CPU */
	uint64_t step;    /* largest number that divides the difference of any two times, in units of the clock */
	struct skew skew; /* of the events of two CPUs; only if the pair has two */
};

/** trace_clock__begin() - figures before any measurement */
struct trace_clock_figures trace_clock__begin(void);

/**
 * trace_clock__measure() - measure a clock of tracefs's file trace_clock, and improve its figures
 * @unit_ns: ns of a unit of the clock; 1, except for cycles
 * Return: 0, or -errno with @error filled: not all figures were improved
 */
int trace_clock__measure(const char *name, double unit_ns, struct cpu_pair cpus, struct trace_clock_figures *figures,
			 struct tw_error *error);

/** gcd__add() - greatest common divisor of @gcd and @value; 0 has all divisors */
static inline uint64_t gcd__add(uint64_t gcd, uint64_t value)
{
	while (value) {
		const uint64_t rest = gcd % value;

		gcd = value;
		value = rest;
	}
	return gcd;
}

#endif
