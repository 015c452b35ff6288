/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was measured of one pair: the histogram of all its samples, the histogram of each group, and counters of what is in no histogram.
 * The measurement of a stream and that in the kernel both fill this structure, so that all results are shown in one way.
 */
#ifndef TW_PAIR_FIGURES_H
#define TW_PAIR_FIGURES_H

#include "base/hash_table.h"
#include "pairs/histogram.h"
#include "pairs/names.h"
#include "pairs/pairing.h"
#include "pairs/table.h"

#define TW_PAIR_GROUPS_MAX \
	4096 /* groups of a pair, if there is memory; samples of further groups are counted together */

/* A group: the samples for which the fields of @by have equal values. */
struct tw_pair_group {
	uint64_t names
		[TW_PAIR_KEYS_MAX]; /* of the values, as numbers of pairs/names.h; TW_PAIR_OTHER in all = samples of further groups */
	struct tw_histogram histogram; /* times in ns, or values */
};

struct tw_pair_figures {
	const struct tw_pair *pair;
	const char *const
		*by; /* names of the fields whose values are the groups; @n_by of them, 0 = no groups; borrowed */
	size_t n_by;
	struct tw_pairing_stats stats;
	bool is_missing[TW_PAIR_EVENTS_MAX]; /* no format of this event of the pair is known */
	uint64_t unreadable;                 /* events whose keys or value cannot be read */
	uint64_t negative;                   /* values below 0, which are not in the histogram */
	uint64_t unstamped;                  /* packets without a receive time stamp */
	uint64_t blocked;                    /* reads of data that waited for an earlier segment */
	/* The values of the pair are shown as names, such as states. names[0] of each group is then the name of the value. */
	bool is_named;
	uint64_t unclear; /* events for which `matches` in a condition reached its limit, which counts as no match */
	struct tw_histogram all;       /* of all groups */
	struct tw_pair_group **groups; /* @n_groups of them */
	size_t n_groups;
	/* Internal. */
	struct tw_hash_table
		index; /* names of a group -> struct tw_pair_group *; its allocator is also that of the groups */
	struct tw_pair_group *
		others; /* the samples of further groups; NULL = there are none. This group is not in the index, and is from malloc() */
};

/**
 * tw_pair_figures__init() - begin without samples
 * @by: names of the @n_by fields whose values are the groups; 0 = those of the pair
 * @linear: width of the buckets, in ns or in the unit of values; 0 = powers of two, in the unit of the pair
 * @alloc: for the groups; NULL = malloc(); must outlive them. If its budget is used up, samples of further groups are counted together
 */
void tw_pair_figures__init(struct tw_pair_figures *figures, const struct tw_pair *pair, const char *const *by,
			   size_t n_by, uint64_t linear, const struct tw_alloc *alloc);

/**
 * tw_pair_figures__group() - find the histogram of a group, or add it; if there are too many groups, that of further groups
 * @names: of the group; TW_PAIR_KEYS_MAX of them, unused ones are 0
 * Return: NULL without memory.
 */
struct tw_histogram *tw_pair_figures__group(struct tw_pair_figures *figures, const uint64_t *names);

/** tw_pair_figures__add() - count a sample. @names: as above; not used without groups. Return: 0, -ENOMEM */
int tw_pair_figures__add(struct tw_pair_figures *figures, uint64_t ns, const uint64_t *names);

/** tw_pair_figures__add_time() - add a time to the sums, but count no sample: its end has not come yet. Return: 0, -ENOMEM */
int tw_pair_figures__add_time(struct tw_pair_figures *figures, uint64_t ns, const uint64_t *names);

/**
 * tw_pair_figures__sort() - order the groups
 * If the samples are times, the group with the largest sum is the first; otherwise the group with the most samples.
 */
void tw_pair_figures__sort(struct tw_pair_figures *figures);

/** tw_pair_figures__clear() - forget all samples, groups and counters */
void tw_pair_figures__clear(struct tw_pair_figures *figures);

/** tw_pair_figures__fini() - free the groups */
void tw_pair_figures__fini(struct tw_pair_figures *figures);

#endif
