/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/events.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/event_pattern.h"
#include "base/nearest.h"
#include "producer/tracing_dir.h"

static int compare(const void *a, const void *b)
{
	const struct tw_event_name *x = a, *y = b;
	const int by_system = strcmp(x->system, y->system);

	return by_system ? by_system : strcmp(x->name, y->name);
}

/* Append without looking for doubles. */
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

/* One line a event, "system:name". */
static int parse_available(char *text, struct tw_event_list *list)
{
	char *save, *name;
	int error;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		name = strchr(line, ':');
		if (!name)
			continue;
		*name++ = '\0';
		error = append(list, line, name);
		if (error)
			return error;
	}
	return 0;
}

void tw_event_list__sort(struct tw_event_list *list)
{
	if (list->n)
		qsort(list->names, list->n, sizeof(*list->names), compare);
}

bool tw_event_list__has(const struct tw_event_list *list, const struct tw_event_name *event)
{
	return list->n && bsearch(event, list->names, list->n, sizeof(*list->names), compare);
}

int tw_event_list__read(const char *tracing_dir, struct tw_event_list *ret, struct tw_error *err)
{
	struct tw_event_list list = { 0 };
	char *text;
	int error = tw_tracing_file__read(tracing_dir, "available_events", &text, err);

	if (error)
		return error;
	error = parse_available(text, &list);
	free(text);
	if (error) {
		tw_event_list__fini(&list);
		return tw_error__set(err, error, "no memory for the list of events");
	}
	tw_event_list__sort(&list);
	*ret = list;
	return 0;
}

/* Among the first @n: what one pattern selects has no doubles in itself. */
static bool contains(const struct tw_event_list *list, size_t n, const struct tw_event_name *event)
{
	for (size_t i = 0; i < n; i++)
		if (!compare(&list->names[i], event))
			return true;
	return false;
}

/* Name what @pattern may have meant: a whole "system:name", or for a bare word a system or an event. */
static int unknown(const struct tw_event_list *all, const char *pattern, struct tw_error *err)
{
	char best[2 * TW_NEAREST_WORD_MAX] = "", full[2 * TW_NEAREST_WORD_MAX];
	const bool bare = tw_event_pattern__is_bare(pattern, strlen(pattern));
	struct tw_nearest nearest;

	tw_nearest__init(&nearest, pattern);
	for (size_t i = 0; i < all->n; i++) {
		snprintf(full, sizeof(full), "%s:%s", all->names[i].system, all->names[i].name);
		tw_nearest__offer(&nearest, bare ? all->names[i].system : full);
		tw_nearest__offer(&nearest, bare ? all->names[i].name : NULL);
		if (nearest.best == full)
			nearest.best = strcpy(best, full);
	}
	if (nearest.best)
		return tw_error__set(err, -ENOENT, "no event '%s'; did you mean %s?", pattern, nearest.best);
	return tw_error__set(err, -ENOENT, "no event '%s'; `tracewire list` shows what this kernel has", pattern);
}

static int select_one(struct tw_event_list *list, const struct tw_event_list *all, const char *pattern,
		      struct tw_error *err)
{
	const size_t old = list->n;
	bool found = false;
	int error;

	for (size_t i = 0; i < all->n; i++) {
		const struct tw_event_name *event = &all->names[i];

		if (!tw_event_pattern__matches(pattern, strlen(pattern), event->system, event->name))
			continue;
		found = true;
		if (contains(list, old, event))
			continue;
		error = append(list, event->system, event->name);
		if (error)
			return tw_error__set(err, error, "no memory for the list of events");
	}
	return found ? 0 : unknown(all, pattern, err);
}

/* The parts of a list with commas, one by one. */
static int select_parts(struct tw_event_list *list, const struct tw_event_list *all, char *text, struct tw_error *err)
{
	char *save;
	int error;

	for (char *part = strtok_r(text, ", \t", &save); part; part = strtok_r(NULL, ", \t", &save)) {
		error = select_one(list, all, part, err);
		if (error)
			return error;
	}
	return 0;
}

int tw_event_list__select(struct tw_event_list *list, const struct tw_event_list *all, const char *spec,
			  struct tw_error *err)
{
	const size_t old = list->n;
	char *text = strdup(spec);
	int error;

	if (!text)
		error = tw_error__set(err, -ENOMEM, "no memory for the list of events");
	else if (!spec[strspn(spec, ", \t")])
		error = tw_error__set(err, -ENOENT, "no event is named; `tracewire list` shows what this kernel has");
	else
		error = select_parts(list, all, text, err);
	if (error)
		cut(list, old);
	free(text);
	return error;
}
