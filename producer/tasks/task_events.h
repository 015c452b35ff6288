/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forks, execs and renames, recorded by a small trace instance of their own. */
#ifndef TW_TASK_EVENTS_H
#define TW_TASK_EVENTS_H

#include "producer/tasks/tasks.h"

struct tw_task_events;

/** tw_task_events__new() - make the instance, with nothing enabled but its trace_marker */
int tw_task_events__new(const char *tracing_dir, const char *clock, struct tw_task_events **ret,
			struct tw_error *error);

/** tw_task_events__instance() - borrowed */
struct tw_instance *tw_task_events__instance(struct tw_task_events *events);

/** tw_task_events__begin() - enable the events */
int tw_task_events__begin(struct tw_task_events *events, struct tw_error *error);

/** tw_task_events__drain() - add the names that the rings have to the table, in time order for each pid */
void tw_task_events__drain(struct tw_task_events *events, struct tw_task_names *names);

/** tw_task_events__stats() - events read so far, and events that the rings lost */
void tw_task_events__stats(struct tw_task_events *events, uint64_t *ret_read, uint64_t *ret_lost);

/** tw_task_events__free() - NULL is fine. Return: as tw_instance__free() */
bool tw_task_events__free(struct tw_task_events *events);

#endif
