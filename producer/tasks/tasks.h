/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task names. The kernel's records carry a pid only; names come from saved_cmdlines and /proc at the start and from then on
 * from fork, exec and rename events, recorded by a small instance of their own so that the books of what the user asked for
 * stay exact. An event whose pid has no name yet is noted and settled at the end of the round.
 *
 * One thread drains and settles, and takes the names learned; any thread may ask tw_tasks__see().
 */
#ifndef TW_TASKS_H
#define TW_TASKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "producer/instance.h"
#include "producer/tasks/task_names.h"

struct tw_tasks_stats {
	uint64_t read, lost; /* bookkeeping events */
	uint64_t unnamed;    /* events of tasks whose name could not be learned */
	uint64_t names;      /* learned */
};

struct tw_tasks {
	struct tw_task_names names; /* for the one thread: take, each */
	_Atomic uint64_t unnamed;
	struct tw_tasks_impl *impl;
};

/**
 * tw_tasks__new() - the bookkeeping instance; it records nothing yet, so its trace_marker serves to learn global pids
 * @tracing_dir: as tw_tracing_dir__find() gives it
 * @clock: the stream's trace clock
 */
int tw_tasks__new(const char *tracing_dir, const char *clock, struct tw_tasks **ret, struct tw_error *err);

/** tw_tasks__instance() - the bookkeeping instance, borrowed */
struct tw_instance *tw_tasks__instance(struct tw_tasks *tasks);

/**
 * tw_tasks__begin() - record forks, execs and renames from now on, and learn the names of the tasks that are there
 * @own_pids: whether pids in /proc are the kernel's (false in a pid namespace: then saved_cmdlines has to do)
 */
int tw_tasks__begin(struct tw_tasks *tasks, bool own_pids, struct tw_error *err);

/** tw_tasks__note() - an event of a pid without a name; counted as unnamed unless it can be settled */
void tw_tasks__note(struct tw_tasks *tasks, uint32_t pid, uint64_t time);

/** tw_tasks__see() - for every event read: a look-up of one byte if the name is known */
static inline void tw_tasks__see(struct tw_tasks *tasks, uint32_t pid, uint64_t time)
{
	if (__builtin_expect(pid >= TW_TASK_PIDS || tw_task_names__state(&tasks->names, pid) != TW_TASK_NAMED, 0))
		tw_tasks__note(tasks, pid, time);
}

/** tw_tasks__drain() - read the bookkeeping rings */
void tw_tasks__drain(struct tw_tasks *tasks);

/** tw_tasks__settle() - find names for what was noted, or count it as unnamed */
void tw_tasks__settle(struct tw_tasks *tasks);

/** tw_tasks__stats() - counters so far */
void tw_tasks__stats(struct tw_tasks *tasks, struct tw_tasks_stats *ret);

/** tw_tasks__free() - and the instance; NULL is fine. Return: as tw_instance__free() */
bool tw_tasks__free(struct tw_tasks *tasks);

#endif
