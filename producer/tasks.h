/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task names. The kernel's records contain only a pid. The names come from saved_cmdlines or /proc at the start, and later from fork, exec
 * and rename events. A separate small instance, the bookkeeping instance, records these events, so that the counters of the selected events
 * stay exact. If the pid of an event has no name yet, the pid is noted, and the name is looked up at the end of the round.
 *
 * One thread calls the functions that drain, settle and take names; any thread may call tw_producer_tasks__see().
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
/* Limit of noted pids in one round. If further pids have no name, their events count as unnamed without a look-up. */
#define TW_TASK_NOTED 256u

enum tw_task_state { TW_TASK_UNKNOWN, TW_TASK_NAMED, TW_TASK_NAMELESS };

/* A task's name, and since when it is valid. */
struct tw_producer_task {
	uint64_t time;   /* since when the name is valid, by the stream's clock; 0 = since the beginning */
	uint64_t before; /* time of the first event that needs this name; 0 = no such event */
	uint32_t pid, tgid;
	uint8_t origin; /* enum tw_comm_origin */
	char name[TW_TASK_NAME];
};

/*
 * The latest name of each pid, and a queue of the names that are not sent yet. One thread changes the table and the queue; any thread may
 * read @state.
 */
struct tw_task_names {
	_Atomic uint8_t *state; /* enum tw_task_state by pid */
	struct tw_producer_task *chunks[TW_TASK_PIDS / TW_TASK_CHUNK];
	struct tw_producer_task *queue;
	size_t n_queue, at_queue, cap_queue;
};

/** tw_task_names__init() - make an empty table. Return: 0 or -ENOMEM */
int tw_task_names__init(struct tw_task_names *names);

/** tw_task_names__state() - look up the state of a pid below TW_TASK_PIDS; in the hot path */
static inline enum tw_task_state tw_task_names__state(const struct tw_task_names *names, uint32_t pid)
{
	return (enum tw_task_state)atomic_load_explicit(&names->state[pid], memory_order_relaxed);
}

/** tw_task_names__is_named() - whether the table has a name of @pid */
static inline bool tw_task_names__is_named(const struct tw_task_names *names, uint32_t pid)
{
	return pid < TW_TASK_PIDS && tw_task_names__state(names, pid) == TW_TASK_NAMED;
}

/** tw_task_names__add() - add a name to the table and the queue. Return: false if the pid is impossible or there is no memory */
bool tw_task_names__add(struct tw_task_names *names, const struct tw_producer_task *task);

/** tw_task_names__take() - get the next name of the queue. Return: false if the queue is empty */
bool tw_task_names__take(struct tw_task_names *names, struct tw_producer_task *ret);

/** tw_task_names__each() - call @cb with the latest name of every task, in the order of pids */
void tw_task_names__each(const struct tw_task_names *names, void (*cb)(void *ctx, const struct tw_producer_task *task),
			 void *ctx);

/** tw_task_names__fini() - free the table and the queue; all-zero is fine */
void tw_task_names__fini(struct tw_task_names *names);

struct tw_task_events;

/* A pid without a name for which an event was read in this round. */
struct tw_noted_pid {
	uint32_t pid;
	uint64_t first; /* time of its first event */
	uint64_t events;
};

struct tw_producer_tasks {
	struct tw_task_names names; /* changed only by the thread that takes names */
	struct tw_task_events *events;
	bool own_pids; /* pids in /proc are global pids: those in the initial pid namespace */
	_Atomic uint64_t unnamed;
	pthread_mutex_t lock; /* protects the members below */
	struct tw_noted_pid noted[TW_TASK_NOTED];
	size_t n_noted;
};

struct tw_producer_tasks_stats {
	uint64_t read, lost; /* events of the bookkeeping instance */
	uint64_t unsure;     /* rings of this instance whose counters cannot be read; @lost lacks their losses */
	uint64_t unnamed;    /* events of tasks whose name could not be found */
};

/**
 * tw_producer_tasks__new() - create the bookkeeping instance, with no events enabled yet; its trace_marker is used to find global pids
 * Return: 0, or -errno with @error filled
 */
int tw_producer_tasks__new(const char *tracing_dir, const char *clock, struct tw_producer_tasks **ret,
			   struct tw_error *error);

/** tw_producer_tasks__instance() - the bookkeeping instance, borrowed */
struct tw_instance *tw_producer_tasks__instance(struct tw_producer_tasks *tasks);

/**
 * tw_producer_tasks__begin() - record forks, execs and renames from now on, and read the names of the existing tasks
 * @own_pids: pids in /proc are global pids. False outside of the initial pid namespace: only saved_cmdlines is read
 * Return: 0, or -errno with @error filled
 */
int tw_producer_tasks__begin(struct tw_producer_tasks *tasks, bool own_pids, struct tw_error *error);

/** tw_producer_tasks__note() - note an event of a pid without a name; tw_producer_tasks__settle() looks up the name */
void tw_producer_tasks__note(struct tw_producer_tasks *tasks, uint32_t pid, uint64_t time);

/** tw_producer_tasks__see() - called for each event; if the pid has a name, this costs only a look-up of one byte */
static inline void tw_producer_tasks__see(struct tw_producer_tasks *tasks, uint32_t pid, uint64_t time)
{
	if (__builtin_expect(pid >= TW_TASK_PIDS || tw_task_names__state(&tasks->names, pid) != TW_TASK_NAMED, 0))
		tw_producer_tasks__note(tasks, pid, time);
}

/** tw_producer_tasks__drain() - read the rings of the bookkeeping instance and add the new names */
void tw_producer_tasks__drain(struct tw_producer_tasks *tasks);

/** tw_producer_tasks__settle() - find names for the noted pids; the events of pids without a name count as unnamed */
void tw_producer_tasks__settle(struct tw_producer_tasks *tasks);

/** tw_producer_tasks__stats() - get the counters so far */
void tw_producer_tasks__stats(struct tw_producer_tasks *tasks, struct tw_producer_tasks_stats *ret);

/** tw_producer_tasks__free() - remove the bookkeeping instance and free all memory; NULL is fine. Return: as tw_instance__free() */
bool tw_producer_tasks__free(struct tw_producer_tasks *tasks);

#endif
