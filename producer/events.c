/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/events.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/event_pattern.h"
#include "base/line.h"
#include "base/nearest.h"
#include "producer/sockets/formats.h"
#include "producer/tracing_dir.h"

#define PART_MIN  3 /* shortest word to search for in names, bytes; too many names contain a shorter word */
#define NAMED_MAX 3 /* limit of events in a suggestion */

static int compare(const void *a, const void *b)
{
	const struct tw_event_name *x = a, *y = b;
	const int by_system = strcmp(x->system, y->system);

	return by_system ? by_system : strcmp(x->name, y->name);
}

enum tw_sockts_event tw_event_name__socket_event(const struct tw_event_name *event)
{
	return strcmp(event->system, TW_SOCKTS_SYSTEM) != 0 ? TW_SOCKTS_EVENTS : tw_sockts__find(event->name);
}

/* Appends an event without looking for duplicates. */
static int append(struct tw_event_list *list, const char *system, const char *name)
{
	struct tw_event_name *names = reallocarray(list->names, list->n + 1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	list->names = names;
	names += list->n;
	names->system = strdup(system);
	names->name = strdup(name);
	if (!names->system || !names->name) {
		free(names->system);
		free(names->name);
		return -ENOMEM;
	}
	list->n++;
	return 0;
}

static void cut(struct tw_event_list *list, size_t n)
{
	while (list->n > n) {
		list->n--;
		free(list->names[list->n].system);
		free(list->names[list->n].name);
	}
}

void tw_event_list__fini(struct tw_event_list *list)
{
	cut(list, 0);
	free(list->names);
	list->names = NULL;
}

/* Parses available_events: one event a line, "system:name". */
static int parse_available(char *text, struct tw_event_list *list)
{
	char *save, *name;
	int err;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		name = strchr(line, ':');
		if (!name)
			continue;
		*name++ = '\0';
		err = append(list, line, name);
		if (err)
			return err;
	}
	return 0;
}

static void sort(struct tw_event_list *list)
{
	if (list->n)
		qsort(list->names, list->n, sizeof(*list->names), compare);
}

static int add_socket_events(struct tw_event_list *list)
{
	int err = 0;

	for (enum tw_sockts_event event = 0; event < TW_SOCKTS_EVENTS && !err; event++)
		err = append(list, TW_SOCKTS_SYSTEM, tw_sockts__name(event));
	return err;
}

int tw_event_list__read(const char *tracing_dir, struct tw_event_list *ret, struct tw_error *error)
{
	struct tw_event_list list = { 0 };
	char *text;
	int err = tw_tracing_file__read(tracing_dir, "available_events", &text, error);

	if (err)
		return err;
	err = parse_available(text, &list);
	free(text);
	if (!err)
		err = add_socket_events(&list);
	if (err) {
		tw_event_list__fini(&list);
		return tw_error__set(error, err, "no memory for the list of events");
	}
	sort(&list);
	*ret = list;
	return 0;
}

int tw_event_format__read(const char *tracing_dir, const char *system, const char *name, char **ret,
			  struct tw_error *error)
{
	char path[PATH_MAX];
	int err;

	if (!strcmp(system, TW_SOCKTS_SYSTEM) && tw_sockts__find(name) < TW_SOCKTS_EVENTS) {
		err = tw_sockts_format__make(tracing_dir, tw_sockts__find(name), ret);
		return err ? tw_error__set(error, err, "no memory for the format of %s:%s", system, name) : 0;
	}
	snprintf(path, sizeof(path), "events/%s/%s/format", system, name);
	return tw_tracing_file__read(tracing_dir, path, ret, error);
}

/*
 * Whether a pattern selects an event. Socket events cost BPF programs, so a pattern with wildcards, which selects them only by the way, does
 * not select them: it has to name the system `sockts`.
 */
static bool selects(const char *pattern, const struct tw_event_name *event)
{
	const size_t first = strcspn(pattern, ":/");

	if (!tw_event_pattern__matches(pattern, strlen(pattern), event->system, event->name))
		return false;
	return strcmp(event->system, TW_SOCKTS_SYSTEM) != 0 ||
	       (first && strcspn(pattern, "*?[") >= first && strcmp(pattern, "all") != 0);
}

/*
 * Whether @event is one of the first @n events of @list. These are the events of earlier patterns: the current pattern cannot add an event
 * twice.
 */
static bool contains(const struct tw_event_list *list, size_t n, const struct tw_event_name *event)
{
	for (size_t i = 0; i < n; i++)
		if (!compare(&list->names[i], event))
			return true;
	return false;
}

/*
 * Makes a pattern that matches all names which contain the event part of @pattern: "*softirq*" from "softirq", "irq:*softirq*" from
 * "irq:softirq".
 * Return: false if the event part is too short, or the result too long
 */
static bool widen(const char *pattern, char *ret, size_t size)
{
	const size_t separator = strcspn(pattern, ":/");
	const char *event = pattern[separator] ? pattern + separator + 1 : pattern;
	const int len = snprintf(ret, size, "%.*s*%s*", (int)(event - pattern), pattern, event);

	return strlen(event) >= PART_MIN && (size_t)len < size;
}

/* Writes the first events that @pattern matches: "irq:softirq_entry or irq:softirq_exit". Return: the number of all matching events */
static size_t list_matches(const struct tw_event_list *all, const char *pattern, struct tw_line *line)
{
	const struct tw_event_name *named[NAMED_MAX];
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct tw_event_name *event = &all->names[i];

		if (!selects(pattern, event))
			continue;
		if (n < NAMED_MAX)
			named[n] = event;
		n++;
	}
	for (size_t i = 0; i < n && i < NAMED_MAX; i++) {
		tw_line__str(line, !i ? "" : i + 1 == n ? " or " : ", ");
		tw_line__str(line, named[i]->system);
		tw_line__char(line, ':');
		tw_line__str(line, named[i]->name);
	}
	if (n > NAMED_MAX) {
		tw_line__str(line, " or ");
		tw_line__u64(line, n - NAMED_MAX);
		tw_line__str(line, n - NAMED_MAX == 1 ? " other" : " others");
	}
	return n;
}

/* Fills @error with the events whose names contain @pattern. Return: whether there are any */
static bool suggest_containing(const struct tw_event_list *all, const char *pattern, struct tw_error *error)
{
	char wide[TW_NEAREST_WORD_MAX], list[256];
	struct tw_line line = tw_line__on(list, sizeof(list));
	const size_t n = widen(pattern, wide, sizeof(wide)) ? list_matches(all, wide, &line) : 0;
	const int len = (int)tw_line__len(&line);

	if (n == 1)
		tw_error__set(error, 0, "no event '%s'; did you mean %.*s?", pattern, len, list);
	else if (n)
		tw_error__set(error, 0, "no event '%s'; did you mean %.*s? '%s' selects all of them", pattern, len,
			      list, wide);
	return n;
}

/* If @pattern matches only socket events, fills @error. Return: whether it does */
static bool suggest_socket_event(const struct tw_event_list *all, const char *pattern, struct tw_error *error)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct tw_event_name *event = &all->names[i];

		if (!tw_event_pattern__matches(pattern, strlen(pattern), event->system, event->name))
			continue;
		tw_error__set(
			error, 0,
			"'%s' selects no event: name the system of socket events, as in %s:%s, because wildcards do not "
			"select it",
			pattern, event->system, event->name);
		return true;
	}
	return false;
}

/* Fills @error with a suggestion for @pattern. */
static int unknown(const struct tw_event_list *all, const char *pattern, struct tw_error *error)
{
	struct tw_event_suggestion suggestion;

	if (suggest_socket_event(all, pattern, error))
		return -ENOENT;
	tw_event_suggestion__init(&suggestion, pattern, strlen(pattern));
	for (size_t i = 0; i < all->n; i++)
		tw_event_suggestion__offer(&suggestion, all->names[i].system, all->names[i].name);
	if (*suggestion.best)
		return tw_error__set(error, -ENOENT, "no event '%s'; did you mean %s?", pattern, suggestion.best);
	if (suggest_containing(all, pattern, error))
		return -ENOENT;
	return tw_error__set(error, -ENOENT, "no event '%s'; `tracewire list` shows all events of this kernel",
			     pattern);
}

static int select_one(struct tw_event_list *list, const struct tw_event_list *all, const char *pattern,
		      struct tw_error *error)
{
	const size_t old = list->n;
	bool found = false;
	int err;

	for (size_t i = 0; i < all->n; i++) {
		const struct tw_event_name *event = &all->names[i];

		if (!selects(pattern, event))
			continue;
		found = true;
		if (contains(list, old, event))
			continue;
		err = append(list, event->system, event->name);
		if (err)
			return tw_error__set(error, err, "no memory for the list of events");
	}
	return found ? 0 : unknown(all, pattern, error);
}

int tw_event_list__select(struct tw_event_list *list, const struct tw_event_list *all, const char *spec,
			  struct tw_error *error)
{
	const size_t old = list->n;
	char *text = strdup(spec), *save;
	int err = 0;

	if (!text)
		err = tw_error__set(error, -ENOMEM, "no memory for the list of events");
	else if (!spec[strspn(spec, ", \t")])
		err = tw_error__set(error, -ENOENT,
				    "no event is named; `tracewire list` shows all events of this kernel");
	for (char *part = err ? NULL : strtok_r(text, ", \t", &save); part && !err;
	     part = strtok_r(NULL, ", \t", &save))
		err = select_one(list, all, part, error);
	if (err)
		cut(list, old);
	free(text);
	return err;
}

/*
 * Hashes (FNV-1a) the names of all events, and the definitions of dynamic events. A dynamic event that is defined again can have another
 * format under the same name.
 */
static uint64_t take_fingerprint(const char *tracing_dir)
{
	static const char *const files[] = { "available_events", "dynamic_events" };
	uint64_t hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *text;

		if (tw_tracing_file__read(tracing_dir, files[i], &text, NULL))
			continue;
		for (const char *at = text; *at; at++)
			hash = (hash ^ (uint8_t)*at) * 0x100000001b3ull;
		free(text);
	}
	return hash;
}

/* If request @i has a filter, assigns all events that it selects to request @i, including those that an earlier request has selected. */
static void take_over(struct tw_selection *sel, const struct tw_event_list *all, size_t i)
{
	struct tw_event_list mine = { 0 };

	if (!sel->wanted[i].filter || tw_event_list__select(&mine, all, sel->wanted[i].spec, NULL))
		return;
	sort(&mine);
	for (size_t k = 0; k < sel->events.n; k++)
		if (mine.n && bsearch(&sel->events.names[k], mine.names, mine.n, sizeof(*mine.names), compare))
			sel->request[k] = i;
	tw_event_list__fini(&mine);
}

/* Assigns the newly added events to request @i. */
static int note_request(struct tw_selection *sel, const struct tw_event_list *all, size_t i, struct tw_error *error)
{
	size_t *request = realloc(sel->request, (sel->events.n + 1) * sizeof(*request));

	if (!request)
		return tw_error__set(error, -ENOMEM, "out of memory");
	sel->request = request;
	while (sel->n_requests < sel->events.n)
		sel->request[sel->n_requests++] = i;
	take_over(sel, all, i);
	return 0;
}

static int select_all(struct tw_selection *sel, struct tw_error *error)
{
	struct tw_event_list all = { 0 };
	int err = tw_event_list__read(sel->tracing_dir, &all, error);

	for (size_t i = 0; i < sel->n_wanted && !err; i++) {
		err = tw_event_list__select(&sel->events, &all, sel->wanted[i].spec, error);
		if (!err)
			err = note_request(sel, &all, i, error);
	}
	tw_event_list__fini(&all);
	return err;
}

int tw_selection__init(struct tw_selection *sel, const char *tracing_dir, const struct tw_event_request *wanted,
		       size_t n, struct tw_error *error)
{
	int err;

	*sel = (struct tw_selection){ .tracing_dir = tracing_dir, .wanted = wanted, .n_wanted = n };
	sel->fingerprint = take_fingerprint(tracing_dir);
	err = select_all(sel, error);
	if (err)
		tw_selection__fini(sel);
	return err;
}

const char *tw_selection__filter(const struct tw_selection *sel, size_t i)
{
	return sel->wanted[sel->request[i]].filter;
}

/* Resolves request @i again. Items that select no event are skipped, because their events may have been removed. */
static void select_what_there_is(struct tw_selection *sel, const struct tw_event_list *all, size_t i)
{
	char *text = strdup(sel->wanted[i].spec), *save = NULL;

	for (char *part = text ? strtok_r(text, ", \t", &save) : NULL; part; part = strtok_r(NULL, ", \t", &save))
		tw_event_list__select(&sel->events, all, part, NULL);
	note_request(sel, all, i, NULL);
	free(text);
}

bool tw_selection__renew(struct tw_selection *sel)
{
	const uint64_t fingerprint = take_fingerprint(sel->tracing_dir);
	struct tw_event_list all = { 0 };

	if (fingerprint == sel->fingerprint)
		return false;
	sel->fingerprint = fingerprint;
	if (tw_event_list__read(sel->tracing_dir, &all, NULL))
		return true;
	for (size_t i = 0; i < sel->n_wanted; i++)
		select_what_there_is(sel, &all, i);
	tw_event_list__fini(&all);
	return true;
}

void tw_selection__fini(struct tw_selection *sel)
{
	tw_event_list__fini(&sel->events);
	free(sel->request);
	sel->request = NULL;
	sel->n_requests = 0;
}
