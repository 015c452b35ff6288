/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way of each event through a pipeline: which stage asks what of it, and what is left for the next. */
#ifndef CLI_FILTER_ROUTE_H
#define CLI_FILTER_ROUTE_H

#include "cli/filter/event_groups.h"
#include "cli/filter/explain/stages.h"

/* Of predicates, by index. */
struct predicate_set {
	uint64_t bits[TW_FILTER_PREDICATES_MAX / 64];
};

struct filter_step {
	struct predicate_set does; /* what it asks; with is_whole that is all there is */
	bool is_whole;             /* it does all that was left */
	bool is_idle;              /* nothing was left for it */
	const char *entangled;     /* it could do some of what is left, and cannot begin: why; else NULL */
};

enum filter_fate {
	FILTER_MATCHES_NEVER,
	FILTER_MATCHES_ALWAYS,
	FILTER_DEPENDS,
	FILTER_TURNED_AWAY, /* marks, where the names of tasks decide: a producer does not take them */
};

struct filter_route {
	enum filter_fate fate;
	struct filter_step steps[FILTER_PIPELINE_MAX]; /* by stage of the pipeline */
	struct predicate_set left;
	char *kernel; /* the event's filter in tracefs; NULL if there is none */
};

/* Events that go the same way are one group; its route has the group's index. */
struct filter_routes {
	struct event_groups groups;
	struct filter_route *items;
	/* Of stages that take an expression whole or not at all: why they do not take this one; "" if they do. */
	struct tw_error refusals[FILTER_PIPELINE_MAX];
};

/**
 * filter_routes__find() - @ret: the caller's; filter_routes__fini()
 * Return: 0, -ENOMEM, or another -errno of a back end.
 */
int filter_routes__find(const struct filter_expression *expression, const struct filter_pipeline *pipeline,
			struct filter_routes *ret, struct tw_error *err);

void filter_routes__fini(struct filter_routes *routes);

static inline void predicate_set__add(struct predicate_set *set, unsigned int i)
{
	set->bits[i / 64] |= 1ull << i % 64;
}

static inline bool predicate_set__has(const struct predicate_set *set, unsigned int i)
{
	return set->bits[i / 64] >> i % 64 & 1;
}

static inline bool predicate_set__is_empty(const struct predicate_set *set)
{
	return !(set->bits[0] | set->bits[1] | set->bits[2] | set->bits[3]);
}

#endif
