/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/tasks.h"

#include "dissector/shown.h"

struct tw_task {
	struct tw_task_name *names; /* sorted by time */
	uint32_t n, cap;
};

/* How many names are from @time or before. Most look-ups want the last one. */
static uint32_t names_until(const struct tw_task *task, uint64_t time)
{
	uint32_t low = 0, high = task->n;

	if (high && task->names[high - 1].time <= time)
		return high;
	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;

		if (task->names[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

#define MAP_ENTRY_BYTES 112 /* of a wmem_map and of small pieces of memory, the share of the table included, about */

/* NULL when the capture is full. */
static struct tw_task *task_of(struct tw_stream *stream, uint32_t pid)
{
	struct tw_task *task = wmem_map_lookup(stream->tasks, GUINT_TO_POINTER(pid));

	if (!task && tw_capture__allow(sizeof(*task) + MAP_ENTRY_BYTES)) {
		task = wmem_new0(wmem_file_scope(), struct tw_task);
		wmem_map_insert(stream->tasks, GUINT_TO_POINTER(pid), task);
	}
	return task;
}

static void insert_name(struct tw_task *task, uint32_t at, struct tw_task_name name)
{
	if (task->n == task->cap) {
		task->cap = task->cap ? task->cap * 2 : 1;
		task->names = wmem_realloc(wmem_file_scope(), task->names, task->cap * sizeof(*task->names));
	}
	memmove(&task->names[at + 1], &task->names[at], (task->n - at) * sizeof(*task->names));
	task->names[at] = name;
	task->n++;
}

static bool learn_name(struct tw_task *task, const char *name, uint64_t time, uint32_t frame)
{
	const uint32_t at = names_until(task, time);

	if (at && !strcmp(task->names[at - 1].name, name))
		return true; /* repeated for late joiners */
	/* An array that grows by doubling has up to as much again. */
	if (task->n >= TW_NAMES_PER_TASK_MAX || !tw_capture__allow(2 * sizeof(*task->names) + strlen(name) + 1))
		return false;
	insert_name(task, at, (struct tw_task_name){ time, wmem_strdup(wmem_file_scope(), name), frame });
	return true;
}

bool tw_stream__learn_task(struct tw_stream *stream, const struct tw_comm_view *comm, uint32_t frame)
{
	struct tw_task *task = task_of(stream, comm->pid);
	char *name;
	bool learnt;

	if (!task)
		return false;
	name = tw_shown__dup(NULL, comm->name, comm->len);
	learnt = learn_name(task, name, comm->time, frame);
	wmem_free(NULL, name);
	return learnt;
}

const struct tw_task_name *tw_stream__task_name(const struct tw_stream *stream, uint32_t pid, uint64_t time)
{
	const struct tw_task *task = wmem_map_lookup(stream->tasks, GUINT_TO_POINTER(pid));
	const uint32_t n = task ? names_until(task, time) : 0;

	return n ? &task->names[n - 1] : NULL;
}
