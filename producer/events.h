/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of a stream: the specifications of -e resolved against what the kernel has, and watched for new ones. */
#ifndef TW_EVENTS_H
#define TW_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
 * Return: 0, or -errno with @error filled.
 */
int tw_event_list__read(const char *tracing_dir, struct tw_event_list *ret, struct tw_error *error);

/**
 * tw_event_list__select() - append the events that a specification means and that are not in the list yet
 * @list: left as it was on failure
 * @all: what to choose from, as tw_event_list__read() gives it
 * @spec: one or more of these with commas between: "sched" (a system, or an event of any system), "sched:sched_switch",
 *        "sched/sched_switch", either part with *, ? and [] as in the shell, and "all"
 *
 * Return: 0; -ENOENT if a specification means nothing (@error names it and what may have been meant); -ENOMEM.
 */
int tw_event_list__select(struct tw_event_list *list, const struct tw_event_list *all, const char *spec,
			  struct tw_error *error);

/** tw_event_list__fini() - free the names and empty the list */
void tw_event_list__fini(struct tw_event_list *list);

/* Events asked for, and the tracefs filter for them. Of several filters for an event the last counts. */
struct tw_event_request {
	const char *spec;   /* "sched", "sched:sched_switch", "net*:*", "sched,irq": see tw_event_list__select() */
	const char *filter; /* as tracefs has it, handed to the kernel as it is; NULL = none */
};

/* The events that requests mean. */
struct tw_selection {
	const char *tracing_dir;               /* borrowed */
	const struct tw_event_request *wanted; /* borrowed */
	size_t n_wanted;
	struct tw_event_list events;
	size_t *request; /* for each of the events: index of the request that brought it, of several with filters the last */
	size_t n_requests;
	uint64_t fingerprint; /* of what the kernel has */
};

/**
 * tw_selection__init() - resolve what is wanted
 * @n: may be 0
 *
 * Return: 0; -ENOENT for an event that is not there.
 */
int tw_selection__init(struct tw_selection *sel, const char *tracing_dir, const struct tw_event_request *wanted,
		       size_t n, struct tw_error *error);

/** tw_selection__filter() - the tracefs filter that was given for the @i-th of the events, or NULL */
const char *tw_selection__filter(const struct tw_selection *sel, size_t i);

/**
 * tw_selection__renew() - look whether the kernel has other events than before; if so add those that are wanted
 * Return: whether it has; new events are at the end and not enabled.
 */
bool tw_selection__renew(struct tw_selection *sel);

void tw_selection__fini(struct tw_selection *sel);

#endif
