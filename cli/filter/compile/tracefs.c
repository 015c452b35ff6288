/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An expression as filters of the kernel's own: a line for each event. */
#include <errno.h>
#include <string.h>

#include "base/printable.h"
#include "cli/filter/compile/targets.h"
#include "cli/filter/event_groups.h"
#include "cli/say.h"
#include "filter/tracefs.h"

#define NAMES_WIDTH 100  /* of events that are off */
#define NAME_BYTES  1024 /* of one event */

/* Kinds of events that have no line of their own. */
static const char off[] = "off";

/* What tracers and trace_marker record cannot be switched or filtered by events/. */
static bool is_of_tracers(const struct tw_format *format)
{
	return !strcmp(format->system, "ftrace");
}

/* What is printed is written to the kernel's files, so it has to be the filter byte for byte. */
static int check_printable(const struct tw_format *format, const struct tw_line *filter, struct tw_error *err)
{
	if (tw_printable__plain(filter->text, tw_line__len(filter)) == tw_line__len(filter))
		return 0;
	return tw_error__set(
		err, -EINVAL,
		"the filter of %s:%s has control characters or what is no UTF-8, and is not printed: the kernel "
		"compares \\xNN as four characters; -f of live, record and stream can set it",
		format->system, format->name);
}

static int add_event(const struct tw_bound *bound, const struct tw_bound_event *event, struct event_groups *groups,
		     struct tw_error *err)
{
	char buf[TW_TRACEFS_FILTER_MAX + 1];
	struct tw_line line = tw_line__on(buf, sizeof(buf));
	int error = 0;

	if (event->root->kind == TW_NODE_FALSE)
		tw_line__str(&line, off);
	else if (event->root->kind != TW_NODE_TRUE)
		error = tw_tracefs__emit(bound, event->root, &line, err);
	if (!error)
		error = check_printable(event->format, &line, err);
	if (!error && event_groups__add(groups, buf, tw_line__len(&line), event->format))
		error = tw_error__set(err, -ENOMEM, "out of memory");
	return error;
}

/* A line for each event, so that a shell's `read event filter` can take it; no filter where each event matches. */
static void print_filters(const struct event_group *group, FILE *out)
{
	char name[NAME_BYTES];

	for (size_t i = 0; i < group->n; i++) {
		struct tw_line line = tw_line__on(name, sizeof(name));

		event_groups__name(group->formats[i]->system, group->formats[i]->name, &line);
		say(out, "%.*s%s%s\n", (int)tw_line__len(&line), name, *group->text ? " " : "", group->text);
	}
}

static void print_off(const struct event_groups *groups, const struct event_group *group, FILE *out)
{
	char buf[NAMES_WIDTH + NAME_BYTES];
	struct tw_line line = tw_line__on(buf, sizeof(buf));

	event_groups__names(groups, group, NAMES_WIDTH, &line);
	say(out, "# off, for they cannot match: %.*s\n", (int)tw_line__len(&line), buf);
}

int filter_tracefs__print(const struct filter_expression *expression, const struct filter_classifier *classifier,
			  FILE *out, struct tw_error *err)
{
	struct event_groups groups = { .schema = expression->formats.schema };
	const struct tw_bound *bound = expression->bound;
	int error = 0;

	(void)classifier;
	for (size_t i = 0; i < bound->n_events && !error; i++)
		if (!is_of_tracers(bound->events[i].format))
			error = add_event(bound, &bound->events[i], &groups, err);
	for (size_t i = 0; i < groups.n && !error; i++)
		if (strcmp(groups.items[i].text, off) != 0)
			print_filters(&groups.items[i], out);
	if (!error && event_groups__find(&groups, off))
		print_off(&groups, event_groups__find(&groups, off), out);
	event_groups__fini(&groups);
	return error;
}
