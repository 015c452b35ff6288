/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tasks/tasks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/counter.h"
#include "producer/tasks/task_events.h"
#include "producer/tracing_dir.h"
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

bool tw_task_names__add(struct tw_task_names *names, const struct tw_producer_task *task)
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

uint32_t tw_task_names__tgid(const struct tw_task_names *names, uint32_t pid)
{
	const struct tw_producer_task *chunk = pid < TW_TASK_PIDS ? names->chunks[pid / TW_TASK_CHUNK] : NULL;

	return chunk ? chunk[pid % TW_TASK_CHUNK].tgid : 0;
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

/* /proc appends to a kworker's name what it works on ("kworker/0:1-events"); task->comm, and so the trace, does not have that. */
static void cut_workqueue(char *name)
{
	unsigned int a, b;
	int end = 0;

	if (sscanf(name, "kworker/%u:%u%n", &a, &b, &end) != 2 && sscanf(name, "kworker/u%u:%u%n", &a, &b, &end) != 2)
		return;
	name[(size_t)end + strcspn(name + end, "-+")] = '\0';
}

static bool read_comm(const char *path, char name[TW_TASK_NAME])
{
	char buf[128];
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t len = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);

	if (fd >= 0)
		close(fd);
	if (len <= 0)
		return false;
	buf[len - (buf[len - 1] == '\n')] = '\0';
	cut_workqueue(buf);
	snprintf(name, TW_TASK_NAME, "%.*s", TW_TASK_NAME - 1, buf);
	return true;
}

static void scan_process(struct tw_task_names *names, uint32_t tgid)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", tgid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		struct tw_producer_task task = { .origin = TW_COMM_PROC, .tgid = tgid };

		task.pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", tgid, task.pid);
		if (task.pid && read_comm(path, task.name))
			tw_task_names__add(names, &task);
	}
	if (dir)
		closedir(dir);
}

/* All threads of all processes. */
static void scan_proc(struct tw_task_names *names)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const uint32_t tgid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (tgid)
			scan_process(names, tgid);
	}
	if (dir)
		closedir(dir);
}

/* What is not known yet, of saved_cmdlines. */
static void scan_saved(struct tw_task_names *names)
{
	const char *dir;
	char *text, *save = NULL;

	if (tw_tracing_dir__find(&dir, NULL) || tw_tracing_file__read(dir, "saved_cmdlines", &text, NULL))
		return;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct tw_producer_task task = { .origin = TW_COMM_SAVED };
		int at = 0;

		if (sscanf(line, "%u %n", &task.pid, &at) != 1 || !at || tw_task_names__is_named(names, task.pid))
			continue;
		snprintf(task.name, sizeof(task.name), "%.*s", TW_TASK_NAME - 1, line + at);
		tw_task_names__add(names, &task);
	}
	free(text);
}

static uint32_t read_tgid(uint32_t pid)
{
	char path[64], line[256];
	uint32_t tgid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %u", &tgid) == 1)
			break;
	if (file)
		fclose(file);
	return tgid;
}

/* One task's name from /proc, to be placed before events of the time @before. Return: false if the task is gone */
static bool scan_pid(struct tw_task_names *names, uint32_t pid, uint64_t before)
{
	struct tw_producer_task task = { .origin = TW_COMM_PROC, .pid = pid, .before = before };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/comm", pid); /* of any thread, though only leaders are listed */
	if (!read_comm(path, task.name))
		return false;
	task.tgid = read_tgid(pid);
	return tw_task_names__add(names, &task);
}

int tw_producer_tasks__new(const char *tracing_dir, const char *clock, struct tw_producer_tasks **ret,
			   struct tw_error *error)
{
	struct tw_producer_tasks *tasks = calloc(1, sizeof(*tasks));
	int err;

	if (!tasks)
		return tw_error__set(error, -ENOMEM, "out of memory");
	pthread_mutex_init(&tasks->lock, NULL);
	if (tw_task_names__init(&tasks->names))
		err = tw_error__set(error, -ENOMEM, "out of memory");
	else
		err = tw_task_events__new(tracing_dir, clock, &tasks->events, error);
	if (err) {
		tw_producer_tasks__free(tasks);
		return err;
	}
	*ret = tasks;
	return 0;
}

struct tw_instance *tw_producer_tasks__instance(struct tw_producer_tasks *tasks)
{
	return tw_task_events__instance(tasks->events);
}

int tw_producer_tasks__begin(struct tw_producer_tasks *tasks, bool own_pids, struct tw_error *error)
{
	const int err = tw_task_events__begin(tasks->events, error);

	if (err)
		return err;
	tasks->own_pids = own_pids;
	tw_task_names__add(&tasks->names, &(struct tw_producer_task){ .name = "<idle>", .origin = TW_COMM_PROC });
	if (own_pids)
		scan_proc(&tasks->names);
	else /* beside /proc it would only add the dead, thousands on a busy machine */
		scan_saved(&tasks->names);
	return 0;
}

/* Note the pid for tw_producer_tasks__settle(). Return: false if there is no room */
static bool note(struct tw_producer_tasks *tasks, uint32_t pid, uint64_t time)
{
	for (size_t i = tasks->n_noted; i-- > 0;) {
		struct tw_noted_pid *noted = &tasks->noted[i];

		if (noted->pid != pid)
			continue;
		noted->events++;
		if (time < noted->first) /* CPUs are read one after the other */
			noted->first = time;
		return true;
	}
	if (tasks->n_noted == TW_TASK_NOTED)
		return false;
	tasks->noted[tasks->n_noted++] = (struct tw_noted_pid){ .pid = pid, .first = time, .events = 1 };
	return true;
}

void tw_producer_tasks__note(struct tw_producer_tasks *tasks, uint32_t pid, uint64_t time)
{
	bool noted = false;

	if (pid < TW_TASK_PIDS && tw_task_names__state(&tasks->names, pid) != TW_TASK_NAMELESS) {
		pthread_mutex_lock(&tasks->lock);
		noted = note(tasks, pid, time);
		pthread_mutex_unlock(&tasks->lock);
	}
	if (!noted)
		atomic_fetch_add_explicit(&tasks->unnamed, 1, memory_order_relaxed);
}

void tw_producer_tasks__drain(struct tw_producer_tasks *tasks)
{
	tw_task_events__drain(tasks->events, &tasks->names);
}

/* Named meanwhile by a fork event, or by /proc. Else its events are unnamed, these and the coming ones, until something names it. */
static void settle_one(struct tw_producer_tasks *tasks, const struct tw_noted_pid *noted)
{
	if (tw_task_names__is_named(&tasks->names, noted->pid))
		return;
	if (tasks->own_pids && scan_pid(&tasks->names, noted->pid, noted->first))
		return;
	atomic_store_explicit(&tasks->names.state[noted->pid], TW_TASK_NAMELESS, memory_order_relaxed);
	atomic_fetch_add_explicit(&tasks->unnamed, noted->events, memory_order_relaxed);
}

void tw_producer_tasks__settle(struct tw_producer_tasks *tasks)
{
	struct tw_noted_pid noted[TW_TASK_NOTED];
	size_t n;

	pthread_mutex_lock(&tasks->lock);
	n = tasks->n_noted;
	memcpy(noted, tasks->noted, n * sizeof(*noted));
	tasks->n_noted = 0;
	pthread_mutex_unlock(&tasks->lock);
	if (!n)
		return;
	tw_producer_tasks__drain(tasks); /* most were forked since the last time */
	for (size_t i = 0; i < n; i++)
		settle_one(tasks, &noted[i]);
}

void tw_producer_tasks__stats(struct tw_producer_tasks *tasks, struct tw_producer_tasks_stats *ret)
{
	*ret = (struct tw_producer_tasks_stats){ .unnamed = tasks->unnamed, .names = tasks->names.learned };
	tw_task_events__stats(tasks->events, &ret->read, &ret->lost);
}

bool tw_producer_tasks__free(struct tw_producer_tasks *tasks)
{
	bool removed;

	if (!tasks)
		return true;
	removed = tw_task_events__free(tasks->events);
	pthread_mutex_destroy(&tasks->lock);
	tw_task_names__fini(&tasks->names);
	free(tasks);
	return removed;
}
