/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairs/figures.h"

#include <errno.h>
#include <stdlib.h>

/* The key of the index. */
struct group_key {
	uint64_t names[TW_PAIR_KEYS_MAX];
};

void tw_pair_figures__init(struct tw_pair_figures *figures, const struct tw_pair *pair, const char *const *by,
			   size_t n_by, uint64_t linear, const struct tw_alloc *alloc)
{
	static const uint64_t units[] = {
		[TW_PAIR_NS] = 1, [TW_PAIR_US] = 1000, [TW_PAIR_MS] = 1000000, [TW_PAIR_BYTES] = 1, [TW_PAIR_NUMBER] = 1
	};
	const struct tw_histogram_scale scale = { .unit = units[pair->unit], .linear = linear };

	*figures = (struct tw_pair_figures){
		.pair = pair,
		.by = n_by ? by : pair->by,
		.n_by = n_by ? n_by : pair->n_by,
		.index = { .alloc = alloc,
			   .key_size = sizeof(struct group_key),
			   .value_size = sizeof(struct tw_pair_group *) },
	};
	tw_histogram__init(&figures->all, &scale);
}

static void free_group(const struct tw_pair_figures *figures, struct tw_pair_group *group)
{
	if (group == figures->others)
		free(group);
	else
		tw_alloc__free(figures->index.alloc, group, sizeof(*group));
}

/* Adds a group to the list; frees it if there is no memory. Return: @group, or NULL */
static struct tw_pair_group *append(struct tw_pair_figures *figures, struct tw_pair_group *group, const uint64_t *names)
{
	struct tw_pair_group **larger = NULL;

	if (group)
		larger = reallocarray(figures->groups, figures->n_groups + 1, sizeof(struct tw_pair_group *));
	if (!larger) {
		free_group(figures, group);
		return NULL;
	}
	figures->groups = larger;
	figures->groups[figures->n_groups++] = group;
	memcpy(group->names, names, sizeof(group->names));
	tw_histogram__init(&group->histogram, &figures->all.scale);
	return group;
}

/* Adds a group, if the limits permit it. Return: NULL if not */
static struct tw_pair_group *add_group(struct tw_pair_figures *figures, const uint64_t *names)
{
	const bool is_full = figures->index.n >= TW_PAIR_GROUPS_MAX;
	struct tw_pair_group *group = is_full ? NULL : tw_alloc__new(figures->index.alloc, sizeof(*group));
	void *value;

	if (!group || tw_hash_table__put(&figures->index, names, &value) < 0) {
		free_group(figures, group);
		return NULL;
	}
	group = append(figures, group, names);
	if (group)
		*(struct tw_pair_group **)value = group;
	else
		tw_hash_table__remove(&figures->index, names);
	return group;
}

/* The group of further groups does not count against the budget, because it is needed when the budget is used up. */
static struct tw_pair_group *find_others(struct tw_pair_figures *figures, const uint64_t *names)
{
	if (!figures->others) {
		figures->others = calloc(1, sizeof(*figures->others));
		figures->others = append(figures, figures->others, names);
	}
	return figures->others;
}

struct tw_histogram *tw_pair_figures__group(struct tw_pair_figures *figures, const uint64_t *names)
{
	static const uint64_t others[] = { TW_PAIR_OTHER, TW_PAIR_OTHER, TW_PAIR_OTHER, TW_PAIR_OTHER };
	struct tw_pair_group **known = tw_hash_table__find(&figures->index, names), *group = known ? *known : NULL;

	if (!group && memcmp(names, others, sizeof(others)) != 0)
		group = add_group(figures, names);
	if (!group)
		group = find_others(figures, others);
	return group ? &group->histogram : NULL;
}

int tw_pair_figures__add(struct tw_pair_figures *figures, uint64_t ns, const uint64_t *names)
{
	struct tw_histogram *group;

	tw_histogram__add(&figures->all, ns);
	if (!figures->n_by && !figures->is_named)
		return 0;
	group = tw_pair_figures__group(figures, names);
	if (!group)
		return -ENOMEM;
	tw_histogram__add(group, ns);
	return 0;
}

static void add_to_sum(struct tw_histogram *histogram, uint64_t ns)
{
	if (__builtin_add_overflow(histogram->sum, ns, &histogram->sum))
		histogram->sum = UINT64_MAX;
}

int tw_pair_figures__add_time(struct tw_pair_figures *figures, uint64_t ns, const uint64_t *names)
{
	struct tw_histogram *group = figures->n_by ? tw_pair_figures__group(figures, names) : NULL;

	add_to_sum(&figures->all, ns);
	if (group)
		add_to_sum(group, ns);
	return group || !figures->n_by ? 0 : -ENOMEM;
}

static int by_sum(const void *left, const void *right)
{
	const struct tw_histogram *a = &(*(struct tw_pair_group *const *)left)->histogram,
				  *b = &(*(struct tw_pair_group *const *)right)->histogram;

	if (a->sum != b->sum)
		return a->sum > b->sum ? -1 : 1;
	return a->n > b->n ? -1 : a->n < b->n;
}

static int by_number(const void *left, const void *right)
{
	const uint64_t a = (*(struct tw_pair_group *const *)left)->histogram.n,
		       b = (*(struct tw_pair_group *const *)right)->histogram.n;

	return a > b ? -1 : a < b;
}

void tw_pair_figures__sort(struct tw_pair_figures *figures)
{
	if (figures->n_groups)
		qsort(figures->groups, figures->n_groups, sizeof(figures->groups[0]),
		      tw_pair__has_times(figures->pair) ? by_sum : by_number);
}

void tw_pair_figures__clear(struct tw_pair_figures *figures)
{
	const struct tw_histogram_scale scale = figures->all.scale;

	tw_pair_figures__fini(figures);
	figures->stats = (struct tw_pairing_stats){ 0 };
	figures->unreadable = figures->unclear = figures->negative = figures->unstamped = figures->blocked = 0;
	tw_histogram__init(&figures->all, &scale);
}

void tw_pair_figures__fini(struct tw_pair_figures *figures)
{
	for (size_t i = 0; i < figures->n_groups; i++)
		free_group(figures, figures->groups[i]);
	free(figures->groups);
	figures->groups = NULL;
	figures->others = NULL;
	figures->n_groups = 0;
	tw_hash_table__fini(&figures->index);
}
