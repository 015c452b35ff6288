/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One group of events after the other, with `or`. A group says which events it is about, unless its tree can only be true of one:
 * a field's name has its event in it.
 */
#include "filter/display.h"

#include <errno.h>

#include "filter/display_events.h"
#include "filter/display_test.h"

static bool put_test(const void *format, const struct tw_test *test, struct tw_line *line)
{
	return tw_display__test(format, test, line);
}

/* Whether a tree can be true only where some field of that kind is there. */
static bool tells(const struct tw_node *root, bool wants_field)
{
	/* Of an AND one child is enough, of an OR all have to; this is of the children so far. */
	bool found[TW_FILTER_DEPTH_MAX * 2 + 2] = { false };
	unsigned int depth = 0;
	struct tw_walk walk = tw_walk__on(root);
	enum tw_walk_at at;

	while ((at = tw_walk__next(&walk)) != TW_WALK_END) {
		const struct tw_node *parent = walk.node->parent;
		bool is;

		if (at == TW_WALK_OPEN) {
			if (++depth == sizeof(found) / sizeof(found[0]))
				return false;
			found[depth] = walk.node->kind == TW_NODE_OR;
			continue;
		}
		if (at == TW_WALK_BETWEEN)
			continue;
		if (at == TW_WALK_CLOSE)
			is = found[depth--];
		else
			is = walk.node->kind == TW_NODE_TEST && !walk.node->negated &&
			     (!wants_field || walk.node->test->operand == TW_ON_FIELD);
		if (walk.node == root)
			return is;
		if (parent->kind == TW_NODE_AND)
			found[depth] |= is;
		else
			found[depth] &= is;
	}
	return false;
}

/* All but others, where that is shorter, or where those are meant that the schema does not know. */
static enum tw_joint put_all_but(const struct tw_groups *g, struct tw_display_events *events, uint32_t i,
				 struct tw_line *line)
{
	const struct tw_group *group = &g->groups[i];
	const bool is_told = group->has_unknown && tells(group->root, false);
	const bool has_others = tw_group__knows(group) < g->bound->n_events;

	if (!is_told)
		tw_line__str(line, group->has_unknown ? "trace.event_id" : "trace.event");
	if (!has_others)
		return is_told ? TW_JOINT_NOTHING : TW_JOINT_ATOM;
	tw_line__str(line, is_told ? "!(" : " && !(");
	tw_display_events__emit(events, i, true, line);
	tw_line__char(line, ')');
	return is_told ? TW_JOINT_ATOM : TW_JOINT_AND;
}

/* Which events a group is about, unless its text tells that. */
static enum tw_joint put_events(const struct tw_groups *g, struct tw_display_events *events, uint32_t i,
				struct tw_line *line)
{
	const struct tw_group *group = &g->groups[i];
	const size_t n = tw_group__knows(group), n_known = g->bound->n_events;

	if (tells(group->root, true))
		return TW_JOINT_NOTHING;
	if (group->has_unknown || n == n_known || (n > 16 && n > n_known / 2))
		return put_all_but(g, events, i, line);
	return tw_display_events__emit(events, i, false, line);
}

static void nest(struct tw_line *line, char *begin)
{
	tw_line__insert(line, begin, "(");
	tw_line__char(line, ')');
}

static void put_group(const struct tw_groups *g, struct tw_display_events *events, uint32_t i, struct tw_line *line)
{
	const struct tw_group *group = &g->groups[i];
	char *const begin = line->at;
	enum tw_joint joint = put_events(g, events, i, line);
	char *text;

	if (joint == TW_JOINT_OR && group->len)
		nest(line, begin);
	if (joint != TW_JOINT_NOTHING && group->len)
		tw_line__str(line, " && ");
	text = line->at;
	tw_line__bytes(line, g->pool + group->at, group->len);
	if (joint != TW_JOINT_NOTHING && group->is_joint)
		nest(line, text);
	if (group->len)
		joint = joint != TW_JOINT_NOTHING || group->is_joint || group->is_and ? TW_JOINT_AND : TW_JOINT_ATOM;
	if (joint == TW_JOINT_AND && g->n > 1)
		nest(line, begin);
}

int tw_display__emit(const struct tw_bound *bound, struct tw_line *line, struct tw_error *err)
{
	static const struct tw_expression_style style = {
		.and = " && ",
		.or = " || ",
		.not = "!",
		.nests_ands = true,
		.test = put_test,
	};
	const size_t room = (size_t)(line->end - line->at);
	struct tw_display_events *events = NULL;
	struct tw_groups groups;
	int error = tw_groups__make(bound, &style, tw_display__refuses, "display", room, &groups, err);

	if (!error)
		events = tw_display_events__new(&groups);
	if (!error && !events)
		error = tw_error__set(err, -ENOMEM, "display: out of memory");
	for (uint32_t i = 0; i < groups.n && !error && !line->cut; i++) {
		tw_line__str(line, i ? " || " : "");
		put_group(&groups, events, i, line);
	}
	if (!error && !groups.n)
		tw_line__str(line, TW_DISPLAY_FALSE);
	if (!error && line->cut)
		error = tw_error__set(err, -E2BIG, "for display this is longer than %zu bytes", room);
	tw_display_events__free(events);
	tw_groups__fini(&groups);
	return error;
}
