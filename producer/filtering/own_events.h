/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that concern the run itself, but are recorded by other tasks or in interrupts, so that set_event_notrace_pid does not exclude
 * them: wake-ups of the run's threads and of its viewer, switches between these tasks and the idle task, and packets on the run's own
 * interface. Filters make the kernel leave these events out, so that it neither records nor counts them.
 */
#ifndef TW_OWN_EVENTS_H
#define TW_OWN_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/line.h"

#define TW_OWN_PIDS_MAX    64 /* limit of tasks; events that concern further tasks are recorded */
#define TW_OWN_DEVICES_MAX 2  /* both ends of a veth pair */
#define TW_OWN_NAME_MAX    16 /* IFNAMSIZ */

/* What belongs to the run. Zeroed = nothing. */
struct tw_own_events {
	pid_t pids[TW_OWN_PIDS_MAX]; /* threads and processes, in the initial pid namespace */
	size_t n_pids;
	char devices[TW_OWN_DEVICES_MAX][TW_OWN_NAME_MAX]; /* network interfaces in the current network namespace */
	size_t n_devices;
	bool complete; /* later additions have no effect */
};

/** tw_own_events__add_pid() - add a thread or process; without effect if the list is complete or full */
void tw_own_events__add_pid(struct tw_own_events *own, pid_t pid);

/** tw_own_events__add_device() - add a network interface; without effect if the list is complete or full */
void tw_own_events__add_device(struct tw_own_events *own, const char *name);

/** tw_own_events__filter() - append the tracefs filter that leaves out the run's own events of that name; nothing if no filter is needed */
void tw_own_events__filter(const struct tw_own_events *own, const char *system, const char *event,
			   struct tw_line *line);

#endif
