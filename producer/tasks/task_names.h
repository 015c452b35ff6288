/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of task names: the latest of every pid, and a queue of those learned and not announced yet. One thread writes;
 * any thread may look at the state of a pid.
 */
#ifndef TW_TASK_NAMES_H
#define TW_TASK_NAMES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_TASK_NAME  16         /* TASK_COMM_LEN */
#define TW_TASK_PIDS  (4u << 20) /* PID_MAX_LIMIT of 64-bit kernels */
#define TW_TASK_CHUNK 1024u      /* pids in one piece of the table */

enum tw_task_state { TW_TASK_UNKNOWN, TW_TASK_NAMED, TW_TASK_NAMELESS };

/* A name from a time on. */
struct tw_producer_task {
	uint64_t time;   /* in the stream's clock; 0 = as far back as is known */
	uint64_t before; /* the COMM record must be placed before events of this time */
	uint32_t pid, tgid;
	uint8_t origin; /* enum tw_comm_origin */
	char name[TW_TASK_NAME];
};

struct tw_task_names {
	_Atomic uint8_t *state; /* enum tw_task_state by pid */
	struct tw_producer_task *chunks[TW_TASK_PIDS / TW_TASK_CHUNK];
	struct tw_producer_task *queue; /* learned, not taken yet */
	size_t n_queue, at_queue, cap_queue;
	_Atomic uint64_t learned; /* names, in all (base/counter.h) */
};

/** tw_task_names__init() - an empty table. Return: 0 or -ENOMEM */
int tw_task_names__init(struct tw_task_names *names);

/** tw_task_names__state() - of a pid below TW_TASK_PIDS; the hot path's look-up */
static inline enum tw_task_state tw_task_names__state(const struct tw_task_names *names, uint32_t pid)
{
	return (enum tw_task_state)atomic_load_explicit(&names->state[pid], memory_order_relaxed);
}

/** tw_task_names__is_named() - whether any pid's name is known */
bool tw_task_names__is_named(const struct tw_task_names *names, uint32_t pid);

/** tw_task_names__tgid() - of a named task; 0 if not known */
uint32_t tw_task_names__tgid(const struct tw_task_names *names, uint32_t pid);

/** tw_task_names__learn() - a name from a time on. Return: false for an impossible pid or without memory */
bool tw_task_names__learn(struct tw_task_names *names, const struct tw_producer_task *task);

/** tw_task_names__give_up() - the name of that pid cannot be learned, until something says it after all */
void tw_task_names__give_up(struct tw_task_names *names, uint32_t pid);

/** tw_task_names__take() - the next name of the queue. Return: false if there is none */
bool tw_task_names__take(struct tw_task_names *names, struct tw_producer_task *ret);

/** tw_task_names__each() - the latest name of every task, by pid */
void tw_task_names__each(const struct tw_task_names *names, void (*cb)(void *ctx, const struct tw_producer_task *task),
			 void *ctx);

/** tw_task_names__fini() - an all-zero table is fine */
void tw_task_names__fini(struct tw_task_names *names);

#endif
