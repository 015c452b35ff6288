/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "filter/bpf/match.h"
#include "filter/bpf/way.h"

#define DEPTH_MAX (2 * TW_FILTER_DEPTH_MAX + 8) /* AND and OR take turns */

/* Where the child of an AND or OR that is being written goes. */
struct level {
	tw_label holds, fails; /* of the AND or OR itself */
	tw_label next;         /* where its next child begins */
};

struct lowering {
	struct tw_asm *a;
	const struct tw_sight *sight;
	struct level levels[DEPTH_MAX];
	unsigned int depth;
};

static bool is_last(const struct tw_node *node)
{
	return !node->next;
}

/* Where a node goes: of all children but the last one of both outcomes goes on to the next child. */
static struct level goals_of(const struct lowering *l, const struct tw_node *node)
{
	const struct level *parent = &l->levels[l->depth - 1];
	struct level goals = *parent;

	if (l->depth == 1 || is_last(node))
		return goals;
	if (node->parent->kind == TW_NODE_AND)
		goals.holds = parent->next;
	else
		goals.fails = parent->next;
	return goals;
}

static void open_node(struct lowering *l, const struct tw_node *node)
{
	struct level goals = goals_of(l, node);

	if (l->depth == DEPTH_MAX) {
		l->a->error = -E2BIG;
		return;
	}
	goals.next = tw_asm__label(l->a);
	l->levels[l->depth++] = goals;
}

static void next_child(struct lowering *l)
{
	struct level *level = &l->levels[l->depth - 1];

	tw_asm__place(l->a, level->next);
	level->next = tw_asm__label(l->a);
}

static void leaf(struct lowering *l, const struct tw_node *node)
{
	const struct level goals = goals_of(l, node);

	if (node->negated)
		tw_test__emit(l->a, node->test, l->sight, goals.fails, goals.holds);
	else
		tw_test__emit(l->a, node->test, l->sight, goals.holds, goals.fails);
}

void tw_tree__emit(struct tw_asm *a, const struct tw_node *root, const struct tw_sight *sight, tw_label holds,
		   tw_label fails)
{
	struct lowering l = { .a = a, .sight = sight, .levels = { { holds, fails, TW_NO_LABEL } }, .depth = 1 };
	struct tw_walk walk = tw_walk__on(root);
	enum tw_walk_at at;

	while (!a->error && (at = tw_walk__next(&walk)) != TW_WALK_END) {
		if (at == TW_WALK_OPEN)
			open_node(&l, walk.node);
		else if (at == TW_WALK_BETWEEN)
			next_child(&l);
		else if (at == TW_WALK_CLOSE)
			l.depth--;
		else
			leaf(&l, walk.node);
	}
}
