/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/kernel_pairs/figures.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Adds samples to a histogram, except to its buckets. */
static void add_samples(struct tw_histogram *to, const struct tw_kernel_samples *samples)
{
	const uint64_t min = ~samples->inverted_min;

	if (!samples->n)
		return;
	to->min = to->n && to->min < min ? to->min : min;
	to->max = to->max > samples->max ? to->max : samples->max;
	to->n += samples->n;
	if (__builtin_add_overflow(to->sum, samples->sum, &to->sum))
		to->sum = UINT64_MAX;
}

static void add_to_bucket(struct tw_histogram *to, size_t bucket, uint64_t n)
{
	if (bucket < TW_HISTOGRAM_BUCKETS)
		to->buckets[bucket] += n;
	else
		to->beyond += n;
}

void tw_kernel_samples__add(const struct tw_kernel_samples *samples, size_t bucket, struct tw_histogram *to)
{
	add_samples(to, samples);
	add_to_bucket(to, bucket, samples->n);
}

static void add_buckets(struct tw_histogram *to, const struct tw_kernel_figures *figures)
{
	add_samples(to, &figures->samples);
	for (size_t i = 0; i <= TW_HISTOGRAM_BUCKETS; i++)
		add_to_bucket(to, i, figures->buckets[i]);
}

/* Adds the samples that had no room in the map of groups. */
static int add_others(struct tw_pair_figures *figures, const struct tw_kernel_figures *read)
{
	static const uint64_t others[] = { TW_PAIR_OTHER, TW_PAIR_OTHER, TW_PAIR_OTHER, TW_PAIR_OTHER };
	struct tw_histogram *group;

	if ((!figures->n_by && !figures->is_named) || !read->samples.n)
		return 0;
	group = tw_pair_figures__group(figures, others);
	if (group)
		add_buckets(group, read);
	return group ? 0 : -ENOMEM;
}

static int add_figures(struct tw_pair_figures *figures, const struct tw_kernel_figures *read)
{
	struct tw_pairing_stats *stats = &figures->stats;

	stats->begun += read->begun;
	stats->again += read->again;
	stats->cancelled += read->cancelled;
	stats->no_begin += read->no_begin;
	stats->backwards += read->backwards;
	stats->evicted += read->evicted;
	figures->unstamped += read->unstamped;
	figures->blocked += read->blocked;
	add_buckets(&figures->all, read);
	return add_others(figures, read);
}

int tw_kernel_figures__read(int fd, uint32_t index, size_t cpus, bool clear, struct tw_pair_figures *figures)
{
	struct tw_kernel_figures *of_cpus = calloc(cpus, sizeof(*of_cpus));
	int err = of_cpus ? 0 : -ENOMEM;

	if (!err && bpf_map_lookup_elem(fd, &index, of_cpus))
		err = -errno;
	for (size_t i = 0; i < cpus && !err; i++)
		err = add_figures(figures, &of_cpus[i]);
	if (!err && clear) {
		memset(of_cpus, 0, cpus * sizeof(*of_cpus));
		err = bpf_map_update_elem(fd, &index, of_cpus, BPF_ANY) ? -errno : 0;
	}
	free(of_cpus);
	return err;
}
