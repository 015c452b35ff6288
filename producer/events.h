/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a stream: resolves the specifications given with `-e` to events of this kernel, and resolves them again when the kernel's
 * events change.
 */
#ifndef TW_EVENTS_H
#define TW_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "producer/sockets/record.h"

struct tw_event_name {
	char *system;
	char *name;
};

/** tw_event_name__socket_event() - Return: the number of a socket event; TW_SOCKTS_EVENTS for all other events */
enum tw_sockts_event tw_event_name__socket_event(const struct tw_event_name *event);

/* Events without duplicates, in the order in which they were added. All zero = empty. */
struct tw_event_list {
	struct tw_event_name *names;
	size_t n;
};

/**
 * tw_event_list__read() - read all events of this kernel, and the socket events (producer/sockets), sorted by system and name; free them
 * with tw_event_list__fini()
 * Return: 0, or -errno with @error filled
 */
int tw_event_list__read(const char *tracing_dir, struct tw_event_list *ret, struct tw_error *error);

/**
 * tw_event_list__select() - append the events that a specification selects and that @list does not contain yet
 * @list: unchanged on failure
 * @all: the events to select from, as from tw_event_list__read()
 * @spec: items separated by commas or blanks: "sched" (a system, or an event of any system), "sched:sched_switch", "sched/sched_switch",
 * "all"; system and event can contain *, ? and [] as in the shell. Socket events are selected only by an item that names their system, or
 * their event, without wildcards
 * Return: 0; -ENOENT if an item selects nothing (@error names the item and suggests a similar name); -ENOMEM.
 */
int tw_event_list__select(struct tw_event_list *list, const struct tw_event_list *all, const char *spec,
			  struct tw_error *error);

/**
 * tw_event_format__read() - read the format text of an event of the list
 * @ret: to be freed
 * Return: 0; -ENOENT if there is no such event; another -errno; with @error filled
 */
int tw_event_format__read(const char *tracing_dir, const char *system, const char *name, char **ret,
			  struct tw_error *error);

/** tw_event_list__fini() - free the names and empty the list */
void tw_event_list__fini(struct tw_event_list *list);

/*
 * Events to select, and a tracefs filter for them. If several requests select an event, the last one that has a filter determines the
 * event's filter.
 */
struct tw_event_request {
	const char *spec;   /* "sched", "sched:sched_switch", "net*:*", "sched,irq": see tw_event_list__select() */
	const char *filter; /* a tracefs filter, passed to the kernel unchanged; NULL = none */
};

/* The events that all requests together select. */
struct tw_selection {
	const char *tracing_dir;               /* borrowed */
	const struct tw_event_request *wanted; /* borrowed */
	size_t n_wanted;
	struct tw_event_list events;
	/*
	 * For each event, an index in @wanted: of the last request that selects the event and has a filter; if there is no such request, of
	 * the first request that selects the event.
	 */
	size_t *request;
	size_t n_requests;
	uint64_t fingerprint; /* hash of the kernel's events, to notice changes */
};

/** tw_selection__init() - resolve @n requests, which may be 0. Return: 0; -ENOENT for an event that does not exist; another -errno */
int tw_selection__init(struct tw_selection *sel, const char *tracing_dir, const struct tw_event_request *wanted,
		       size_t n, struct tw_error *error);

/** tw_selection__filter() - the tracefs filter for event @i, or NULL */
const char *tw_selection__filter(const struct tw_selection *sel, size_t i);

/**
 * tw_selection__renew() - if the kernel's events have changed, append the new events that the requests select
 * Return: whether the kernel's events have changed. The function does not enable the new events.
 */
bool tw_selection__renew(struct tw_selection *sel);

/** tw_selection__fini() - free the list of events; the requests are borrowed */
void tw_selection__fini(struct tw_selection *sel);

#endif
