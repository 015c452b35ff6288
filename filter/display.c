/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One group of events after the other, with `or`. A group says which events it is about, unless its tree can only be true of one:
 * a field's name has its event in it.
 */
#include "filter/display.h"

#include <errno.h>
#include <stdlib.h>

#include "filter/display_test.h"
#include "filter/expression.h"

/* How what was written goes together with more of it. */
enum joint {
	JOINT_NOTHING, /* nothing was written */
	JOINT_ATOM,
	JOINT_AND,
	JOINT_OR,
};

/* How an event is written: by its system if all of that is chosen, else by its name, else by both. */
enum written { BY_SYSTEM, BY_NAME, BY_BOTH };

/* An event, and what it shares with others: its system and its name. */
struct entry {
	const char *text[2];
	uint32_t same[2];   /* the first event with that text */
	uint32_t n[2];      /* of the first ones: how many have it */
	uint32_t chosen[2]; /* and how many of those that are being written */
	bool is_chosen, is_written;
};

struct events {
	const struct tw_groups *groups;
	uint32_t n;
	struct entry *entries;
	uint32_t *list;  /* of those that are written in one way, by index */
	uint32_t *slots; /* event + 1, by the hash of a text */
	uint32_t n_slots;
};

/* Return: the first event with that text. */
static uint32_t intern(struct events *events, unsigned int by, uint32_t at)
{
	const char *text = events->entries[at].text[by];
	uint32_t hash = 2166136261u, i;

	for (const char *c = text; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 16777619u;
	for (i = hash & (events->n_slots - 1); events->slots[i]; i = (i + 1) & (events->n_slots - 1))
		if (!strcmp(events->entries[events->slots[i] - 1].text[by], text))
			return events->slots[i] - 1;
	events->slots[i] = at + 1;
	return at;
}

static void find_shared(struct events *events, unsigned int by)
{
	memset(events->slots, 0, events->n_slots * sizeof(*events->slots));
	for (uint32_t i = 0; i < events->n; i++) {
		events->entries[i].same[by] = intern(events, by, i);
		events->entries[events->entries[i].same[by]].n[by]++;
	}
}

/* Return: 0 or -ENOMEM; events__fini() in either case. */
static int events__init(struct events *events, const struct tw_groups *groups)
{
	*events = (struct events){ .groups = groups, .n = (uint32_t)groups->bound->n_events, .n_slots = 16 };
	while (events->n_slots < 2 * events->n)
		events->n_slots *= 2;
	events->entries = calloc(events->n + 1, sizeof(*events->entries));
	events->list = calloc(events->n + 1, sizeof(*events->list));
	events->slots = calloc(events->n_slots, sizeof(*events->slots));
	if (!events->entries || !events->list || !events->slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < events->n; i++) {
		events->entries[i].text[BY_SYSTEM] = groups->bound->events[i].format->system;
		events->entries[i].text[BY_NAME] = groups->bound->events[i].format->name;
	}
	find_shared(events, BY_SYSTEM);
	find_shared(events, BY_NAME);
	return 0;
}

static void events__fini(struct events *events)
{
	free(events->slots);
	free(events->list);
	free(events->entries);
}

/* Those of a group, or all others of the schema. */
static void choose(struct events *events, uint32_t group, bool others)
{
	for (uint32_t i = 0; i < events->n; i++)
		memset(events->entries[i].chosen, 0, sizeof(events->entries[i].chosen));
	for (uint32_t i = 0; i < events->n; i++) {
		struct entry *entry = &events->entries[i];

		entry->is_chosen = (events->groups->group_of[i] == group + 1) != others;
		events->entries[entry->same[BY_SYSTEM]].chosen[BY_SYSTEM] += entry->is_chosen;
		events->entries[entry->same[BY_NAME]].chosen[BY_NAME] += entry->is_chosen;
	}
}

static enum written written_by(const struct events *events, const struct entry *entry)
{
	const struct entry *system = &events->entries[entry->same[BY_SYSTEM]];
	const struct entry *name = &events->entries[entry->same[BY_NAME]];

	if (system->n[BY_SYSTEM] > 1 && system->chosen[BY_SYSTEM] == system->n[BY_SYSTEM])
		return BY_SYSTEM;
	return name->chosen[BY_NAME] == name->n[BY_NAME] ? BY_NAME : BY_BOTH;
}

/* List the chosen events that are written that way: one for each system, and for each name. Return: how many */
static uint32_t list(struct events *events, enum written by)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < events->n; i++)
		events->entries[i].is_written = false;
	for (uint32_t i = 0; i < events->n; i++) {
		struct entry *entry = &events->entries[i];

		if (!entry->is_chosen || written_by(events, entry) != by)
			continue;
		if (by != BY_BOTH)
			entry = &events->entries[entry->same[by]];
		if (!entry->is_written)
			events->list[n++] = i;
		entry->is_written = true;
	}
	return n;
}

static void put_text(const struct events *events, uint32_t i, enum written by, struct tw_line *line)
{
	const char *text = events->entries[events->list[i]].text[by];

	tw_display__text(line, text, strlen(text));
}

/* `key == "a"` or `key in {"a", "b"}`. Return: whether there was anything to write */
static bool put_set(struct events *events, enum written by, const char *key, bool goes_on, struct tw_line *line)
{
	const uint32_t n = list(events, by);

	if (!n)
		return false;
	tw_line__str(line, goes_on ? " || " : "");
	tw_line__str(line, key);
	tw_line__str(line, n == 1 ? " == " : " in {");
	for (uint32_t i = 0; i < n; i++) {
		tw_line__str(line, i ? ", " : "");
		put_text(events, i, by, line);
	}
	tw_line__str(line, n == 1 ? "" : "}");
	return true;
}

/* Append what is true of the group's events only, or of all others of the schema, if there are any. */
static enum joint put_set_of_events(struct events *events, uint32_t group, bool others, struct tw_line *line)
{
	uint32_t sets, pairs;

	choose(events, group, others);
	sets = put_set(events, BY_SYSTEM, "trace.system", false, line);
	sets += put_set(events, BY_NAME, "trace.event", sets, line);
	pairs = list(events, BY_BOTH);
	for (uint32_t i = 0; i < pairs; i++) {
		tw_line__str(line, sets + i ? " || " : "");
		tw_line__str(line, sets + pairs > 1 ? "(trace.system == " : "trace.system == ");
		put_text(events, i, BY_SYSTEM, line);
		tw_line__str(line, " && trace.event == ");
		put_text(events, i, BY_NAME, line);
		tw_line__str(line, sets + pairs > 1 ? ")" : "");
	}
	if (sets + pairs > 1)
		return JOINT_OR;
	return pairs ? JOINT_AND : sets ? JOINT_ATOM : JOINT_NOTHING;
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
static enum joint put_all_but(struct events *events, uint32_t i, struct tw_line *line)
{
	const struct tw_group *group = &events->groups->groups[i];
	const bool is_told = group->has_unknown && tells(group->root, false);
	const bool has_others = tw_group__knows(group) < events->n;

	if (!is_told)
		tw_line__str(line, group->has_unknown ? "trace.event_id" : "trace.event");
	if (!has_others)
		return is_told ? JOINT_NOTHING : JOINT_ATOM;
	tw_line__str(line, is_told ? "!(" : " && !(");
	put_set_of_events(events, i, true, line);
	tw_line__char(line, ')');
	return is_told ? JOINT_ATOM : JOINT_AND;
}

/* Which events a group is about, unless its text tells that. */
static enum joint put_events(struct events *events, uint32_t i, struct tw_line *line)
{
	const struct tw_group *group = &events->groups->groups[i];
	const size_t n = tw_group__knows(group), n_known = events->n;

	if (tells(group->root, true))
		return JOINT_NOTHING;
	if (group->has_unknown || n == n_known || (n > 16 && n > n_known / 2))
		return put_all_but(events, i, line);
	return put_set_of_events(events, i, false, line);
}

static void put_group(struct events *events, uint32_t i, struct tw_line *line)
{
	const struct tw_groups *g = events->groups;
	const struct tw_group *group = &g->groups[i];
	char *const begin = line->at;
	enum joint joint = put_events(events, i, line);
	char *text;

	if (joint == JOINT_OR && group->len)
		tw_line__wrap(line, begin, "(");
	if (joint != JOINT_NOTHING && group->len)
		tw_line__str(line, " && ");
	text = line->at;
	tw_line__bytes(line, g->pool + group->at, group->len);
	if (joint != JOINT_NOTHING && group->is_joint)
		tw_line__wrap(line, text, "(");
	if (group->len)
		joint = joint != JOINT_NOTHING || group->is_joint || group->is_and ? JOINT_AND : JOINT_ATOM;
	if (joint == JOINT_AND && g->n > 1)
		tw_line__wrap(line, begin, "(");
}

int tw_display__emit(const struct tw_bound *bound, struct tw_line *line, struct tw_error *err)
{
	static const struct tw_expression_style style = {
		.and_text = " && ",
		.or_text = " || ",
		.not_text = "!",
		.nests_ands = true,
		.test = tw_display__test,
	};
	const size_t room = (size_t)(line->end - line->at);
	struct events events = { 0 };
	struct tw_groups groups;
	int error = tw_groups__make(bound, &style, TW_BACK_END_DISPLAY, room, &groups, err);

	if (!error && events__init(&events, &groups))
		error = tw_error__set(err, -ENOMEM, "display: out of memory");
	for (uint32_t i = 0; i < groups.n && !error && !line->cut; i++) {
		tw_line__str(line, i ? " || " : "");
		put_group(&events, i, line);
	}
	if (!error && !groups.n)
		tw_line__str(line, TW_DISPLAY_FALSE);
	if (!error && line->cut)
		error = tw_error__set(err, -E2BIG, "for display this is longer than %zu bytes", room);
	events__fini(&events);
	tw_groups__fini(&groups);
	return error;
}
