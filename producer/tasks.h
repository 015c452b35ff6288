/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task names. The kernel's records have only a pid. Names come from saved_cmdlines and /proc at the start, and later from fork, exec and
 * rename events. A separate small instance records these, so that the counters of the events that the user asked for stay exact. If a
 * pid of an event has no name yet, it is noted and settled at the end of the round.
 *
 * One thread drains, settles and takes the new names; any thread may call tw_producer_tasks__see().
 */
#ifndef TW_TASKS_H
#define TW_TASKS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "producer/instance.h"

#define TW_TASK_NAME  16         /* TASK_COMM_LEN */
#define TW_TASK_PIDS  (4u << 20) /* PID_MAX_LIMIT of 64-bit kernels */
#define TW_TASK_CHUNK 1024u      /* pids in one block of the table */
#define TW_TASK_NOTED \
	256u /* limit of pids without a name noted in one round; events of further pids count as unnamed without a look-up */

enum tw_task_state { TW_TASK_UNKNOWN, TW_TASK_NAMED, TW_TASK_NAMELESS };

/* A name that is valid from a time on. */
struct tw_producer_task {
	uint64_t time;   /* stream's clock; 0 = since the beginning */
	uint64_t before; /* the COMM record must be placed before events of this time */
	uint32_t pid, tgid;
	uint8_t origin; /* enum tw_comm_origin */
	char name[TW_TASK_NAME];
};

/*
 * The latest name of every pid, and a queue of the names not sent yet. One thread writes; any thread may read the state of a pid.
 */
struct tw_task_names {
	_Atomic uint8_t *state; /* enum tw_task_state by pid */
	struct tw_producer_task *chunks[TW_TASK_PIDS / TW_TASK_CHUNK];
	struct tw_producer_task *queue;
	size_t n_queue, at_queue, cap_queue;
	_Atomic uint64_t learned; /* number of names (producer/counter.h) */
};

/** tw_task_names__init() - an empty table. Return: 0 or -ENOMEM */
int tw_task_names__init(struct tw_task_names *names);

/** tw_task_names__state() - of a pid below TW_TASK_PIDS; the hot path's look-up */
static inline enum tw_task_state tw_task_names__state(const struct tw_task_names *names, uint32_t pid)
{
	return (enum tw_task_state)atomic_load_explicit(&names->state[pid], memory_order_relaxed);
}

/** tw_task_names__is_named() - whether the table has any name */
static inline bool tw_task_names__is_named(const struct tw_task_names *names, uint32_t pid)
{
	return pid < TW_TASK_PIDS && tw_task_names__state(names, pid) == TW_TASK_NAMED;
}

/** tw_task_names__add() - a name that is valid from a time on. Return: false for an impossible pid or without memory */
bool tw_task_names__add(struct tw_task_names *names, const struct tw_producer_task *task);

/** tw_task_names__take() - the next name of the queue. Return: false if there is none */
bool tw_task_names__take(struct tw_task_names *names, struct tw_producer_task *ret);

/** tw_task_names__each() - the latest name of every task, in the order of pids */
void tw_task_names__each(const struct tw_task_names *names, void (*cb)(void *ctx, const struct tw_producer_task *task),
			 void *ctx);

/** tw_task_names__fini() - free it; an all-zero table is fine */
void tw_task_names__fini(struct tw_task_names *names);

struct tw_task_events;

/* A pid that has events and no name. */
struct tw_noted_pid {
	uint32_t pid;
	uint64_t first; /* time of the first event */
	uint64_t events;
};

struct tw_producer_tasks {
	struct tw_task_names names; /* only for the thread that takes */
	struct tw_task_events *events;
	bool own_pids; /* pids in /proc are global pids */
	_Atomic uint64_t unnamed;
	pthread_mutex_t lock; /* protects the members below */
	struct tw_noted_pid noted[TW_TASK_NOTED];
	size_t n_noted;
};

struct tw_producer_tasks_stats {
	uint64_t read, lost; /* events of the bookkeeping instance */
	uint64_t unnamed;    /* events of tasks whose name could not be found */
	uint64_t names;      /* new names */
};

/**
 * tw_producer_tasks__new() - create the bookkeeping instance; it has no events enabled yet, so its trace_marker can be used to learn
 * global pids
 * @tracing_dir: as from tw_tracing_dir__find()
 * @clock: the stream's trace clock
 */
int tw_producer_tasks__new(const char *tracing_dir, const char *clock, struct tw_producer_tasks **ret,
			   struct tw_error *error);

/** tw_producer_tasks__instance() - the bookkeeping instance, borrowed */
struct tw_instance *tw_producer_tasks__instance(struct tw_producer_tasks *tasks);

/**
 * tw_producer_tasks__begin() - record forks, execs and renames from now on, and find the names of the existing tasks
 * @own_pids: pids in /proc are global pids; false in a pid namespace, where only saved_cmdlines is used
 */
int tw_producer_tasks__begin(struct tw_producer_tasks *tasks, bool own_pids, struct tw_error *error);

/** tw_producer_tasks__note() - note an event of a pid without a name; it counts as unnamed unless a name is found */
void tw_producer_tasks__note(struct tw_producer_tasks *tasks, uint32_t pid, uint64_t time);

/** tw_producer_tasks__see() - called for every event; a look-up of one byte if the name is known */
static inline void tw_producer_tasks__see(struct tw_producer_tasks *tasks, uint32_t pid, uint64_t time)
{
	if (__builtin_expect(pid >= TW_TASK_PIDS || tw_task_names__state(&tasks->names, pid) != TW_TASK_NAMED, 0))
		tw_producer_tasks__note(tasks, pid, time);
}

/** tw_producer_tasks__drain() - read the bookkeeping rings */
void tw_producer_tasks__drain(struct tw_producer_tasks *tasks);

/** tw_producer_tasks__settle() - find names for the noted pids, or count their events as unnamed */
void tw_producer_tasks__settle(struct tw_producer_tasks *tasks);

/** tw_producer_tasks__stats() - counters so far */
void tw_producer_tasks__stats(struct tw_producer_tasks *tasks, struct tw_producer_tasks_stats *ret);

/** tw_producer_tasks__free() - free it and remove the instance; NULL is fine. Return: as tw_instance__free() */
bool tw_producer_tasks__free(struct tw_producer_tasks *tasks);

#endif
