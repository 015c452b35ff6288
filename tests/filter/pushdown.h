/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Invariants of splitting a filter between a stage and a later one. */
#ifndef PUSHDOWN_H
#define PUSHDOWN_H

#include "filter/capability.h"
#include "filter/evaluate.h"

/* One event's filter, split for a back end. */
struct pushdown {
	struct tw_arena *arena;
	const struct tw_node *roots[3]; /* the whole, the back end's part, the rest */
	struct tw_bound bounds[3];
	bool is_exact;
};

/** pushdown__init() - split the filter of the event @id. Return: 0; -ENOMEM, or as tw_bound__prepare(), with nothing to free */
int pushdown__init(struct pushdown *p, const struct tw_bound *bound, uint16_t id, enum tw_back_end back_end);
void pushdown__fini(struct pushdown *p);

/**
 * pushdown__holds() - check the invariants for an event
 *
 * The stage's part passes each matching event. An event matches if, and only if, it passes the stage's part and the rest. If the stage's
 * part is exact, it equals the whole filter.
 */
bool pushdown__holds(const struct pushdown *p, const struct tw_filter_event *event);

#endif
