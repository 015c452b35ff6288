/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. Joining nodes; what is certain is folded away on the spot. All take trees apart: each node is in one. */
#ifndef TW_FILTER_NODE_H
#define TW_FILTER_NODE_H

#include "filter/arena.h"
#include "filter/tree.h"

/** tw_node__certain() - TRUE or FALSE. Return: NULL without memory, as all here */
struct tw_node *tw_node__certain(struct tw_arena *arena, bool value);

struct tw_node *tw_node__test(struct tw_arena *arena, struct tw_test *test, bool negated);

/** tw_node__join() - AND or OR of two trees; NULL is passed on */
struct tw_node *tw_node__join(struct tw_arena *arena, enum tw_node_kind kind, struct tw_node *a, struct tw_node *b);

/** tw_node__negate() - turn a tree round in place, so that `not` stands at tests only; NULL is passed on */
struct tw_node *tw_node__negate(struct tw_node *root);

#endif
