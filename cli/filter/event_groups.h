/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups events that have the same text, such as the same filter, so that one text can be printed for all of them. */
#ifndef CLI_EVENT_GROUPS_H
#define CLI_EVENT_GROUPS_H

#include <stddef.h>
#include <stdio.h>

#include "schema/schema.h"

struct event_group {
	char *text; /* the common text, NUL-terminated */
	const struct tw_format **formats;
	size_t n;
};

/* The groups, in the order in which their texts were added. All-zero = no groups, and no schema. */
struct event_groups {
	const struct tw_schema *schema; /* all events, to recognise groups that have all events of a system; borrowed */
	struct event_group *items;
	size_t n;
};

/** event_groups__add() - add an event to the group with this text, or to a new group; @format is borrowed. Return: 0, -ENOMEM */
int event_groups__add(struct event_groups *groups, const char *text, size_t len, const struct tw_format *format);

/**
 * event_groups__print() - print a line with the names of the group's events: "SYSTEM:EVENT", or "SYSTEM:*" for all events of a system
 * @before: text before the names
 * @width: after this number of bytes, further names are only counted, as " and N more"; at most EVENT_GROUPS_WIDTH_MAX
 */
void event_groups__print(const struct event_groups *groups, const struct event_group *group, const char *before,
			 size_t width, FILE *out);
#define EVENT_GROUPS_WIDTH_MAX 100

/** event_groups__fini() - free the groups' content */
void event_groups__fini(struct event_groups *groups);

#endif
