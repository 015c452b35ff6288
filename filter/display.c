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

/* What one event shares with others. */
struct entry {
	const char *system, *name;
	uint32_t group;       /* + 1; 0 = none */
	uint32_t same_system; /* the first event of its system, and of its name */
	uint32_t same_name;
	uint32_t in_system, in_name;         /* of the first ones: how many there are */
	uint32_t chosen_system, chosen_name; /* and how many of those in the set that is being written */
	bool written;                        /* its name, there */
};

struct events {
	uint32_t n;
	struct entry *entries;
	uint32_t *slots; /* event + 1, by the hash of a text */
	uint32_t n_slots;
};

/* Return: the first event with that text. */
static uint32_t intern(struct events *events, bool by_system, uint32_t at)
{
	const char *text = by_system ? events->entries[at].system : events->entries[at].name;
	uint32_t hash = 2166136261u, i;

	for (const char *c = text; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 16777619u;
	for (i = hash & (events->n_slots - 1); events->slots[i]; i = (i + 1) & (events->n_slots - 1)) {
		const struct entry *other = &events->entries[events->slots[i] - 1];

		if (!strcmp(by_system ? other->system : other->name, text))
			return events->slots[i] - 1;
	}
	events->slots[i] = at + 1;
	return at;
}

static void find_shared(struct events *events, bool by_system)
{
	memset(events->slots, 0, events->n_slots * sizeof(*events->slots));
	for (uint32_t i = 0; i < events->n; i++) {
		const uint32_t first = intern(events, by_system, i);

		if (by_system) {
			events->entries[i].same_system = first;
			events->entries[first].in_system++;
		} else {
			events->entries[i].same_name = first;
			events->entries[first].in_name++;
		}
	}
}

static void events__free(struct events *events)
{
	if (!events)
		return;
	free(events->slots);
	free(events->entries);
	free(events);
}

static struct events *events__new(const struct tw_groups *groups)
{
	struct events *events = calloc(1, sizeof(*events));

	if (!events)
		return NULL;
	events->n = (uint32_t)groups->bound->n_events;
	for (events->n_slots = 16; events->n_slots < 2 * events->n; events->n_slots *= 2)
		;
	events->entries = calloc(events->n + 1, sizeof(*events->entries));
	events->slots = calloc(events->n_slots, sizeof(*events->slots));
	if (!events->entries || !events->slots) {
		events__free(events);
		return NULL;
	}
	for (uint32_t i = 0; i < events->n; i++) {
		events->entries[i].system = groups->bound->events[i].format->system;
		events->entries[i].name = groups->bound->events[i].format->name;
		events->entries[i].group = groups->group_of[i];
	}
	find_shared(events, true);
	find_shared(events, false);
	return events;
}

/* What is written of an event: its system if all of that is chosen, else its name, else both. */
enum way { BY_SYSTEM, BY_NAME, BY_BOTH };

static enum way way_of(const struct events *events, const struct entry *entry)
{
	const struct entry *system = &events->entries[entry->same_system], *name = &events->entries[entry->same_name];

	if (system->in_system > 1 && system->chosen_system == system->in_system)
		return BY_SYSTEM;
	return name->chosen_name == name->in_name ? BY_NAME : BY_BOTH;
}

static bool is_chosen(const struct entry *entry, uint32_t group, bool others)
{
	return (entry->group == group + 1) != others;
}

static void choose(const struct events *events, uint32_t group, bool others)
{
	for (uint32_t i = 0; i < events->n; i++)
		events->entries[i].chosen_system = events->entries[i].chosen_name = 0;
	for (uint32_t i = 0; i < events->n; i++) {
		const struct entry *entry = &events->entries[i];

		if (!is_chosen(entry, group, others))
			continue;
		events->entries[entry->same_system].chosen_system++;
		events->entries[entry->same_name].chosen_name++;
	}
}

/* What is being written. */
struct writing {
	const struct events *events;
	struct tw_line *line;
	uint32_t group;
	bool others;
	uint32_t alternatives; /* so far */
};

/* The next event from @i on that is to be written that way: one for each system, and for each name. */
static bool next(const struct writing *w, enum way way, uint32_t *i)
{
	for (; *i < w->events->n; ++*i) {
		struct entry *entry = &w->events->entries[*i];

		if (!is_chosen(entry, w->group, w->others) || way_of(w->events, entry) != way)
			continue;
		if (way == BY_SYSTEM && entry->same_system != *i)
			continue;
		if (way == BY_NAME && w->events->entries[entry->same_name].written)
			continue;
		if (way == BY_NAME)
			w->events->entries[entry->same_name].written = true;
		return true;
	}
	return false;
}

static uint32_t count(const struct writing *w, enum way way)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->events->n; i++)
		w->events->entries[i].written = false;
	for (uint32_t i = 0; next(w, way, &i); i++)
		n++;
	for (uint32_t i = 0; i < w->events->n; i++)
		w->events->entries[i].written = false;
	return n;
}

static void put_text(struct tw_line *line, const char *text)
{
	tw_display__text(line, text, strlen(text));
}

/* `key == "a"` or `key in {"a", "b"}` */
static void put_set(struct writing *w, enum way way, const char *key)
{
	const uint32_t n = count(w, way);

	if (!n)
		return;
	tw_line__str(w->line, w->alternatives++ ? " || " : "");
	tw_line__str(w->line, key);
	tw_line__str(w->line, n == 1 ? " == " : " in {");
	for (uint32_t i = 0, put = 0; next(w, way, &i); i++) {
		tw_line__str(w->line, put++ ? ", " : "");
		put_text(w->line, way == BY_SYSTEM ? w->events->entries[i].system : w->events->entries[i].name);
	}
	tw_line__str(w->line, n == 1 ? "" : "}");
}

/* Names that events of other systems have, too. */
static void put_pairs(struct writing *w)
{
	const uint32_t n = count(w, BY_BOTH);
	const bool nests = w->alternatives + n > 1;

	for (uint32_t i = 0; next(w, BY_BOTH, &i); i++) {
		tw_line__str(w->line, w->alternatives++ ? " || " : "");
		tw_line__str(w->line, nests ? "(trace.system == " : "trace.system == ");
		put_text(w->line, w->events->entries[i].system);
		tw_line__str(w->line, " && trace.event == ");
		put_text(w->line, w->events->entries[i].name);
		tw_line__str(w->line, nests ? ")" : "");
	}
}

static enum joint put_set_of_events(const struct events *events, uint32_t group, bool others, struct tw_line *line)
{
	struct writing w = { .events = events, .line = line, .group = group, .others = others };
	uint32_t sets;

	choose(events, group, others);
	put_set(&w, BY_SYSTEM, "trace.system");
	put_set(&w, BY_NAME, "trace.event");
	sets = w.alternatives;
	put_pairs(&w);
	if (w.alternatives > 1)
		return JOINT_OR;
	return !w.alternatives ? JOINT_NOTHING : sets ? JOINT_ATOM : JOINT_AND;
}

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
static enum joint put_all_but(const struct tw_groups *g, struct events *events, uint32_t i, struct tw_line *line)
{
	const struct tw_group *group = &g->groups[i];
	const bool is_told = group->has_unknown && tells(group->root, false);
	const bool has_others = tw_group__knows(group) < g->bound->n_events;

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
static enum joint put_events(const struct tw_groups *g, struct events *events, uint32_t i, struct tw_line *line)
{
	const struct tw_group *group = &g->groups[i];
	const size_t n = tw_group__knows(group), n_known = g->bound->n_events;

	if (tells(group->root, true))
		return JOINT_NOTHING;
	if (group->has_unknown || n == n_known || (n > 16 && n > n_known / 2))
		return put_all_but(g, events, i, line);
	return put_set_of_events(events, i, false, line);
}

static void nest(struct tw_line *line, char *begin)
{
	tw_line__insert(line, begin, "(");
	tw_line__char(line, ')');
}

static void put_group(const struct tw_groups *g, struct events *events, uint32_t i, struct tw_line *line)
{
	const struct tw_group *group = &g->groups[i];
	char *const begin = line->at;
	enum joint joint = put_events(g, events, i, line);
	char *text;

	if (joint == JOINT_OR && group->len)
		nest(line, begin);
	if (joint != JOINT_NOTHING && group->len)
		tw_line__str(line, " && ");
	text = line->at;
	tw_line__bytes(line, g->pool + group->at, group->len);
	if (joint != JOINT_NOTHING && group->is_joint)
		nest(line, text);
	if (group->len)
		joint = joint != JOINT_NOTHING || group->is_joint || group->is_and ? JOINT_AND : JOINT_ATOM;
	if (joint == JOINT_AND && g->n > 1)
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
	struct events *events = NULL;
	struct tw_groups groups;
	int error = tw_groups__make(bound, &style, TW_BACK_END_DISPLAY, room, &groups, err);

	if (!error)
		events = events__new(&groups);
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
	events__free(events);
	tw_groups__fini(&groups);
	return error;
}
