/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a back end can do of a tree, and what is left for the next. Both copy the tree, step by step as it is walked. */
#include "filter/capability.h"

struct copy {
	struct tw_arena *arena;
	struct tw_node *done; /* what is complete */
	/* The ANDs and ORs that are open, as lists by their last child; a tree is not deeper than its expression. */
	struct tw_node *open[2 * TW_FILTER_DEPTH_MAX + 2];
	uint8_t kinds[2 * TW_FILTER_DEPTH_MAX + 2];
	unsigned int depth;
	bool failed;
};

static void open_joint(struct copy *copy, enum tw_node_kind kind)
{
	if (copy->depth == sizeof(copy->kinds)) {
		copy->failed = true;
		return;
	}
	copy->kinds[copy->depth] = (uint8_t)kind;
	copy->open[copy->depth++] = NULL;
}

static void add(struct copy *copy, struct tw_node *node)
{
	struct tw_node **so_far;

	if (!node) {
		copy->failed = true;
		return;
	}
	if (!copy->depth) {
		copy->done = node;
		return;
	}
	so_far = &copy->open[copy->depth - 1];
	*so_far = *so_far ? tw_node__join(copy->arena, copy->kinds[copy->depth - 1], *so_far, node) : node;
	copy->failed |= !*so_far;
}

/* A copy of the tree; tests that the back end cannot express are TRUE in it. */
static struct tw_node *copy_tree(const struct tw_node *root, enum tw_back_end back_end, struct tw_arena *arena,
				 bool *ret_exact)
{
	struct copy copy = { .arena = arena };
	struct tw_walk walk = tw_walk__on(root);
	enum tw_walk_at at;

	*ret_exact = true;
	while (!copy.failed && (at = tw_walk__next(&walk)) != TW_WALK_END) {
		if (at == TW_WALK_OPEN) {
			open_joint(&copy, walk.node->kind);
		} else if (at == TW_WALK_CLOSE) {
			copy.depth--;
			add(&copy, copy.open[copy.depth]);
		} else if (at == TW_WALK_LEAF && walk.node->kind != TW_NODE_TEST) {
			add(&copy, tw_node__certain(arena, walk.node->kind == TW_NODE_TRUE));
		} else if (at == TW_WALK_LEAF && tw_test__refusal(walk.node->test, back_end)) {
			*ret_exact = false;
			add(&copy, tw_node__certain(arena, true));
		} else if (at == TW_WALK_LEAF) {
			add(&copy, tw_node__test(arena, walk.node->test, walk.node->negated));
		}
	}
	return copy.failed ? NULL : copy.done;
}

const struct tw_node *tw_node__weaken(const struct tw_node *root, enum tw_back_end back_end, struct tw_arena *arena,
				      bool *ret_exact)
{
	bool exact;
	const struct tw_node *weak = copy_tree(root, back_end, arena, &exact);

	if (weak && ret_exact)
		*ret_exact = exact;
	return weak;
}

const struct tw_node *tw_node__rest(const struct tw_node *root, enum tw_back_end back_end, struct tw_arena *arena)
{
	struct tw_node *rest = tw_node__certain(arena, true);
	const struct tw_node *part = root->kind == TW_NODE_AND ? root->first : root;
	const char *why;
	bool exact;

	for (; part && rest; part = root->kind == TW_NODE_AND ? part->next : NULL) {
		if (tw_node__refused(part, back_end, &why))
			rest = tw_node__join(arena, TW_NODE_AND, rest,
					     copy_tree(part, TW_BACK_END_TOOLS, arena, &exact));
	}
	return rest;
}
