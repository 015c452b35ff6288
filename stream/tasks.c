/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/tasks.h"

#include <errno.h>

/* 10 s if the clock counts ns. Events that arrive after a COMM record are expected to be older than the record by at most this time. */
#define OLD_NS 10000000000ull

/* The names of a task. The latest name is stored separately: most tasks have only one name, and most look-ups need the latest name. */
struct task_names {
	struct tw_task_name last;
	struct tw_task_name *older; /* earlier names, sorted by since, the oldest first */
	uint32_t n_older, room_older;
};

void tw_tasks__init(struct tw_tasks *tasks, enum tw_history history, const struct tw_alloc *alloc)
{
	*tasks = (struct tw_tasks){
		.by_pid = { .alloc = alloc,
			    .key_size = sizeof(uint64_t),
			    .value_size = sizeof(struct task_names),
			    .max = TW_STREAM_TASKS_MAX },
		.history = history,
	};
}

size_t tw_tasks__memory(const struct tw_tasks *tasks)
{
	return tw_hash_table__memory(&tasks->by_pid) + tasks->older;
}

static struct tw_task_name name_of(const struct tw_comm_view *comm, uint32_t position)
{
	struct tw_task_name name = {
		.since = comm->time,
		.position = position,
		.len = (uint8_t)(comm->len < TW_COMM_MAX ? comm->len : TW_COMM_MAX),
	};

	memcpy(name.name, comm->name, name.len);
	return name;
}

static bool is_same(const struct tw_task_name *a, const struct tw_task_name *b)
{
	return a->len == b->len && !memcmp(a->name, b->name, a->len);
}

static void forget_oldest(struct task_names *task, uint32_t n)
{
	task->n_older -= n;
	memmove(task->older, task->older + n, task->n_older * sizeof(*task->older));
}

/* Remove the names that no later event can need. These are the names whose next name is older than @now by more than OLD_NS. */
static void forget_past(struct tw_tasks *tasks, struct task_names *task, uint64_t now)
{
	uint32_t n = 0;

	while (n + 1 < task->n_older && task->older[n + 1].since + OLD_NS < now)
		n++;
	if (n)
		forget_oldest(task, n);
	if (task->n_older == 1 && task->last.since + OLD_NS < now) {
		tw_alloc__free(tasks->by_pid.alloc, task->older, task->room_older * sizeof(*task->older));
		tasks->older -= task->room_older * sizeof(*task->older);
		task->older = NULL;
		task->n_older = task->room_older = 0;
	}
}

/* Double the array of older names, within @room bytes. Return: 0; -E2BIG, -ENOMEM */
static int grow(struct tw_tasks *tasks, struct task_names *task, size_t room)
{
	const uint32_t most = tasks->history == TW_HISTORY_ALL ? TW_STREAM_ALL_TASK_NAMES_MAX
							       : TW_STREAM_TASK_NAMES_MAX,
		       more = task->room_older ? task->room_older : 1;
	struct tw_task_name *older;

	if (task->room_older >= most || more * sizeof(*older) > room)
		return -E2BIG;
	older = tw_alloc__resize(tasks->by_pid.alloc, task->older, task->room_older * sizeof(*older),
				 (task->room_older + more) * sizeof(*older));
	if (!older)
		return -ENOMEM;
	task->older = older;
	task->room_older += more;
	tasks->older += more * sizeof(*older);
	return 0;
}

/* Make room for one more older name; TW_HISTORY_LATEST may remove the oldest names. Return: 0; -E2BIG, -ENOMEM */
static int make_room(struct tw_tasks *tasks, struct task_names *task, uint64_t now, size_t room)
{
	int err;

	if (tasks->history == TW_HISTORY_LATEST)
		forget_past(tasks, task, now);
	if (task->n_older < task->room_older)
		return 0;
	err = grow(tasks, task, room);
	if (err && tasks->history == TW_HISTORY_LATEST && task->n_older) {
		forget_oldest(task, (task->n_older + 1) / 2);
		return 0;
	}
	return err;
}

static int rename_task(struct tw_tasks *tasks, struct task_names *task, const struct tw_task_name *name, size_t room)
{
	const int err = make_room(tasks, task, name->since, room);

	if (err && tasks->history == TW_HISTORY_ALL)
		return err;
	if (!err)
		task->older[task->n_older++] = task->last;
	task->last = *name;
	return 0;
}

/* Return: number of older names whose since is at most @time. */
static uint32_t older_until(const struct task_names *task, uint64_t time)
{
	uint32_t low = 0, high = task->n_older;

	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;

		if (task->older[mid].since <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Insert a name whose since is earlier than that of the latest name, because its record was sent late. */
static int insert(struct tw_tasks *tasks, struct task_names *task, const struct tw_task_name *name, size_t room)
{
	const uint32_t at = older_until(task, name->since);
	int err;

	if (at && is_same(&task->older[at - 1], name))
		return 0;
	err = make_room(tasks, task, 0, room);
	if (err)
		return err;
	memmove(&task->older[at + 1], &task->older[at], (task->n_older - at) * sizeof(*task->older));
	task->older[at] = *name;
	task->n_older++;
	return 0;
}

int tw_tasks__add(struct tw_tasks *tasks, const struct tw_comm_view *comm, uint32_t position, size_t room)
{
	const struct tw_task_name name = name_of(comm, position);
	struct task_names *task = tw_hash_table__find_u64(&tasks->by_pid, comm->pid);
	void *made;
	int err;

	if (!task) {
		if (tw_hash_table__growth(&tasks->by_pid) > room)
			return -E2BIG;
		err = tw_hash_table__put_u64(&tasks->by_pid, comm->pid, &made);
		if (err < 0)
			return err;
		((struct task_names *)made)->last = name;
		return 0;
	}
	if (name.since >= task->last.since)
		return is_same(&task->last, &name) ? 0 : rename_task(tasks, task, &name, room);
	/* The record is older than the latest name: it repeats an earlier name, or was sent late. */
	return tasks->history == TW_HISTORY_ALL ? insert(tasks, task, &name, room) : 0;
}

const struct tw_task_name *tw_tasks__name(const struct tw_tasks *tasks, uint32_t pid, uint64_t time)
{
	const struct task_names *task = tw_hash_table__find_u64(&tasks->by_pid, pid);
	uint32_t n;

	if (!task)
		return NULL;
	if (task->last.since <= time)
		return &task->last;
	n = older_until(task, time);
	if (n)
		return &task->older[n - 1];
	/* The name at @time is unknown. TW_HISTORY_LATEST may have removed older names: the oldest kept name is the best guess. */
	if (tasks->history == TW_HISTORY_ALL)
		return NULL;
	return task->n_older ? &task->older[0] : &task->last;
}

void tw_tasks__fini(struct tw_tasks *tasks)
{
	for (uint32_t i = 0; i < tasks->by_pid.n; i++) {
		struct task_names *task = tw_hash_table__value(&tasks->by_pid, i);

		tw_alloc__free(tasks->by_pid.alloc, task->older, task->room_older * sizeof(*task->older));
	}
	tw_hash_table__fini(&tasks->by_pid);
	tasks->older = 0;
}
