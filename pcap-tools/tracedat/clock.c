/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time stamps of a ring to times of events. */
#include <errno.h>
#include <stdlib.h>

#include "pcap-tools/tracedat/tracedat_impl.h"

#define INTERPOLATE 1u /* of the flags of a TIME_SHIFT */
#define TSC_LEN     16

static int cpu__load(struct tw_dat_samples *cpu, struct tw_dat_cursor *c, uint32_t *total)
{
	const uint32_t n = tw_dat_cursor__u32(c);

	if (c->failed || n > (c->end - c->at) / (3 * sizeof(uint64_t)) || n > TW_TRACEDAT_SAMPLES_MAX - *total)
		return -EBADMSG;
	if (!n)
		return 0;
	cpu->samples = calloc(n, sizeof(*cpu->samples));
	if (!cpu->samples)
		return -ENOMEM;
	cpu->n = n;
	*total += n;
	for (uint32_t i = 0; i < n; i++)
		cpu->samples[i].time = tw_dat_cursor__u64(c);
	for (uint32_t i = 0; i < n; i++)
		cpu->samples[i].offset = (int64_t)tw_dat_cursor__u64(c);
	for (uint32_t i = 0; i < n; i++)
		cpu->samples[i].scaling = tw_dat_cursor__u64(c);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct tw_dat_sample *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* In order, each time once. */
static void cpu__settle(struct tw_dat_samples *cpu)
{
	uint32_t n = 0;

	if (!cpu->n)
		return;
	qsort(cpu->samples, cpu->n, sizeof(*cpu->samples), by_time);
	for (uint32_t i = 0; i < cpu->n; i++)
		if (!n || cpu->samples[i].time != cpu->samples[n - 1].time)
			cpu->samples[n++] = cpu->samples[i];
	cpu->n = n;
}

static void cpus__free(struct tw_dat_clock *clock)
{
	for (uint32_t i = 0; i < clock->n_cpus; i++)
		free(clock->cpus[i].samples);
	free(clock->cpus);
	clock->cpus = NULL;
	clock->n_cpus = 0;
}

int tw_dat_clock__shift(struct tw_dat_clock *clock, struct tw_dat_cursor *option)
{
	uint32_t flags, n, total = 0;
	int err = 0;

	tw_dat_cursor__u64(option); /* the peer's trace id */
	flags = tw_dat_cursor__u32(option);
	n = tw_dat_cursor__u32(option);
	if (option->failed || clock->cpus || n > TW_TRACEDAT_CPUS_MAX ||
	    n > (option->end - option->at) / sizeof(uint32_t))
		return -EBADMSG;
	if (!n)
		return 0;
	clock->cpus = calloc(n, sizeof(*clock->cpus));
	if (!clock->cpus)
		return -ENOMEM;
	clock->n_cpus = n;
	clock->interpolate = flags & INTERPOLATE;
	for (uint32_t i = 0; i < n && !err; i++)
		err = cpu__load(&clock->cpus[i], option, &total);
	/* Older writers left the fractions out: then nothing is scaled. */
	for (uint32_t i = 0; i < n && !err; i++)
		for (uint32_t k = 0; k < clock->cpus[i].n; k++)
			clock->cpus[i].samples[k].fraction = tw_dat_cursor__u64(option);
	for (uint32_t i = 0; i < n; i++)
		cpu__settle(&clock->cpus[i]);
	if (err)
		cpus__free(clock); /* some CPUs corrected and others not would be worse than none */
	return err;
}

int tw_dat_clock__tsc(struct tw_dat_clock *clock, struct tw_dat_cursor *option)
{
	const uint32_t mult = tw_dat_cursor__u32(option), shift = tw_dat_cursor__u32(option);

	if (option->end < TSC_LEN || shift > 63)
		return -EBADMSG;
	clock->mult = mult;
	clock->shift = shift;
	return 0;
}

void tw_dat_clock__fini(struct tw_dat_clock *clock)
{
	cpus__free(clock);
	*clock = (struct tw_dat_clock){ 0 };
}

/* The last sample that is not newer than the stamp, but one that another follows. */
static const struct tw_dat_sample *samples__find(const struct tw_dat_samples *s, uint64_t stamp)
{
	uint32_t low = 0, high = s->n - 1;

	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (s->samples[middle].time <= stamp)
			low = middle;
		else
			high = middle;
	}
	return &s->samples[low];
}

/* All modulo 2^64 but for the quotient, which is signed: a hostile table gives nonsense, and nothing else. */
static uint64_t sample__apply(const struct tw_dat_sample *s, bool interpolate, uint64_t stamp)
{
	const unsigned int fraction = s->fraction & 63;
	uint64_t offset = (uint64_t)s->offset;

	if (interpolate) {
		const __int128 delta = (__int128)s[1].time - s->time;
		const __int128 slope = (__int128)((int64_t)((uint64_t)s[1].offset - offset));
		const __int128 along = (__int128)((int64_t)(stamp - s->time)) * slope;

		offset += (uint64_t)((along + delta / 2) / delta);
	}
	return (uint64_t)(((unsigned __int128)stamp * s->scaling) >> fraction) + offset;
}

static uint64_t samples__apply(const struct tw_dat_samples *s, bool interpolate, uint64_t stamp)
{
	if (!s->n)
		return stamp;
	if (s->n == 1)
		return stamp + (uint64_t)s->samples[0].offset;
	return sample__apply(samples__find(s, stamp), interpolate, stamp);
}

uint64_t tw_dat_clock__correct(const struct tw_dat_clock *clock, uint32_t cpu, uint64_t stamp)
{
	if (cpu < clock->n_cpus)
		stamp = samples__apply(&clock->cpus[cpu], clock->interpolate, stamp);
	if (clock->mult)
		stamp = (uint64_t)(((unsigned __int128)stamp * clock->mult) >> clock->shift);
	return stamp + clock->offset;
}
