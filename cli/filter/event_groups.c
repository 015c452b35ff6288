/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/event_groups.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "cli/messages.h"

#define LAST_MAX 1024 /* room for the last name and " and N more" after EVENT_GROUPS_WIDTH_MAX, bytes */

static struct event_group *find(const struct event_groups *groups, const char *text, size_t len)
{
	for (size_t i = 0; i < groups->n; i++) {
		if (!strncmp(groups->items[i].text, text, len) && !groups->items[i].text[len])
			return &groups->items[i];
	}
	return NULL;
}

static struct event_group *make(struct event_groups *groups, const char *text, size_t len)
{
	struct event_group *items = reallocarray(groups->items, groups->n + 1, sizeof(*items));
	struct event_group *group;

	if (!items)
		return NULL;
	groups->items = items;
	group = &items[groups->n];
	*group = (struct event_group){ .text = strndup(text, len) };
	if (!group->text)
		return NULL;
	groups->n++;
	return group;
}

int event_groups__add(struct event_groups *groups, const char *text, size_t len, const struct tw_format *format)
{
	struct event_group *group = find(groups, text, len);
	const struct tw_format **formats;

	if (!group)
		group = make(groups, text, len);
	formats = group ? reallocarray(group->formats, group->n + 1, sizeof(const struct tw_format *)) : NULL;
	if (!formats)
		return -ENOMEM;
	group->formats = formats;
	formats[group->n++] = format;
	return 0;
}

static void append_name(struct tw_line *line, const char *system, const char *name)
{
	if (tw_line__len(line))
		tw_line__char(line, ' ');
	tw_line__str(line, system);
	tw_line__char(line, ':');
	tw_line__str(line, name);
}

/*
 * Appends the name of event @i. If the group has all events of a system with several events, appends "SYSTEM:*" for the first event of this
 * system, and nothing for its other events. Return: number of events that the appended text names; 0 if nothing was appended.
 */
static size_t name_next(const struct event_groups *groups, const struct event_group *group, size_t i,
			struct tw_line *line)
{
	const struct tw_format *format = group->formats[i];
	size_t in_group = 0, in_schema = 0;
	bool is_repeated = false;

	for (size_t k = 0; k < group->n; k++) {
		if (strcmp(group->formats[k]->system, format->system) != 0)
			continue;
		in_group++;
		is_repeated |= k < i;
	}
	for (size_t k = 0; k < tw_schema__count(groups->schema); k++)
		in_schema += !strcmp(tw_schema__at(groups->schema, k)->system, format->system);
	if (in_group == 1 || in_group < in_schema) {
		append_name(line, format->system, format->name);
		return 1;
	}
	if (is_repeated)
		return 0;
	append_name(line, format->system, "*");
	return in_group;
}

void event_groups__print(const struct event_groups *groups, const struct event_group *group, const char *before,
			 size_t width, FILE *out)
{
	char names[EVENT_GROUPS_WIDTH_MAX + LAST_MAX];
	struct tw_line line = tw_line__on(names, sizeof(names));
	size_t reported = 0;

	for (size_t i = 0; i < group->n && tw_line__len(&line) < width; i++)
		reported += name_next(groups, group, i, &line);
	if (reported < group->n) {
		tw_line__str(&line, " and ");
		tw_line__u64(&line, group->n - reported);
		tw_line__str(&line, " more");
	}
	say(out, "%s%.*s\n", before, (int)tw_line__len(&line), names);
}

void event_groups__fini(struct event_groups *groups)
{
	for (size_t i = 0; i < groups->n; i++) {
		free(groups->items[i].text);
		free(groups->items[i].formats);
	}
	free(groups->items);
	groups->items = NULL;
	groups->n = 0;
}
