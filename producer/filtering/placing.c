/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/filtering/placing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter/capability.h"
#include "filter/tracefs.h"
#include "producer/filtering/event_file.h"
#include "producer/filtering/stages.h"

static const struct tw_node none = { .kind = TW_NODE_FALSE };

bool tw_placing__is_stack(const struct tw_format *format)
{
	return !strcmp(format->system, "ftrace") &&
	       (!strcmp(format->name, "kernel_stack") || !strcmp(format->name, "user_stack"));
}

/* Of an event of the selection; NULL if its format is not known. */
static struct tw_bound_event *find_bound(const struct tw_placing *p, const struct tw_event_name *name)
{
	const struct tw_format *format = tw_schema__by_name(p->bound->options.schema, name->system, name->name);

	return format ? tw_bound__event(p->bound, format->id) : NULL;
}

/* What cannot be decided before the frames are sent is a mistake if nobody does it then. */
static int refuse_later(const struct tw_placing *p, const struct tw_node *later)
{
	const struct tw_filter *filter = p->filtering->options->filter;
	const char *why = "", *text;
	const struct tw_test *test = tw_node__refused(later, TW_BACK_END_PRODUCER, &why);
	size_t len;

	text = tw_filter__predicate(filter, test->predicate, &len);
	return tw_error__set(p->err, -EINVAL,
			     "column %zu: '%.*s' cannot be decided before the events are sent, because %s: let the "
			     "kernel do it (== or ~, and nothing that it cannot do beside it in an or), or filter "
			     "where the events are captured",
			     (size_t)(text - tw_filter__text(filter)) + 1, (int)len, text, why);
}

static int check_later(struct tw_placing *p, const struct tw_node *later)
{
	struct tw_filter_places *places = &p->places;

	if (later->kind == TW_NODE_TRUE)
		return 0;
	places->later++;
	return p->later ? 0 : refuse_later(p, later);
}

static int no_memory(const struct tw_placing *p)
{
	return tw_error__set(p->err, -ENOMEM, "no memory for the filter of so many events");
}

/* Take @text over as what is in the filter file, and see to it that it is. NULL = no filter. */
static int set_file(struct tw_placing *p, size_t i, char *text, struct tw_error *err)
{
	const struct tw_event_name *name = &p->selection->events.names[i];
	struct tw_filtered *event = &p->filtering->events[i];
	int rc = 0;

	if (p->first ? text != NULL : !tw_event_file__has_filter(p->instance, name, text))
		rc = tw_event_file__filter(p->instance, name, text, err);
	if (rc) {
		free(text);
		return rc;
	}
	free(event->text);
	event->text = text;
	return 0;
}

/* The filter that the event's request has of its own. */
static int set_given(struct tw_placing *p, size_t i)
{
	const char *given = tw_selection__filter(p->selection, i);
	char *copy = given ? strdup(given) : NULL;

	return given && !copy ? no_memory(p) : set_file(p, i, copy, p->err);
}

/* With what is pushed down. Return: NULL without memory */
static char *join_texts(const char *given, const struct tw_line *pushed)
{
	const int len = (int)tw_line__len(pushed);
	char *text = NULL;

	if (!given)
		return strndup(pushed->text, (size_t)len);
	return asprintf(&text, "(%s) && (%.*s)", given, len, pushed->text) < 0 ? NULL : text;
}

/* What the kernel does not take is not tried again: for a moment the event would have no filter at all. */
static void note_refused(struct tw_placing *p, size_t i, char *text)
{
	struct tw_filtered *event = &p->filtering->events[i];

	free(event->refused);
	event->refused = text;
	tw_event_file__filter(p->instance, &p->selection->events.names[i], NULL, NULL);
}

/* Return: whether the kernel has it. */
static bool push_down(struct tw_placing *p, size_t i, const struct tw_node *tree)
{
	struct tw_filtered *event = &p->filtering->events[i];
	char buf[TW_TRACEFS_FILTER_MAX], *text, *copy;
	struct tw_line line = tw_line__on(buf, sizeof(buf));

	if (tw_tracefs__emit(p->bound, tree, &line, NULL))
		return false;
	text = join_texts(tw_selection__filter(p->selection, i), &line);
	copy = text ? strdup(text) : NULL;
	if (!copy || (event->refused && !strcmp(event->refused, text))) {
		free(text);
		free(copy);
		return false;
	}
	if (!set_file(p, i, copy, NULL)) {
		free(text);
		return true;
	}
	note_refused(p, i, text);
	return false;
}

/* A tree that is neither TRUE nor FALSE. */
static int divide(struct tw_placing *p, size_t i, struct tw_bound_event *bound)
{
	struct tw_filter_places *places = &p->places;
	struct tw_stages stages;
	bool pushed = false;
	int rc = tw_stages__split(bound->root, true, p->bound->arena, &stages);

	if (!rc && stages.kernel->kind != TW_NODE_TRUE && p->first && tw_selection__filter(p->selection, i))
		rc = set_given(p, i); /* by itself, or parentheses that do not match could fit those put around it */
	if (!rc && stages.kernel->kind != TW_NODE_TRUE) {
		pushed = push_down(p, i, stages.kernel);
		places->kernel += pushed;
		places->refused += !pushed;
		if (!pushed)
			rc = tw_stages__split(bound->root, false, p->bound->arena, &stages);
	}
	if (rc)
		return rc == -ENOMEM ? no_memory(p) : rc;
	rc = pushed ? 0 : set_given(p, i);
	if (!rc)
		rc = check_later(p, stages.later);
	places->producer += stages.producer->kind != TW_NODE_TRUE;
	p->gate |= stages.producer->kind != TW_NODE_TRUE;
	bound->root = stages.producer;
	return rc;
}

static int place_event(struct tw_placing *p, size_t i)
{
	struct tw_bound_event *bound = find_bound(p, &p->selection->events.names[i]);
	const struct tw_node *root = bound ? bound->root : p->bound->unknown;

	if (root->kind == TW_NODE_FALSE) {
		p->filtering->events[i].off = true;
		p->places.off++;
		return set_given(p, i); /* so that a mistake in it is told */
	}
	p->able++;
	if (bound && root->kind != TW_NODE_TRUE)
		return divide(p, i, bound);
	p->gate |= root->kind != TW_NODE_TRUE; /* its format cannot be read: what all events have is compared */
	return set_given(p, i);
}

int tw_placing__event(struct tw_placing *p, size_t i)
{
	struct tw_filtered *event = &p->filtering->events[i];
	int rc;

	event->off = false;
	rc = p->bound ? place_event(p, i) : set_given(p, i);
	event->off |= rc != 0;
	return rc;
}

/* Marks that nobody asked for are turned away where none matches, or the kernel would have to know what it does not ask. */
static void place_marks(struct tw_placing *p, struct tw_bound_event *bound, const struct tw_stages *stages)
{
	bound->root = stages->later->kind == TW_NODE_TRUE ? stages->producer : &none;
	if (bound->root->kind == TW_NODE_TRUE)
		return;
	if (bound->root->kind == TW_NODE_FALSE && !p->top_level &&
	    !tw_instance__write(p->instance, "options/markers", "0", NULL))
		return;
	p->gate = true;
}

static int place_record(struct tw_placing *p, struct tw_bound_event *bound, const struct tw_stages *stages)
{
	const bool able = bound->root->kind != TW_NODE_FALSE;
	const int rc = check_later(p, stages->later);

	p->able += able;
	p->places.producer += able && stages->producer->kind != TW_NODE_TRUE;
	p->gate |= stages->producer->kind != TW_NODE_TRUE;
	bound->root = stages->producer;
	return rc;
}

int tw_placing__others(struct tw_placing *p)
{
	int rc = 0;

	for (size_t i = 0; i < p->bound->n_events && !rc; i++) {
		struct tw_bound_event *bound = &p->bound->events[i];
		struct tw_stages stages;

		if (strcmp(bound->format->system, "ftrace") != 0 || tw_placing__is_stack(bound->format))
			continue;
		if (tw_stages__split(bound->root, false, p->bound->arena, &stages))
			return no_memory(p);
		if (!strcmp(bound->format->name, "print"))
			place_marks(p, bound, &stages);
		else if (p->filtering->options->tracing.tracer)
			rc = place_record(p, bound, &stages);
	}
	return rc;
}
