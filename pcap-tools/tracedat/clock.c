/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/tracedat/clock.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "pcap-tools/tracedat/tracedat.h"

#define SHIFT_HEAD  16 /* peer, flags, count of CPUs */
#define INTERPOLATE 1u /* of the flags */
#define TSC_LEN     16

/* The option's bytes, in the file's order. */
struct shift_text {
	const uint8_t *at;
	size_t left;
	bool big_endian;
};

static bool text__u32(struct shift_text *t, uint32_t *ret)
{
	if (t->left < sizeof(*ret))
		return false;
	*ret = tw_load32(t->at, t->big_endian);
	t->at += sizeof(*ret);
	t->left -= sizeof(*ret);
	return true;
}

static uint64_t text__u64(struct shift_text *t)
{
	const uint64_t value = tw_load64(t->at, t->big_endian);

	t->at += sizeof(value);
	t->left -= sizeof(value);
	return value;
}

static int cpu__load(struct tw_dat_samples *cpu, struct shift_text *t, uint32_t *total)
{
	uint32_t n;

	if (!text__u32(t, &n) || n > t->left / (3 * sizeof(uint64_t)) || n > TW_TRACEDAT_SAMPLES_MAX - *total)
		return -EBADMSG;
	if (!n)
		return 0;
	cpu->samples = calloc(n, sizeof(*cpu->samples));
	if (!cpu->samples)
		return -ENOMEM;
	cpu->n = n;
	*total += n;
	for (uint32_t i = 0; i < n; i++)
		cpu->samples[i].time = text__u64(t);
	for (uint32_t i = 0; i < n; i++)
		cpu->samples[i].offset = (int64_t)text__u64(t);
	for (uint32_t i = 0; i < n; i++)
		cpu->samples[i].scaling = text__u64(t);
	return 0;
}

/* Older writers left them out: then nothing is scaled. */
static void cpu__load_fractions(struct tw_dat_samples *cpu, struct shift_text *t)
{
	for (uint32_t i = 0; i < cpu->n && t->left >= sizeof(uint64_t); i++)
		cpu->samples[i].fraction = text__u64(t);
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

int tw_dat_clock__shift(struct tw_dat_clock *clock, const void *option, size_t len, bool big_endian)
{
	struct shift_text t = { .at = option, .left = len, .big_endian = big_endian };
	uint32_t flags, n, total = 0;
	int code = 0;

	if (len < SHIFT_HEAD || clock->cpus)
		return -EBADMSG;
	t.at += sizeof(uint64_t);
	t.left -= sizeof(uint64_t);
	text__u32(&t, &flags);
	text__u32(&t, &n);
	if (n > TW_TRACEDAT_CPUS_MAX || n > t.left / sizeof(uint32_t))
		return -EBADMSG;
	if (!n)
		return 0;
	clock->cpus = calloc(n, sizeof(*clock->cpus));
	if (!clock->cpus)
		return -ENOMEM;
	clock->n_cpus = n;
	clock->interpolate = flags & INTERPOLATE;
	for (uint32_t i = 0; i < n && !code; i++)
		code = cpu__load(&clock->cpus[i], &t, &total);
	for (uint32_t i = 0; i < n && !code; i++)
		cpu__load_fractions(&clock->cpus[i], &t);
	for (uint32_t i = 0; i < n; i++)
		cpu__settle(&clock->cpus[i]);
	if (code)
		cpus__free(clock); /* some CPUs corrected and others not would be worse than none */
	return code;
}

int tw_dat_clock__tsc(struct tw_dat_clock *clock, const void *option, size_t len, bool big_endian)
{
	const uint8_t *p = option;

	if (len < TSC_LEN || tw_load32(p + 4, big_endian) > 63)
		return -EBADMSG;
	clock->mult = tw_load32(p, big_endian);
	clock->shift = tw_load32(p + 4, big_endian);
	return 0;
}

void tw_dat_clock__fini(struct tw_dat_clock *clock)
{
	cpus__free(clock);
	*clock = (struct tw_dat_clock){ 0 };
}

/* The last sample that is not newer than the stamp, but one that has another behind it. */
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
