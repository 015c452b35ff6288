/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. Sets of a schema's events in a display filter: by their system, their name, or both. */
#ifndef TW_DISPLAY_EVENTS_H
#define TW_DISPLAY_EVENTS_H

#include "filter/groups.h"

struct tw_display_events;

/** tw_display_events__new() - Return: NULL without memory */
struct tw_display_events *tw_display_events__new(const struct tw_groups *groups);
void tw_display_events__free(struct tw_display_events *events);

/* How what was written goes together with more of it. */
enum tw_joint {
	TW_JOINT_NOTHING, /* nothing was written */
	TW_JOINT_ATOM,
	TW_JOINT_AND,
	TW_JOINT_OR,
};

/** tw_display_events__emit() - append what is true of the group's events only, or of all @others of the schema, if there are any */
enum tw_joint tw_display_events__emit(const struct tw_display_events *events, uint32_t group, bool others,
				      struct tw_line *line);

#endif
