/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of a stream: the specifications of -e, resolved against the events of the kernel and checked again for new events. */
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

/* Has no duplicates and keeps the order of addition. Zeroed = empty. */
struct tw_event_list {
	struct tw_event_name *names;
	size_t n;
};

/**
 * tw_event_list__read() - all events of a kernel, from available_events, sorted by system and name
 * @tracing_dir: as from tw_tracing_dir__find()
 * @ret: caller's; free it with tw_event_list__fini()
 * Return: 0, or -errno with @error filled.
 */
int tw_event_list__read(const char *tracing_dir, struct tw_event_list *ret, struct tw_error *error);

/**
 * tw_event_list__select() - append the events that a specification selects and the list does not have yet
 * @list: unchanged on failure
 * @all: the events to select from, as from tw_event_list__read()
 * @spec: comma-separated items: "sched" (a system, or an event of any system), "sched:sched_switch", "sched/sched_switch", either part
 * with *, ? and [] as in the shell, and "all"
 *
 * Return: 0; -ENOENT if an item selects nothing (@error names it and suggests others); -ENOMEM.
 */
int tw_event_list__select(struct tw_event_list *list, const struct tw_event_list *all, const char *spec,
			  struct tw_error *error);

/** tw_event_list__fini() - free the names and empty the list */
void tw_event_list__fini(struct tw_event_list *list);

/* A request for events, with a tracefs filter for them. If several requests give a filter for an event, the last one applies. */
struct tw_event_request {
	const char *spec;   /* "sched", "sched:sched_switch", "net*:*", "sched,irq": see tw_event_list__select() */
	const char *filter; /* a tracefs filter, passed to the kernel unchanged; NULL = none */
};

/* The events that the requests select. */
struct tw_selection {
	const char *tracing_dir;               /* borrowed */
	const struct tw_event_request *wanted; /* borrowed */
	size_t n_wanted;
	struct tw_event_list events;
	size_t *request; /* for each event: index of its request; of several with filters, the last */
	size_t n_requests;
	uint64_t fingerprint; /* of the kernel's events */
};

/**
 * tw_selection__init() - resolve the requests
 * @n: may be 0
 *
 * Return: 0; -ENOENT for an event that does not exist.
 */
int tw_selection__init(struct tw_selection *sel, const char *tracing_dir, const struct tw_event_request *wanted,
		       size_t n, struct tw_error *error);

/** tw_selection__filter() - the tracefs filter for event @i, or NULL */
const char *tw_selection__filter(const struct tw_selection *sel, size_t i);

/**
 * tw_selection__renew() - if the kernel's events have changed, add the new ones that the requests select
 * Return: whether they have changed; new events are at the end and not enabled.
 */
bool tw_selection__renew(struct tw_selection *sel);

void tw_selection__fini(struct tw_selection *sel);

#endif
