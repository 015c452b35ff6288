/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/node.h"

struct tw_node *tw_node__certain(struct tw_arena *arena, bool value)
{
	struct tw_node *node = tw_arena__take(arena, sizeof(*node));

	if (node)
		node->kind = value ? TW_NODE_TRUE : TW_NODE_FALSE;
	return node;
}

struct tw_node *tw_node__test(struct tw_arena *arena, struct tw_test *test, bool negated)
{
	struct tw_node *node = tw_arena__take(arena, sizeof(*node));

	if (node) {
		node->kind = TW_NODE_TEST;
		node->test = test;
		node->negated = negated;
	}
	return node;
}

static bool is_certain(const struct tw_node *node)
{
	return node->kind == TW_NODE_TRUE || node->kind == TW_NODE_FALSE;
}

/* @certain with @other: either it decides, or it says nothing. */
static struct tw_node *fold(enum tw_node_kind kind, struct tw_node *certain, struct tw_node *other)
{
	const bool decides = certain->kind == (kind == TW_NODE_AND ? TW_NODE_FALSE : TW_NODE_TRUE);

	return decides ? certain : other;
}

static struct tw_node *wrap(struct tw_arena *arena, enum tw_node_kind kind, struct tw_node *node)
{
	struct tw_node *joint;

	if (node->kind == kind)
		return node;
	joint = tw_arena__take(arena, sizeof(*joint));
	if (joint) {
		joint->kind = (uint8_t)kind;
		joint->first = joint->last = node;
		node->parent = joint;
	}
	return joint;
}

static void append(struct tw_node *joint, struct tw_node *child)
{
	child->parent = joint;
	child->next = NULL;
	joint->last->next = child;
	joint->last = child;
}

struct tw_node *tw_node__join(struct tw_arena *arena, enum tw_node_kind kind, struct tw_node *a, struct tw_node *b)
{
	struct tw_node *next;

	if (!a || !b)
		return NULL;
	if (is_certain(a))
		return fold(kind, a, b);
	if (is_certain(b))
		return fold(kind, b, a);
	a = wrap(arena, kind, a);
	if (!a)
		return NULL;
	if (b->kind != kind) {
		append(a, b);
		return a;
	}
	for (struct tw_node *child = b->first; child; child = next) {
		next = child->next;
		append(a, child);
	}
	return a;
}

static void turn(struct tw_node *node)
{
	static const uint8_t turned[] = {
		[TW_NODE_FALSE] = TW_NODE_TRUE, [TW_NODE_TRUE] = TW_NODE_FALSE, [TW_NODE_TEST] = TW_NODE_TEST,
		[TW_NODE_AND] = TW_NODE_OR,     [TW_NODE_OR] = TW_NODE_AND,
	};

	node->kind = turned[node->kind];
	node->negated = node->kind == TW_NODE_TEST && !node->negated;
}

/* Ands become ors and the reverse, everywhere at once: so none gets a child of its own kind. */
struct tw_node *tw_node__negate(struct tw_node *root)
{
	struct tw_node *node = root;

	while (node) {
		turn(node);
		if (node->first) {
			node = node->first;
			continue;
		}
		while (node != root && !node->next)
			node = node->parent;
		node = node == root ? NULL : node->next;
	}
	return root;
}
