/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events are meant: the specifications of -e, resolved against what a kernel has. */
#ifndef TW_EVENTS_H
#define TW_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct tw_event_name {
	char *system;
	char *name;
};

/* No event twice; in the order in which they were added. Zeroed = empty. */
struct tw_event_list {
	struct tw_event_name *names;
	size_t n;
};

/**
 * tw_event_list__read() - all events of a kernel, from available_events, sorted by system and name
 * @tracing_dir: as tw_tracing_dir__find() gives it
 * @ret: the caller's; tw_event_list__fini()
 * Return: 0, or -errno with @err filled.
 */
int tw_event_list__read(const char *tracing_dir, struct tw_event_list *ret, struct tw_error *err);

/**
 * tw_event_list__select() - append the events that a specification means and that are not in the list yet
 * @list: left as it was on failure
 * @all: what to choose from, as tw_event_list__read() gives it
 * @spec: one or more of these with commas between: "sched" (a system, or an event of any system), "sched:sched_switch",
 *        "sched/sched_switch", either part with *, ? and [] as in the shell, and "all"
 *
 * Return: 0; -ENOENT if a specification means nothing (@err names it and what may have been meant); -ENOMEM.
 */
int tw_event_list__select(struct tw_event_list *list, const struct tw_event_list *all, const char *spec,
			  struct tw_error *err);

/** tw_event_list__sort() - by system and name, as tw_event_list__read() gives them */
void tw_event_list__sort(struct tw_event_list *list);

/** tw_event_list__has() - whether @event is in the list, which is sorted */
bool tw_event_list__has(const struct tw_event_list *list, const struct tw_event_name *event);

/** tw_event_list__fini() - free the names and empty the list */
void tw_event_list__fini(struct tw_event_list *list);

#endif
