/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tasks/tasks.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/tasks/task_events.h"
#include "producer/tasks/task_scan.h"
#include "wire/tracewire.h"

#define NOTED_MAX 256u /* pids without a name in one round; more are counted as unnamed at once */

struct noted {
	uint32_t pid;
	uint64_t first; /* time of the first event */
	uint64_t events;
};

struct tw_tasks_impl {
	struct tw_task_events *events;
	bool own_pids;
	pthread_mutex_t lock; /* of what follows */
	struct noted noted[NOTED_MAX];
	size_t n_noted;
};

int tw_tasks__new(const char *tracing_dir, const char *clock, struct tw_tasks **ret, struct tw_error *err)
{
	struct tw_tasks *tasks = calloc(1, sizeof(*tasks));
	int rc = -ENOMEM;

	if (!tasks)
		return tw_error__set(err, -ENOMEM, "out of memory");
	tasks->impl = calloc(1, sizeof(*tasks->impl));
	if (!tasks->impl || tw_task_names__init(&tasks->names)) {
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
	tw_task_names__learn(&tasks->names, &(struct tw_producer_task){ .name = "<idle>", .origin = TW_COMM_PROC });
	if (own_pids)
		tw_task_scan__proc(&tasks->names);
	else
		tw_task_scan__saved(
			&tasks->names); /* beside /proc it would only add the dead, thousands on a busy machine */
	return 0;
}

/* Remember the pid for tw_tasks__settle(). Return: false if there is no room. */
static bool remember(struct tw_tasks_impl *impl, uint32_t pid, uint64_t time)
{
	for (size_t i = impl->n_noted; i-- > 0;) {
		if (impl->noted[i].pid != pid)
			continue;
		impl->noted[i].events++;
		if (time < impl->noted[i].first) /* CPUs are read one after the other */
			impl->noted[i].first = time;
		return true;
	}
	if (impl->n_noted == NOTED_MAX)
		return false;
	impl->noted[impl->n_noted++] = (struct noted){ .pid = pid, .first = time, .events = 1 };
	return true;
}

void tw_tasks__note(struct tw_tasks *tasks, uint32_t pid, uint64_t time)
{
	bool noted = false;

	if (pid < TW_TASK_PIDS && tw_task_names__state(&tasks->names, pid) != TW_TASK_NAMELESS) {
		pthread_mutex_lock(&tasks->impl->lock);
		noted = remember(tasks->impl, pid, time);
		pthread_mutex_unlock(&tasks->impl->lock);
	}
	if (!noted)
		atomic_fetch_add_explicit(&tasks->unnamed, 1, memory_order_relaxed);
}

void tw_tasks__drain(struct tw_tasks *tasks)
{
	tw_task_events__drain(tasks->impl->events, &tasks->names);
}

/* Named meanwhile by a fork event, or by /proc; else its events are unnamed, these and the coming ones. */
static void settle_one(struct tw_tasks *tasks, const struct noted *noted)
{
	if (tw_task_names__is_named(&tasks->names, noted->pid))
		return;
	if (tasks->impl->own_pids && tw_task_scan__pid(&tasks->names, noted->pid, noted->first))
		return;
	tw_task_names__give_up(&tasks->names, noted->pid);
	atomic_fetch_add_explicit(&tasks->unnamed, noted->events, memory_order_relaxed);
}

void tw_tasks__settle(struct tw_tasks *tasks)
{
	struct tw_tasks_impl *impl = tasks->impl;
	struct noted noted[NOTED_MAX];
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

void tw_tasks__stats(struct tw_tasks *tasks, struct tw_tasks_stats *ret)
{
	*ret = (struct tw_tasks_stats){ .unnamed = tasks->unnamed, .names = tasks->names.learned };
	tw_task_events__stats(tasks->impl->events, &ret->read, &ret->lost);
}

bool tw_tasks__free(struct tw_tasks *tasks)
{
	bool removed = true;

	if (!tasks)
		return true;
	if (tasks->impl) {
		removed = tw_task_events__free(tasks->impl->events);
		pthread_mutex_destroy(&tasks->impl->lock);
	}
	free(tasks->impl);
	tw_task_names__fini(&tasks->names);
	free(tasks);
	return removed;
}
