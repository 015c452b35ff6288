/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/display_events.h"

#include <stdlib.h>

#include "filter/wireshark.h"

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

struct tw_display_events {
	uint32_t n;
	struct entry *entries;
	uint32_t *slots; /* event + 1, by the hash of a text */
	uint32_t n_slots;
};

/* Return: the first event with that text. */
static uint32_t intern(struct tw_display_events *events, bool by_system, uint32_t at)
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

static void find_shared(struct tw_display_events *events, bool by_system)
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

struct tw_display_events *tw_display_events__new(const struct tw_groups *groups)
{
	struct tw_display_events *events = calloc(1, sizeof(*events));

	if (!events)
		return NULL;
	events->n = (uint32_t)groups->bound->n_events;
	for (events->n_slots = 16; events->n_slots < 2 * events->n; events->n_slots *= 2)
		;
	events->entries = calloc(events->n + 1, sizeof(*events->entries));
	events->slots = calloc(events->n_slots, sizeof(*events->slots));
	if (!events->entries || !events->slots) {
		tw_display_events__free(events);
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

void tw_display_events__free(struct tw_display_events *events)
{
	if (!events)
		return;
	free(events->slots);
	free(events->entries);
	free(events);
}

/* What is written of an event: its system if all of that is chosen, else its name, else both. */
enum way { BY_SYSTEM, BY_NAME, BY_BOTH };

static enum way way_of(const struct tw_display_events *events, const struct entry *entry)
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

static void choose(const struct tw_display_events *events, uint32_t group, bool others)
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
	const struct tw_display_events *events;
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
	tw_wireshark__text(line, text, strlen(text));
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

enum tw_joint tw_display_events__emit(const struct tw_display_events *events, uint32_t group, bool others,
				      struct tw_line *line)
{
	struct writing w = { .events = events, .line = line, .group = group, .others = others };
	uint32_t sets;

	choose(events, group, others);
	put_set(&w, BY_SYSTEM, "trace.system");
	put_set(&w, BY_NAME, "trace.event");
	sets = w.alternatives;
	put_pairs(&w);
	if (w.alternatives > 1)
		return TW_JOINT_OR;
	return !w.alternatives ? TW_JOINT_NOTHING : sets ? TW_JOINT_ATOM : TW_JOINT_AND;
}
