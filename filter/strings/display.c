/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bound filter has a tree for each event; Wireshark wants one expression. Events with the same text of a tree are a group; a group
 * says which events it is about, unless its tree can only be true of one: a field's name has its event in it. What is left is
 * one group after the other, with `or`.
 */
#include "filter/display.h"

#include <errno.h>
#include <stdlib.h>

#include "filter/strings/display_events.h"
#include "filter/strings/display_test.h"
#include "filter/strings/expression.h"

struct group {
	uint32_t at, len; /* its text in the pool; none if its events match whatever they hold */
	uint32_t n;       /* events */
	bool is_joint;    /* the text needs parentheses behind an `and` */
	bool is_and;      /* and in front of an `or` */
	bool tells_event; /* no other event than its own can match */
	bool tells_any;   /* nothing that is no event can */
};

struct groups {
	const struct tw_bound *bound;
	struct tw_display_events *events;
	char *pool;
	struct tw_line text; /* on the pool */
	struct group *groups;
	uint32_t n;
	uint32_t *slots; /* group + 1 by the hash of its text */
	uint32_t n_slots;
};

static bool put_test(const void *format, const struct tw_test *test, struct tw_line *line)
{
	return tw_display__test(format, test, line);
}

/* Whether a tree can be true only where some field of that kind is there. */
static bool tells(const struct tw_node *root, bool wants_field)
{
	bool found[TW_FILTER_DEPTH_MAX * 2 + 2] = { false };
	unsigned int depth = 0;
	struct tw_walk walk = tw_walk__on(root);
	enum tw_walk_at at;

	/* Of an AND one child is enough, of an OR all have to; found[] is of the children so far. */
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

static uint32_t *slot_of(struct groups *g, const char *text, uint32_t len)
{
	uint32_t hash = 2166136261u, i;

	for (uint32_t c = 0; c < len; c++)
		hash = (hash ^ (uint8_t)text[c]) * 16777619u;
	for (i = hash & (g->n_slots - 1); g->slots[i]; i = (i + 1) & (g->n_slots - 1)) {
		const struct group *group = &g->groups[g->slots[i] - 1];

		if (group->len == len && !memcmp(g->pool + group->at, text, len))
			break;
	}
	return &g->slots[i];
}

/* Put an event, or NULL for those that the schema does not know, where others with its tree are. */
static void add_event(struct groups *g, const struct tw_node *root, const struct tw_format *format, uint32_t i)
{
	const struct tw_expression_style style = {
		.and = " && ",
		.or = " || ",
		.not = "!",
		.nests_ands = true,
		.test = put_test,
		.ctx = format,
	};
	char *const begin = g->text.at;
	bool is_joint = false;
	uint32_t *slot, len;

	if (root->kind == TW_NODE_FALSE)
		return;
	if (root->kind != TW_NODE_TRUE)
		is_joint = tw_expression__write(&style, root, &g->text);
	len = (uint32_t)(g->text.at - begin);
	slot = slot_of(g, begin, len);
	if (!*slot) {
		g->groups[g->n] = (struct group){
			.at = (uint32_t)(begin - g->pool),
			.len = len,
			.is_joint = is_joint,
			.is_and = root->kind == TW_NODE_AND,
			.tells_event = root->kind != TW_NODE_TRUE && tells(root, true),
			.tells_any = root->kind != TW_NODE_TRUE && tells(root, false),
		};
		*slot = ++g->n;
	} else {
		g->text.at = begin;
	}
	g->groups[*slot - 1].n++;
	tw_display_events__put(g->events, i, *slot - 1);
}

/* All but others, where that is shorter, or where those are meant that the schema does not know. */
static enum tw_joint put_all_but(const struct groups *g, uint32_t i, bool has_unknown, struct tw_line *line)
{
	const char *all = has_unknown ? "trace.event_id" : "trace.event";
	const bool is_told = has_unknown && g->groups[i].tells_any;
	const bool has_others = g->groups[i].n - has_unknown < g->bound->n_events;

	if (!is_told)
		tw_line__str(line, all);
	if (!has_others)
		return is_told ? TW_JOINT_NOTHING : TW_JOINT_ATOM;
	tw_line__str(line, is_told ? "!(" : " && !(");
	tw_display_events__emit(g->events, i, true, line);
	tw_line__char(line, ')');
	return is_told ? TW_JOINT_ATOM : TW_JOINT_AND;
}

/* Which events a group is about, unless its text tells that. */
static enum tw_joint put_events(const struct groups *g, uint32_t i, struct tw_line *line)
{
	const bool has_unknown = tw_display_events__has_unknown(g->events, i);
	const size_t n = g->groups[i].n - has_unknown, n_known = g->bound->n_events;

	if (g->groups[i].tells_event)
		return TW_JOINT_NOTHING;
	if (has_unknown || n == n_known || (n > 16 && n > n_known / 2))
		return put_all_but(g, i, has_unknown, line);
	return tw_display_events__emit(g->events, i, false, line);
}

static void nest(struct tw_line *line, char *begin)
{
	tw_line__insert(line, begin, "(");
	tw_line__char(line, ')');
}

static void put_group(const struct groups *g, uint32_t i, struct tw_line *line)
{
	const struct group *group = &g->groups[i];
	char *const begin = line->at;
	enum tw_joint joint = put_events(g, i, line);
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

static int collect(struct groups *g, struct tw_error *err)
{
	const struct tw_bound *bound = g->bound;
	int error = 0;

	for (size_t i = 0; i < bound->n_events && !error && !g->text.cut; i++) {
		error = tw_bound__check(bound, bound->events[i].root, tw_display__refuses, "display", err);
		if (!error)
			add_event(g, bound->events[i].root, bound->events[i].format, (uint32_t)i);
	}
	if (!error)
		error = tw_bound__check(bound, bound->unknown, tw_display__refuses, "display", err);
	if (!error)
		add_event(g, bound->unknown, NULL, (uint32_t)bound->n_events);
	return error;
}

static int make(struct groups *g, size_t room, struct tw_error *err)
{
	const size_t n = g->bound->n_events + 1;

	for (g->n_slots = 16; g->n_slots < 2 * n; g->n_slots *= 2)
		;
	g->pool = malloc(room + 1);
	g->groups = calloc(n, sizeof(*g->groups));
	g->slots = calloc(g->n_slots, sizeof(*g->slots));
	g->events = tw_display_events__new(g->bound);
	if (!g->pool || !g->groups || !g->slots || !g->events)
		return tw_error__set(err, -ENOMEM, "display: out of memory");
	g->text = tw_line__on(g->pool, room);
	return collect(g, err);
}

int tw_display__emit(const struct tw_bound *bound, struct tw_line *line, struct tw_error *err)
{
	struct groups g = { .bound = bound };
	int error = make(&g, (size_t)(line->end - line->at), err);

	for (uint32_t i = 0; i < g.n && !error && !line->cut; i++) {
		if (i)
			tw_line__str(line, " || ");
		put_group(&g, i, line);
	}
	if (!error && !g.n)
		tw_line__str(line, TW_DISPLAY_FALSE);
	if (!error && (line->cut || g.text.cut))
		error = tw_error__set(err, -E2BIG, "as a display filter this is longer than %zu bytes",
				      (size_t)(line->end - line->text));
	tw_display_events__free(g.events);
	free(g.slots);
	free(g.groups);
	free(g.pool);
	return error;
}
