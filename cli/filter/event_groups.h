/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups events with the same text, so that the text is printed once. */
#ifndef CLI_EVENT_GROUPS_H
#define CLI_EVENT_GROUPS_H

#include <stddef.h>

#include "base/line.h"
#include "schema/schema.h"

struct event_group {
	char *text; /* the common text, NUL-terminated */
	const struct tw_format **formats;
	size_t n;
};

/* In the order in which the texts were added. Zeroed = empty, without a schema. */
struct event_groups {
	const struct tw_schema *schema; /* borrowed: all events */
	struct event_group *items;
	size_t n;
};

/** event_groups__add() - @format: borrowed. Return: 0, -ENOMEM */
int event_groups__add(struct event_groups *groups, const char *text, size_t len, const struct tw_format *format);

/** event_groups__find() - the group of that text, or NULL */
const struct event_group *event_groups__find(const struct event_groups *groups, const char *text);

/**
 * event_groups__names() - append the names of the group's events: "SYSTEM:EVENT", or "SYSTEM:*" for a whole system
 * @width: bytes; further names are only counted
 */
void event_groups__names(const struct event_groups *groups, const struct event_group *group, size_t width,
			 struct tw_line *line);

/** event_groups__name() - append one name, after a blank if it is not the first */
void event_groups__name(const char *system, const char *name, struct tw_line *line);

/** event_groups__fini() - free the groups' content */
void event_groups__fini(struct event_groups *groups);

#endif
