/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clocks [phc] -- measures the clocks of this machine: the cost of a reading, the step, and the largest difference between two CPUs. Prints
 * three tables: clocks that a program reads, PTP hardware clocks, and clocks of trace events. With `phc`, only the second. docs/time.md
 * explains the figures.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "bench/clocks/ping_pong.h"
#include "bench/clocks/trace_clock.h"
#include "clocks/phc.h"

#define ROUNDS  200000
#define BATCHES 200
/* In a batch; the shortest batch is used, because interrupts and other programs only make a batch longer. */
#define READINGS  1000
#define PASSES    5
#define PHCS_MAX  16
#define PHC_READS 200
#define TSC_MS    500

typedef uint64_t (*read_clock)(clockid_t clock);

#if defined(__x86_64__)
#include <x86intrin.h>

/* lfence keeps the CPU from reading the TSC before earlier instructions, or after later ones. */
static uint64_t read_tsc(clockid_t unused)
{
	uint64_t ret;

	(void)unused;
	_mm_lfence();
	ret = __rdtsc();
	_mm_lfence();
	return ret;
}

/* Return: ns of a cycle of the TSC, by CLOCK_MONOTONIC_RAW */
static double tsc_ns(void)
{
	const struct timespec pause = tw_time__timespec(TSC_MS * TW_NS_PER_MS);
	const uint64_t begin = tw_time__now(CLOCK_MONOTONIC_RAW), from = read_tsc(0);
	uint64_t end, to;

	nanosleep(&pause, NULL);
	end = tw_time__now(CLOCK_MONOTONIC_RAW);
	to = read_tsc(0);
	return (double)(end - begin) / (double)(to - from);
}
#else
static double tsc_ns(void)
{
	return 0;
}
#endif

struct user_clock {
	const char *name;
	read_clock read;
	clockid_t id;
};

static const struct user_clock user_clocks[] = {
	{ "CLOCK_MONOTONIC", tw_time__now, CLOCK_MONOTONIC },
	{ "CLOCK_MONOTONIC_RAW", tw_time__now, CLOCK_MONOTONIC_RAW },
	{ "CLOCK_REALTIME", tw_time__now, CLOCK_REALTIME },
	{ "CLOCK_TAI", tw_time__now, CLOCK_TAI },
	{ "CLOCK_BOOTTIME", tw_time__now, CLOCK_BOOTTIME },
#if defined(__x86_64__)
	{ "TSC (rdtsc)", read_tsc, 0 },
#endif
};

static const char *const trace_clocks[] = { "local", "global", "perf", "mono", "mono_raw", "boot", "tai", "x86-tsc" };
#define N_TRACE_CLOCKS (sizeof(trace_clocks) / sizeof(trace_clocks[0]))

/* Return: ns of a reading; @step: greatest common divisor of the differences of readings */
static double read_often(const struct user_clock *clock, uint64_t *step)
{
	const uint64_t start = clock->read(clock->id);
	uint64_t best = UINT64_MAX, at = 0;

	*step = 0;
	for (int i = 0; i < BATCHES; i++) {
		const uint64_t begin = tw_time__now(CLOCK_MONOTONIC);

		for (int n = 0; n < READINGS; n++)
			at = clock->read(clock->id);
		best = tw_time__earlier(best, tw_time__now(CLOCK_MONOTONIC) - begin);
		*step = gcd__add(*step, at - start);
	}
	return (double)best / READINGS;
}

struct readings {
	const struct user_clock *clock;
	uint64_t (*first)[2], (*last)[2];
};

static void read_in_turn(void *ctx, bool on_last, unsigned int round)
{
	const struct readings *r = ctx;
	uint64_t *pair = on_last ? r->last[round] : r->first[round];

	pair[0] = pair[1] = r->clock->read(r->clock->id);
}

/* "81 and 83 ns | -1 +- 82 ns": the shortest times between two CPUs, and the range of the difference that they leave */
static const char *skew_text(const struct skew *skew, char *buf, size_t size)
{
	if (skew->there == INT64_MAX)
		snprintf(buf, size, "not measured | -");
	else
		snprintf(buf, size, "%lld and %lld ns | %+.0f +- %.0f ns", (long long)skew->there,
			 (long long)skew->back, (double)(skew->there - skew->back) / 2,
			 (double)(skew->there + skew->back) / 2);
	return buf;
}

static void print_user_clock(const struct user_clock *clock, struct cpu_pair cpus, double unit_ns)
{
	struct readings r = { clock, calloc(ROUNDS + 1, sizeof(*r.first)), calloc(ROUNDS, sizeof(*r.last)) };
	struct skew skew = SKEW_UNKNOWN;
	uint64_t step;
	double cost;
	char text[96];

	run_on(cpus.first);
	cost = read_often(clock, &step);
	if (r.first && r.last)
		skew__narrow(&skew, (const uint64_t(*)[2])r.first, (const uint64_t(*)[2])r.last,
			     ping_pong(cpus, ROUNDS, read_in_turn, &r), unit_ns);
	printf("| %s | %.1f ns | %.3g ns | %s |\n", clock->name, cost, (double)step * unit_ns,
	       skew_text(&skew, text, sizeof(text)));
	free(r.first);
	free(r.last);
}

static double unit_of(const char *name, double cycle_ns)
{
	return strstr(name, "tsc") || strstr(name, "TSC") ? cycle_ns : 1;
}

static void print_trace_clock(const char *name, double unit_ns, const struct trace_clock_figures *f)
{
	char text[96];

	printf("| %s | %.0f ns | %.0f ns | %.3g ns | %s |\n", name, (f->with_ns - f->without_ns) / 2, f->nearest_ns,
	       (double)f->step * unit_ns, skew_text(&f->skew, text, sizeof(text)));
}

/* Reads a hardware clock often: the step and the smallest error bound. Return: false if it cannot be read */
static bool read_phc(struct tw_phc_device *phc, uint64_t *step, struct tw_phc_reading *best, double *cost)
{
	struct tw_phc_reading r;
	uint64_t start = 0, begin;

	*step = 0;
	*best = (struct tw_phc_reading){ .error_ns = UINT64_MAX };
	begin = tw_time__now(CLOCK_MONOTONIC);
	for (int i = 0; i < PHC_READS; i++) {
		if (tw_phc__read(phc, CLOCK_MONOTONIC_RAW, &r))
			return false;
		start = start ? start : r.phc;
		*step = gcd__add(*step, r.phc > start ? r.phc - start : start - r.phc);
		*best = r.error_ns < best->error_ns ? r : *best;
	}
	*cost = (double)(tw_time__now(CLOCK_MONOTONIC) - begin) / PHC_READS;
	return true;
}

static void print_phcs(void)
{
	static const char *const methods[] = {
#define X(num, method, text, what) [num] = (text),
		TW_PHC_METHOD_LIST(X)
#undef X
	};
	struct tw_phc_device phc;
	struct tw_phc_reading best;
	struct tw_error error;
	bool any = false;
	uint64_t step;
	double cost;

	puts("\n| PTP hardware clock | a reading, the best of five | step | method | smallest error bound |\n"
	     "| --- | --- | --- | --- | --- |");
	for (unsigned int i = 0; i < PHCS_MAX; i++) {
		if (tw_phc__at(i, &phc, &error))
			continue;
		if (read_phc(&phc, &step, &best, &cost))
			printf("| ptp%u (%s) | %.1f us | %llu ns%s | %s | %llu ns |\n", i, phc.name, cost / 1000,
			       (unsigned long long)step, step ? "" : ": it stands still", methods[best.method],
			       (unsigned long long)best.error_ns);
		else
			printf("| ptp%u (%s) | cannot be read | - | - | - |\n", i, phc.name);
		any = true;
		tw_phc__close(&phc);
	}
	if (!any)
		puts("| this machine has no PTP hardware clock | - | - | - | - |");
}

static void print_user_clocks(struct cpu_pair cpus, double cycle_ns)
{
	if (cycle_ns > 0)
		printf("TSC: %.3f MHz, so a cycle is %.3f ns.\n\n", 1000 / cycle_ns, cycle_ns);
	puts("| clock that a program reads | a reading | step | shortest times from CPU to CPU | difference of two CPUs |\n"
	     "| --- | --- | --- | --- | --- |");
	for (size_t i = 0; i < sizeof(user_clocks) / sizeof(user_clocks[0]); i++)
		print_user_clock(&user_clocks[i], cpus, unit_of(user_clocks[i].name, cycle_ns));
}

/* All clocks are measured several times in turn, because other programs make whole periods slower. */
static void print_trace_clocks(struct cpu_pair cpus, double cycle_ns)
{
	struct trace_clock_figures figures[N_TRACE_CLOCKS];
	struct tw_error error;

	for (size_t i = 0; i < N_TRACE_CLOCKS; i++)
		figures[i] = trace_clock__begin();
	for (int pass = 0; pass < PASSES; pass++)
		for (size_t i = 0; i < N_TRACE_CLOCKS; i++)
			if (trace_clock__measure(trace_clocks[i], unit_of(trace_clocks[i], cycle_ns), cpus, &figures[i],
						 &error))
				fprintf(stderr, "clocks: %s: %s\n", trace_clocks[i], error.text);
	puts("\n| clock of trace events | CPU time of an event | nearest events of a CPU | step | shortest times from CPU to CPU | "
	     "difference of two CPUs |\n| --- | --- | --- | --- | --- | --- |");
	for (size_t i = 0; i < N_TRACE_CLOCKS; i++)
		print_trace_clock(trace_clocks[i], unit_of(trace_clocks[i], cycle_ns), &figures[i]);
}

int main(int argc, char **argv)
{
	const bool only_phcs = argc > 1 && !strcmp(argv[1], "phc");
	const double cycle_ns = only_phcs ? 0 : tsc_ns();
	const struct cpu_pair cpus = cpu_pair__find();

	if (!only_phcs && cpus.first == cpus.last) {
		fputs("clocks: needs two CPUs\n", stderr);
		return 1;
	}
	if (!only_phcs)
		print_user_clocks(cpus, cycle_ns);
	print_phcs();
	if (!only_phcs)
		print_trace_clocks(cpus, cycle_ns);
	return 0;
}
