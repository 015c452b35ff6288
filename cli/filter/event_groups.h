/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups events with the same text, so that the text is printed once. */
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
	const struct tw_schema *schema; /* borrowed; has all events, so that complete systems can be recognised */
	struct event_group *items;
	size_t n;
};

/** event_groups__add() - add an event to the group with that text; @format is borrowed. Return: 0, -ENOMEM */
int event_groups__add(struct event_groups *groups, const char *text, size_t len, const struct tw_format *format);

/**
 * event_groups__print() - print a line with the names of the group's events: "SYSTEM:EVENT", or "SYSTEM:*" for a complete system
 * @before: text before the names
 * @width: bytes of the names, at most EVENT_GROUPS_WIDTH_MAX; names that would begin after it are only counted: " and N more"
 */
void event_groups__print(const struct event_groups *groups, const struct event_group *group, const char *before,
			 size_t width, FILE *out);
#define EVENT_GROUPS_WIDTH_MAX 100

/** event_groups__fini() - free the groups' content */
void event_groups__fini(struct event_groups *groups);

#endif
