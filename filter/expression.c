/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/expression.h"

#include <errno.h>
#include <stdlib.h>

void tw_line__insert(struct tw_line *line, char *at, const char *text)
{
	const size_t len = strlen(text);

	if (len > (size_t)(line->end - line->at)) {
		line->cut = true;
		return;
	}
	memmove(at + len, at, (size_t)(line->at - at));
	line->at += len;
	while (*text)
		*at++ = *text++;
}

void tw_line__wrap(struct tw_line *line, char *begin, const char *open)
{
	tw_line__insert(line, begin, open);
	tw_line__char(line, ')');
}

/*
 * Append a test with its negation, in parentheses if the test needs them. @alone: the tree has no other test
 * Return: whether the appended text needs parentheses in a larger expression.
 */
static bool write_leaf(const struct tw_expression_style *style, const struct tw_format *format,
		       const struct tw_node *node, bool alone, struct tw_line *line)
{
	char *const begin = line->at;
	const bool is_joint = style->test(format, node->test, line);

	if (!node->negated && (alone || !is_joint))
		return is_joint;
	tw_line__wrap(line, begin, "(");
	if (node->negated)
		tw_line__insert(line, begin, style->not_text);
	return false;
}

bool tw_expression__write(const struct tw_expression_style *style, const struct tw_format *format,
			  const struct tw_node *root, struct tw_line *line)
{
	struct tw_walk walk = tw_walk__on(root);
	bool is_joint = root->kind == TW_NODE_OR;
	enum tw_walk_at at;

	while ((at = tw_walk__next(&walk)) != TW_WALK_END && !line->cut) {
		if (at == TW_WALK_LEAF)
			is_joint |= write_leaf(style, format, walk.node, walk.node == root, line);
		else if (at == TW_WALK_BETWEEN)
			tw_line__str(line, walk.node->kind == TW_NODE_AND ? style->and_text : style->or_text);
		else if (walk.node != root && (walk.node->kind == TW_NODE_OR || style->nests_ands))
			tw_line__char(line, at == TW_WALK_OPEN ? '(' : ')');
	}
	return is_joint;
}

static uint32_t *slot_of(struct tw_groups *g, const char *text, uint32_t len)
{
	uint32_t hash = 2166136261u, i;

	for (uint32_t c = 0; c < len; c++)
		hash = (hash ^ (uint8_t)text[c]) * 16777619u;
	for (i = hash & (g->n_slots - 1); g->slots[i]; i = (i + 1) & (g->n_slots - 1)) {
		const struct tw_group *group = &g->groups[g->slots[i] - 1];

		if (group->len == len && !memcmp(g->pool + group->at, text, len))
			break;
	}
	return &g->slots[i];
}

/* Find or make the group whose text is the last text of the pool, from @begin on. Return: index of the group + 1. */
static uint32_t group_of_text(struct tw_groups *g, const char *begin, const struct tw_node *root, bool is_joint)
{
	const uint32_t len = (uint32_t)(g->text.at - begin);
	uint32_t *slot = slot_of(g, begin, len);

	if (*slot) {
		g->text.at -= len;
		return *slot;
	}
	g->groups[g->n] = (struct tw_group){
		.at = (uint32_t)(begin - g->pool),
		.len = len,
		.is_joint = is_joint,
		.is_and = root->kind == TW_NODE_AND,
		.root = root,
	};
	return *slot = ++g->n;
}

/* Add event @i to its group; @i = n_events stands for the events that the schema does not have. */
static void add_event(struct tw_groups *g, const struct tw_expression_style *style, uint32_t i)
{
	const bool is_known = i < g->bound->n_events;
	const struct tw_node *root = is_known ? g->bound->events[i].root : g->bound->unknown;
	const struct tw_format *format = is_known ? g->bound->events[i].format : NULL;
	const char *begin = g->text.at;
	bool is_joint = false;
	struct tw_group *group;

	if (root->kind == TW_NODE_FALSE)
		return;
	if (root->kind != TW_NODE_TRUE)
		is_joint = tw_expression__write(style, format, root, &g->text);
	g->group_of[i] = group_of_text(g, begin, root, is_joint);
	group = &g->groups[g->group_of[i] - 1];
	group->n++;
	group->has_unknown |= !is_known;
}

static int add_events(struct tw_groups *g, const struct tw_expression_style *style, enum tw_back_end back_end,
		      struct tw_error *error)
{
	const struct tw_bound *bound = g->bound;
	int err = 0;

	for (uint32_t i = 0; i < bound->n_events && !err && !g->text.cut; i++) {
		err = tw_bound__check(bound, bound->events[i].root, back_end, error);
		if (!err)
			add_event(g, style, i);
	}
	if (!err)
		err = tw_bound__check(bound, bound->unknown, back_end, error);
	if (!err)
		add_event(g, style, (uint32_t)bound->n_events);
	return err;
}

int tw_groups__make(const struct tw_bound *bound, const struct tw_expression_style *style, enum tw_back_end back_end,
		    size_t room, struct tw_groups *ret, struct tw_error *error)
{
	const size_t n = bound->n_events + 1;
	int err;

	*ret = (struct tw_groups){ .bound = bound, .n_slots = 16 };
	while (ret->n_slots < 2 * n)
		ret->n_slots *= 2;
	ret->pool = malloc(room + 1);
	ret->groups = calloc(n, sizeof(*ret->groups));
	ret->group_of = calloc(n, sizeof(*ret->group_of));
	ret->slots = calloc(ret->n_slots, sizeof(*ret->slots));
	if (!ret->pool || !ret->groups || !ret->group_of || !ret->slots)
		return tw_error__set(error, -ENOMEM, "%s: out of memory while the filter is translated",
				     tw_back_end__name(back_end));
	ret->text = tw_line__on(ret->pool, room);
	err = add_events(ret, style, back_end, error);
	if (!err && ret->text.cut)
		err = tw_error__set(
			error, -E2BIG,
			"the expression is too long for the back end %s: its translation needs more than %zu bytes",
			tw_back_end__name(back_end), room);
	return err;
}

void tw_groups__fini(struct tw_groups *groups)
{
	free(groups->slots);
	free(groups->group_of);
	free(groups->groups);
	free(groups->pool);
}

bool tw_groups__next_ids(const struct tw_groups *groups, uint32_t group, bool others, size_t *at, uint16_t *ret_first,
			 uint16_t *ret_last)
{
	const struct tw_bound *bound = groups->bound;
	bool found = false;

	for (; *at < bound->n_events; (*at)++) {
		const uint16_t id = bound->events[*at].format->id;
		const bool is_one = (groups->group_of[*at] == group + 1) != others;

		if (found && (!is_one || id != *ret_last + 1))
			break;
		if (is_one && !found)
			*ret_first = id;
		if (is_one)
			*ret_last = id;
		found |= is_one;
	}
	return found;
}
