/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/tree.h"

#include "wire/tracewire.h"

struct tw_bound_event *tw_bound__event(const struct tw_bound *bound, uint16_t id)
{
	size_t low = 0, high = bound->n_events;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (bound->events[mid].format->id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < bound->n_events && bound->events[low].format->id == id ? &bound->events[low] : NULL;
}

const struct tw_node *tw_bound__root(const struct tw_bound *bound, uint16_t id)
{
	const struct tw_bound_event *event = tw_bound__event(bound, id);

	return event ? event->root : bound->unknown;
}

const struct tw_operand_info *tw_operand__info(uint8_t operand)
{
#define EVENT(field) (sizeof(struct tw_frame_hdr) + offsetof(struct tw_event, field))
	static const struct tw_operand_info infos[] = {
		[TW_ON_PID] = { "pid", TW_AS_NUMBER, 4, true, EVENT(common_pid) },
		[TW_ON_CPU] = { "cpu", TW_AS_NUMBER, 2, false, offsetof(struct tw_frame_hdr, cpu) },
		[TW_ON_FLAGS] = { "flags", TW_AS_NUMBER, 1, false, EVENT(common_flags) },
		[TW_ON_PREEMPT] = { "common_preempt_count", TW_AS_NUMBER, 1, false, EVENT(common_preempt_count) },
		[TW_ON_TIME] = { "time", TW_AS_NUMBER, 8, false, 0 },
		[TW_ON_COMM] = { "comm", TW_AS_TEXT, 0, false, 0 },
		[TW_ON_HOST] = { "host", TW_AS_TEXT, 0, false, 0 },
	};
#undef EVENT

	return &infos[operand];
}

static bool field_place(const struct tw_test *test, struct tw_test_place *ret)
{
	const struct tw_field *field = test->field;
	const bool is_array = tw_test__is_array(test);

	if (field->kind == TW_FIELD_BITMASK || field->place != TW_PLACE_FIXED || field->offset < TW_RECORD_COMMON ||
	    (test->compared == TW_AS_NUMBER && !is_array && !tw_number__has_size(field->size)))
		return false;
	*ret = (struct tw_test_place){
		.offset = (uint32_t)sizeof(struct tw_frame_hdr) + TW_EVENT_RECORD + field->offset,
		.size = is_array ? field->elem_size : field->size,
		.count = is_array ? field->count : 1,
		.big_endian = test->big_endian,
		.is_signed = tw_field__is_signed(field),
	};
	return true;
}

bool tw_test__place(const struct tw_test *test, struct tw_test_place *ret)
{
	const struct tw_operand_info *info;

	if (test->operand == TW_ON_FIELD)
		return field_place(test, ret);
	info = tw_operand__info(test->operand);
	if (!info->offset)
		return false;
	*ret = (struct tw_test_place){ info->offset, info->size, 1, true, info->is_signed };
	return true;
}

static enum tw_walk_at arrive(struct tw_walk *walk, const struct tw_node *node)
{
	walk->node = node;
	return node->kind == TW_NODE_AND || node->kind == TW_NODE_OR ? TW_WALK_OPEN : TW_WALK_LEAF;
}

/* Make the step after a leaf, or after an AND or OR that was closed. */
static enum tw_walk_at leave(struct tw_walk *walk)
{
	const struct tw_node *node = walk->node;

	if (node == walk->root)
		return TW_WALK_END;
	walk->last = node;
	walk->node = node->parent;
	return node->next ? TW_WALK_BETWEEN : TW_WALK_CLOSE;
}

enum tw_walk_at tw_walk__next(struct tw_walk *walk)
{
	if (!walk->started) {
		walk->started = true;
		walk->at = arrive(walk, walk->root);
	} else if (walk->at == TW_WALK_OPEN) {
		walk->at = arrive(walk, walk->node->first);
	} else if (walk->at == TW_WALK_BETWEEN) {
		walk->at = arrive(walk, walk->last->next);
	} else if (walk->at != TW_WALK_END) {
		walk->at = leave(walk);
	}
	return walk->at;
}

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
		node->n_tests = 1;
	}
	return node;
}

/* Join a TRUE or FALSE with another tree. The TRUE or FALSE either decides the result or has no effect. */
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
		joint->n_tests = node->n_tests;
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
	joint->n_tests += child->n_tests;
}

struct tw_node *tw_node__join(struct tw_arena *arena, enum tw_node_kind kind, struct tw_node *a, struct tw_node *b)
{
	struct tw_node *next;

	if (!a || !b)
		return NULL;
	if (!a->n_tests)
		return fold(kind, a, b);
	if (!b->n_tests)
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

/* In the whole tree, ANDs become ORs and ORs become ANDs. Therefore no node gets a child of its own kind. */
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

const struct tw_test *tw_walk__next_test(struct tw_walk *walk)
{
	enum tw_walk_at at;

	while ((at = tw_walk__next(walk)) != TW_WALK_END)
		if (at == TW_WALK_LEAF && walk->node->kind == TW_NODE_TEST)
			return walk->node->test;
	return NULL;
}

void tw_branch_walk__init(struct tw_branch_walk *walk, const struct tw_node *root)
{
	*walk = (struct tw_branch_walk){ .walk = tw_walk__on(root), .open = { { TW_BRANCH_TRUE, TW_BRANCH_FALSE } } };
}

/* Return: the branches of a node: those of its parent. But a result that does not decide the parent leads to the next sibling, if any. */
static struct tw_branches branches_of(const struct tw_branch_walk *walk, const struct tw_node *node)
{
	struct tw_branches to = walk->open[walk->depth];

	if (!walk->depth || !node->next)
		return to;
	if (node->parent->kind == TW_NODE_AND)
		to.holds = walk->n + node->n_tests;
	else
		to.fails = walk->n + node->n_tests;
	return to;
}

const struct tw_test *tw_branch_walk__next(struct tw_branch_walk *walk, struct tw_branches *ret)
{
	enum tw_walk_at at;

	while (!walk->too_deep && (at = tw_walk__next(&walk->walk)) != TW_WALK_END) {
		const struct tw_node *node = walk->walk.node;
		const struct tw_branches to = branches_of(walk, node);

		if (at == TW_WALK_LEAF) {
			*ret = node->negated ? (struct tw_branches){ to.fails, to.holds } : to;
			walk->n++;
			return node->test;
		}
		if (at == TW_WALK_OPEN && walk->depth == TW_TREE_DEPTH_MAX)
			walk->too_deep = true;
		else if (at == TW_WALK_OPEN)
			walk->open[++walk->depth] = to;
		else if (at == TW_WALK_CLOSE)
			walk->depth--;
	}
	return NULL;
}
