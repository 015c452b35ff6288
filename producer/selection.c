/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/selection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "producer/tracing_dir.h"

/* FNV-1a; tells one list of events from another, nothing more. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3ull;
	return hash;
}

/* All events by name, and the definitions of the dynamic ones, whose ids and formats may change under one name. */
static uint64_t take_fingerprint(const char *tracing_dir)
{
	static const char *const files[] = { "available_events", "dynamic_events" };
	uint64_t hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *text;

		if (tw_tracing_file__read(tracing_dir, files[i], &text, NULL))
			continue;
		hash = hash_text(hash, text);
		free(text);
	}
	return hash;
}

/* A filter given later counts for the events that were there before, too. */
static void take_over(struct tw_selection *sel, const struct tw_event_list *all, size_t i)
{
	struct tw_event_list mine = { 0 };

	if (!sel->wanted[i].filter || tw_event_list__select(&mine, all, sel->wanted[i].spec, NULL))
		return;
	tw_event_list__sort(&mine);
	for (size_t k = 0; k < sel->events.n; k++)
		if (tw_event_list__has(&mine, &sel->events.names[k]))
			sel->request[k] = i;
	tw_event_list__fini(&mine);
}

/* The events that came in last were asked for by request @i. */
static int note_request(struct tw_selection *sel, const struct tw_event_list *all, size_t i, struct tw_error *err)
{
	size_t *request = realloc(sel->request, (sel->events.n + 1) * sizeof(*request));

	if (!request)
		return tw_error__set(err, -ENOMEM, "out of memory");
	sel->request = request;
	while (sel->n_requests < sel->events.n)
		sel->request[sel->n_requests++] = i;
	take_over(sel, all, i);
	return 0;
}

static int select_all(struct tw_selection *sel, struct tw_error *err)
{
	struct tw_event_list all = { 0 };
	int rc = tw_event_list__read(sel->tracing_dir, &all, err);

	for (size_t i = 0; i < sel->n_wanted && !rc; i++) {
		rc = tw_event_list__select(&sel->events, &all, sel->wanted[i].spec, err);
		if (!rc)
			rc = note_request(sel, &all, i, err);
	}
	tw_event_list__fini(&all);
	return rc;
}

int tw_selection__init(struct tw_selection *sel, const char *tracing_dir, const struct tw_event_request *wanted,
		       size_t n, struct tw_error *err)
{
	int rc;

	*sel = (struct tw_selection){ .tracing_dir = tracing_dir, .wanted = wanted, .n_wanted = n };
	sel->fingerprint = take_fingerprint(tracing_dir);
	rc = select_all(sel, err);
	if (rc)
		tw_selection__fini(sel);
	return rc;
}

const char *tw_selection__filter(const struct tw_selection *sel, size_t i)
{
	return sel->wanted[sel->request[i]].filter;
}

/* What request @i means now; a part of it that means nothing any more keeps nothing else out. */
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
