/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tasks.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/task_events.h"
#include "producer/task_scan.h"
#include "producer/tasks_impl.h"

#define CHUNK      1024u /* pids in one piece of the table */
#define NOTED_MOST 256u  /* pids without a name in one round; more are counted as unnamed at once */

struct noted {
	uint32_t pid;
	uint64_t first; /* time of the first event */
	uint64_t events;
};

struct tw_tasks_impl {
	struct tw_task_events *events;
	struct tw_task *chunks[TW_TASK_PIDS / CHUNK];
	struct tw_task *queue; /* learned, not taken yet */
	size_t n_queue, at_queue, cap_queue;
	bool own_pids;
	uint64_t names;
	pthread_mutex_t lock; /* of what follows */
	struct noted noted[NOTED_MOST];
	size_t n_noted;
};

int tw_tasks__new(const char *tracing_dir, const char *clock, struct tw_tasks **ret, struct tw_error *err)
{
	struct tw_tasks *tasks = calloc(1, sizeof(*tasks));
	int rc = -ENOMEM;

	if (!tasks)
		return tw_error__set(err, -ENOMEM, "out of memory");
	tasks->state = calloc(TW_TASK_PIDS, sizeof(*tasks->state));
	tasks->impl = calloc(1, sizeof(*tasks->impl));
	if (!tasks->state || !tasks->impl) {
		tw_error__set(err, rc, "out of memory");
		goto fail;
	}
	pthread_mutex_init(&tasks->impl->lock, NULL);
	rc = tw_task_events__new(tracing_dir, clock, &tasks->impl->events, err);
	if (rc)
		goto fail;
	*ret = tasks;
	return 0;
fail:
	tw_tasks__free(tasks);
	return rc;
}

struct tw_instance *tw_tasks__instance(struct tw_tasks *tasks)
{
	return tw_task_events__instance(tasks->impl->events);
}

int tw_tasks__begin(struct tw_tasks *tasks, bool own_pids, struct tw_error *err)
{
	const int rc = tw_task_events__begin(tasks->impl->events, err);

	if (rc)
		return rc;
	tasks->impl->own_pids = own_pids;
	tw_tasks__learn(tasks, &(struct tw_task){ .name = "<idle>", .origin = TW_COMM_PROC });
	if (own_pids)
		tw_task_scan__proc(tasks);
	else
		tw_task_scan__saved(tasks); /* beside /proc it would only add the dead, thousands on a busy machine */
	return 0;
}

static struct tw_task *table_entry(struct tw_tasks_impl *impl, uint32_t pid)
{
	struct tw_task **chunk = &impl->chunks[pid / CHUNK];

	if (!*chunk)
		*chunk = calloc(CHUNK, sizeof(**chunk));
	return *chunk ? *chunk + pid % CHUNK : NULL;
}

static bool push(struct tw_tasks_impl *impl, const struct tw_task *task)
{
	if (impl->n_queue == impl->cap_queue) {
		const size_t cap = impl->cap_queue ? impl->cap_queue * 2 : 256;
		struct tw_task *queue = realloc(impl->queue, cap * sizeof(*queue));

		if (!queue)
			return false;
		impl->queue = queue;
		impl->cap_queue = cap;
	}
	impl->queue[impl->n_queue++] = *task;
	return true;
}

bool tw_tasks__learn(struct tw_tasks *tasks, const struct tw_task *task)
{
	struct tw_tasks_impl *impl = tasks->impl;
	struct tw_task *entry;

	if (task->pid >= TW_TASK_PIDS)
		return false;
	entry = table_entry(impl, task->pid);
	if (!entry || !push(impl, task))
		return false;
	if (task->time >= entry->time)
		*entry = *task;
	else if (task->origin == TW_COMM_FORK) /* read after a rename that another CPU recorded later */
		entry->tgid = task->tgid;
	impl->names++;
	atomic_store_explicit(&tasks->state[task->pid], TW_TASK_NAMED, memory_order_relaxed);
	return true;
}

bool tw_tasks__is_named(const struct tw_tasks *tasks, uint32_t pid)
{
	return pid < TW_TASK_PIDS && tasks->state[pid] == TW_TASK_NAMED;
}

uint32_t tw_tasks__tgid(const struct tw_tasks *tasks, uint32_t pid)
{
	const struct tw_task *chunk = pid < TW_TASK_PIDS ? tasks->impl->chunks[pid / CHUNK] : NULL;

	return chunk ? chunk[pid % CHUNK].tgid : 0;
}

/* Remember the pid for tw_tasks__settle(). Return: false if there is no room. */
static bool remember(struct tw_tasks_impl *impl, uint32_t pid, uint64_t time)
{
	for (size_t i = impl->n_noted; i-- > 0;) {
		if (impl->noted[i].pid != pid)
			continue;
		impl->noted[i].events++;
		return true;
	}
	if (impl->n_noted == NOTED_MOST)
		return false;
	impl->noted[impl->n_noted++] = (struct noted){ .pid = pid, .first = time, .events = 1 };
	return true;
}

void tw_tasks__note(struct tw_tasks *tasks, uint32_t pid, uint64_t time)
{
	bool noted = false;

	if (pid < TW_TASK_PIDS && tasks->state[pid] != TW_TASK_NAMELESS) {
		pthread_mutex_lock(&tasks->impl->lock);
		noted = remember(tasks->impl, pid, time);
		pthread_mutex_unlock(&tasks->impl->lock);
	}
	if (!noted)
		atomic_fetch_add_explicit(&tasks->unnamed, 1, memory_order_relaxed);
}

void tw_tasks__drain(struct tw_tasks *tasks)
{
	tw_task_events__drain(tasks->impl->events, tasks);
}

/* Named meanwhile by a fork event, or by /proc; else its events are unnamed, these and the coming ones. */
static void settle_one(struct tw_tasks *tasks, const struct noted *noted)
{
	if (tw_tasks__is_named(tasks, noted->pid))
		return;
	if (tasks->impl->own_pids && tw_task_scan__pid(tasks, noted->pid, noted->first))
		return;
	atomic_store_explicit(&tasks->state[noted->pid], TW_TASK_NAMELESS, memory_order_relaxed);
	atomic_fetch_add_explicit(&tasks->unnamed, noted->events, memory_order_relaxed);
}

void tw_tasks__settle(struct tw_tasks *tasks)
{
	struct tw_tasks_impl *impl = tasks->impl;
	struct noted noted[NOTED_MOST];
	size_t n;

	pthread_mutex_lock(&impl->lock);
	n = impl->n_noted;
	memcpy(noted, impl->noted, n * sizeof(*noted));
	impl->n_noted = 0;
	pthread_mutex_unlock(&impl->lock);
	if (!n)
		return;
	tw_tasks__drain(tasks); /* most were forked since the last time */
	for (size_t i = 0; i < n; i++)
		settle_one(tasks, &noted[i]);
}

bool tw_tasks__take(struct tw_tasks *tasks, struct tw_task *ret)
{
	struct tw_tasks_impl *impl = tasks->impl;

	if (impl->at_queue == impl->n_queue) {
		impl->at_queue = impl->n_queue = 0;
		return false;
	}
	*ret = impl->queue[impl->at_queue++];
	return true;
}

void tw_tasks__each(struct tw_tasks *tasks, void (*cb)(void *ctx, const struct tw_task *task), void *ctx)
{
	for (uint32_t i = 0; i < TW_TASK_PIDS / CHUNK; i++)
		for (uint32_t k = 0; tasks->impl->chunks[i] && k < CHUNK; k++)
			if (tw_tasks__is_named(tasks, i * CHUNK + k))
				cb(ctx, &tasks->impl->chunks[i][k]);
}

void tw_tasks__stats(struct tw_tasks *tasks, struct tw_tasks_stats *ret)
{
	*ret = (struct tw_tasks_stats){ .unnamed = tasks->unnamed, .names = tasks->impl->names };
	tw_task_events__stats(tasks->impl->events, &ret->read, &ret->lost);
}

void tw_tasks__free(struct tw_tasks *tasks)
{
	if (!tasks)
		return;
	if (tasks->impl) {
		tw_task_events__free(tasks->impl->events);
		for (size_t i = 0; i < TW_TASK_PIDS / CHUNK; i++)
			free(tasks->impl->chunks[i]);
		free(tasks->impl->queue);
		pthread_mutex_destroy(&tasks->impl->lock);
	}
	free(tasks->impl);
	free((void *)tasks->state);
	free(tasks);
}
