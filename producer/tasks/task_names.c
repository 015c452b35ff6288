/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tasks/task_names.h"

#include <errno.h>
#include <stdlib.h>

#include "base/counter.h"
#include "wire/tracewire.h"

int tw_task_names__init(struct tw_task_names *names)
{
	*names = (struct tw_task_names){ 0 };
	names->state = calloc(TW_TASK_PIDS, sizeof(*names->state));
	return names->state ? 0 : -ENOMEM;
}

static struct tw_producer_task *table_entry(struct tw_task_names *names, uint32_t pid)
{
	struct tw_producer_task **chunk = &names->chunks[pid / TW_TASK_CHUNK];

	if (!*chunk)
		*chunk = calloc(TW_TASK_CHUNK, sizeof(**chunk));
	return *chunk ? *chunk + pid % TW_TASK_CHUNK : NULL;
}

static bool push(struct tw_task_names *names, const struct tw_producer_task *task)
{
	if (names->n_queue == names->cap_queue) {
		const size_t cap = names->cap_queue ? names->cap_queue * 2 : 256;
		struct tw_producer_task *queue = realloc(names->queue, cap * sizeof(*queue));

		if (!queue)
			return false;
		names->queue = queue;
		names->cap_queue = cap;
	}
	names->queue[names->n_queue++] = *task;
	return true;
}

bool tw_task_names__learn(struct tw_task_names *names, const struct tw_producer_task *task)
{
	struct tw_producer_task *entry;

	if (task->pid >= TW_TASK_PIDS)
		return false;
	entry = table_entry(names, task->pid);
	if (!entry || !push(names, task))
		return false;
	if (task->time >= entry->time)
		*entry = *task;
	else if (task->origin == TW_COMM_FORK) /* read after a rename that another CPU recorded later */
		entry->tgid = task->tgid;
	tw_counter__add(&names->learned, 1);
	atomic_store_explicit(&names->state[task->pid], TW_TASK_NAMED, memory_order_relaxed);
	return true;
}

bool tw_task_names__is_named(const struct tw_task_names *names, uint32_t pid)
{
	return pid < TW_TASK_PIDS && names->state[pid] == TW_TASK_NAMED;
}

uint32_t tw_task_names__tgid(const struct tw_task_names *names, uint32_t pid)
{
	const struct tw_producer_task *chunk = pid < TW_TASK_PIDS ? names->chunks[pid / TW_TASK_CHUNK] : NULL;

	return chunk ? chunk[pid % TW_TASK_CHUNK].tgid : 0;
}

void tw_task_names__give_up(struct tw_task_names *names, uint32_t pid)
{
	if (pid < TW_TASK_PIDS)
		atomic_store_explicit(&names->state[pid], TW_TASK_NAMELESS, memory_order_relaxed);
}

bool tw_task_names__take(struct tw_task_names *names, struct tw_producer_task *ret)
{
	if (names->at_queue == names->n_queue) {
		names->at_queue = names->n_queue = 0;
		return false;
	}
	*ret = names->queue[names->at_queue++];
	return true;
}

void tw_task_names__each(const struct tw_task_names *names, void (*cb)(void *ctx, const struct tw_producer_task *task),
			 void *ctx)
{
	for (uint32_t i = 0; i < TW_TASK_PIDS / TW_TASK_CHUNK; i++)
		for (uint32_t k = 0; names->chunks[i] && k < TW_TASK_CHUNK; k++)
			if (tw_task_names__is_named(names, i * TW_TASK_CHUNK + k))
				cb(ctx, &names->chunks[i][k]);
}

void tw_task_names__fini(struct tw_task_names *names)
{
	for (size_t i = 0; i < TW_TASK_PIDS / TW_TASK_CHUNK; i++)
		free(names->chunks[i]);
	free(names->queue);
	free((void *)names->state);
}
