/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tasks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/counter.h"
#include "producer/native_ring.h"
#include "producer/tracing_dir.h"
#include "schema/field.h"
#include "schema/schema.h"
#include "wire/tracewire.h"

#define RING_KIB 512 /* size for each CPU; enough for 1 s at 5,000 forks/s */

/* The events that the bookkeeping instance records. */
enum task_event_kind { NEWTASK, RENAME, EXEC, KINDS };

static const struct {
	const char *system, *name;
	enum tw_comm_origin origin;
	const char *text; /* the field with the name */
} kinds[KINDS] = {
	[NEWTASK] = { "task", "task_newtask", TW_COMM_FORK, "comm" },
	[RENAME] = { "task", "task_rename", TW_COMM_RENAME, "newcomm" },
	[EXEC] = { "sched", "sched_process_exec", TW_COMM_EXEC, "filename" },
};

/* An event about a task, copied from its ring. */
struct task_event {
	uint64_t time;
	enum task_event_kind kind;
	uint32_t pid, maker; /* maker: the task in which the event happened; for NEWTASK, the creator of the task */
	uint64_t clone_flags;
	char name[TW_TASK_NAME];
	char old[TW_TASK_NAME]; /* name before a rename; "" = unknown */
};

struct tw_task_events {
	struct tw_instance *instance;
	struct tw_schema *schema;
	const struct tw_format *formats[KINDS];
	const struct tw_field *pid[KINDS], *text[KINDS], *clone_flags, *old;
	int *fds; /* trace_pipe_raw of each CPU; negative = not open */
	long cpus;
	uint8_t *page;
	size_t page_size;
	struct task_event *seen; /* events read from all CPUs, during tw_producer_tasks__drain() */
	size_t n_seen, cap_seen;
	_Atomic uint64_t read; /* number of events read (producer/counter.h) */
};

static int load_format(struct tw_task_events *ev, const char *tracing_dir, enum task_event_kind kind,
		       struct tw_error *error)
{
	char path[128];
	char *text;
	int err;

	snprintf(path, sizeof(path), "events/%s/%s/format", kinds[kind].system, kinds[kind].name);
	err = tw_tracing_file__read(tracing_dir, path, &text, error);
	if (err)
		return err;
	err = tw_schema__add(ev->schema, kinds[kind].system, text, strlen(text), &ev->formats[kind], error);
	free(text);
	if (err)
		return err;
	ev->pid[kind] = tw_format__find(ev->formats[kind], "pid");
	ev->text[kind] = tw_format__find(ev->formats[kind], kinds[kind].text);
	if (!ev->pid[kind] || !ev->text[kind])
		return tw_error__set(error, -ENOTSUP, "event %s:%s of this kernel lacks the field pid or the field %s",
				     kinds[kind].system, kinds[kind].name, kinds[kind].text);
	return 0;
}

static int alloc_buffers(struct tw_task_events *ev, struct tw_error *error)
{
	ev->cpus = sysconf(_SC_NPROCESSORS_CONF);
	ev->page_size = (size_t)sysconf(_SC_PAGESIZE);
	ev->page = malloc(ev->page_size + TW_NATIVE_PAGE_SLACK);
	ev->fds = calloc((size_t)ev->cpus, sizeof(*ev->fds));
	if (!ev->page || !ev->fds)
		return tw_error__set(error, -ENOMEM, "out of memory");
	for (long cpu = 0; cpu < ev->cpus; cpu++)
		ev->fds[cpu] = -1;
	return 0;
}

/* Return: as tw_instance__free() */
static bool task_events__free(struct tw_task_events *ev)
{
	bool removed;

	if (!ev)
		return true;
	for (long cpu = 0; ev->fds && cpu < ev->cpus; cpu++)
		if (ev->fds[cpu] >= 0)
			close(ev->fds[cpu]);
	removed = tw_instance__free(ev->instance);
	tw_schema__free(ev->schema);
	free(ev->fds);
	free(ev->page);
	free(ev->seen);
	free(ev);
	return removed;
}

/* Creates the bookkeeping instance, with no events enabled. */
static int task_events__new(const char *tracing_dir, const char *clock, struct tw_task_events **ret,
			    struct tw_error *error)
{
	struct tw_task_events *ev = calloc(1, sizeof(*ev));
	char ring_kib[16];
	int err = 0;

	snprintf(ring_kib, sizeof(ring_kib), "%d", RING_KIB);
	if (ev)
		ev->schema = tw_schema__new();
	if (!ev || !ev->schema)
		err = tw_error__set(error, -ENOMEM, "out of memory");
	for (enum task_event_kind kind = 0; kind < KINDS && !err; kind++)
		err = load_format(ev, tracing_dir, kind, error);
	if (!err) {
		ev->clone_flags = tw_format__find(ev->formats[NEWTASK], "clone_flags");
		ev->old = tw_format__find(ev->formats[RENAME], "oldcomm");
		err = alloc_buffers(ev, error);
	}
	if (!err)
		err = tw_instance__new("-tasks", &ev->instance, error);
	if (!err)
		err = tw_instance__write(ev->instance, "trace_clock", clock, error);
	if (!err)
		err = tw_instance__write(ev->instance, "buffer_size_kb", ring_kib, error);
	if (!err)
		err = tw_instance__write(ev->instance, "tracing_on", "1", error);
	if (err)
		task_events__free(ev);
	else
		*ret = ev;
	return err;
}

static int task_events__begin(struct tw_task_events *ev, struct tw_error *error)
{
	char file[128];
	int err = 0;

	for (long cpu = 0; cpu < ev->cpus && !err; cpu++) {
		ev->fds[cpu] = tw_instance__open_ring(ev->instance, (unsigned int)cpu);
		if (ev->fds[cpu] < 0 && ev->fds[cpu] != -ENOENT && ev->fds[cpu] != -ENODEV)
			err = tw_error__set(
				error, ev->fds[cpu],
				"the ring of CPU %ld that records forks, execs and renames cannot be opened: %s", cpu,
				strerror(-ev->fds[cpu]));
	}
	for (enum task_event_kind kind = 0; kind < KINDS && !err; kind++) {
		snprintf(file, sizeof(file), "events/%s/%s/enable", kinds[kind].system, kinds[kind].name);
		err = tw_instance__write(ev->instance, file, "1", error);
	}
	return err;
}

static enum task_event_kind kind_of(const struct tw_task_events *ev, uint16_t id)
{
	enum task_event_kind kind = 0;

	while (kind < KINDS && ev->formats[kind]->id != id)
		kind++;
	return kind;
}

/*
 * Copies a task's name, cut to the length that the kernel stores. For EXEC, @text is the path of the program, and only the file name is
 * copied.
 */
static void copy_name(enum task_event_kind kind, const struct tw_value *text, char name[TW_TASK_NAME])
{
	const char *slash = kind == EXEC ? memrchr(text->data, '/', text->len) : NULL;
	const char *from = slash ? slash + 1 : (const char *)text->data;

	snprintf(name, TW_TASK_NAME, "%.*s", (int)((const char *)text->data + text->len - from), from);
}

/* Stores an event in ev->seen, if it is of a known kind and there is memory. */
static void take_out(struct tw_task_events *ev, const struct tw_ring_event *event)
{
	const struct tw_record record = { .data = event->record, .len = event->len, .big_endian = TW_HOST_BE };
	const enum task_event_kind kind = kind_of(ev, tw_native_event__id(event));
	struct tw_value pid, text, flags = { .u = 0 };
	struct task_event *seen;

	if (kind == KINDS || tw_field__read(ev->pid[kind], &record, &pid) ||
	    tw_field__read(ev->text[kind], &record, &text))
		return;
	if (kind == NEWTASK && ev->clone_flags)
		tw_field__read(ev->clone_flags, &record, &flags);
	if (ev->n_seen == ev->cap_seen) {
		const size_t cap = ev->cap_seen ? ev->cap_seen * 2 : 256;

		seen = reallocarray(ev->seen, cap, sizeof(*seen));
		if (!seen)
			return;
		ev->seen = seen;
		ev->cap_seen = cap;
	}
	seen = &ev->seen[ev->n_seen++];
	*seen = (struct task_event){
		.time = event->time,
		.kind = kind,
		.pid = (uint32_t)pid.i,
		.maker = (uint32_t)tw_native_event__pid(event),
		.clone_flags = flags.u,
	};
	copy_name(kind, &text, seen->name);
	if (kind == RENAME && ev->old && !tw_field__read(ev->old, &record, &text))
		copy_name(kind, &text, seen->old);
}

/* Return: the thread group of a named task; 0 if unknown */
static uint32_t task_names__tgid(const struct tw_task_names *names, uint32_t pid)
{
	const struct tw_producer_task *chunk = pid < TW_TASK_PIDS ? names->chunks[pid / TW_TASK_CHUNK] : NULL;

	return chunk ? chunk[pid % TW_TASK_CHUNK].tgid : 0;
}

/*
 * Return: the thread group of the task that the event is about; 0 if unknown. A new thread belongs to its creator's group, and a new
 * process to a group of its own.
 */
static uint32_t tgid_of(const struct tw_task_events *ev, const struct tw_task_names *names,
			const struct task_event *seen)
{
	if (seen->kind != NEWTASK)
		return task_names__tgid(names, seen->pid);
	if (!ev->clone_flags)
		return 0;
	return seen->clone_flags & CLONE_THREAD ? task_names__tgid(names, seen->maker) : seen->pid;
}

/*
 * Adds the name in an event. An exec also causes a rename event, which has the name as the kernel cut it. Therefore the exec event is used
 * only if the task has no name yet. If a renamed task is TW_TASK_UNKNOWN, the name before the rename is added too, for events before the
 * rename.
 */
static void add_name(const struct tw_task_events *ev, struct tw_task_names *names, const struct task_event *seen)
{
	struct tw_producer_task task = {
		.time = seen->time,
		.before = seen->time,
		.pid = seen->pid,
		.tgid = tgid_of(ev, names, seen),
		.origin = (uint8_t)kinds[seen->kind].origin,
	};
	struct tw_producer_task old = { .pid = seen->pid, .origin = TW_COMM_RENAME };

	if (seen->kind == EXEC && tw_task_names__is_named(names, seen->pid))
		return;
	if (*seen->old && seen->pid < TW_TASK_PIDS && tw_task_names__state(names, seen->pid) == TW_TASK_UNKNOWN) {
		old.before = 1; /* COMM gets the earliest time that is possible */
		memcpy(old.name, seen->old, sizeof(old.name));
		tw_task_names__add(names, &old);
	}
	memcpy(task.name, seen->name, sizeof(task.name));
	tw_task_names__add(names, &task);
}

/* Reads at most as many bytes as the ring has. If the kernel records events as fast as they are read here, the next call reads the rest. */
static void empty_ring(struct tw_task_events *ev, int fd)
{
	const size_t pages = ((size_t)RING_KIB << 10) / ev->page_size;
	struct tw_ring_event event;
	struct tw_ring_page walk;
	ssize_t len;

	for (size_t n = 0; fd >= 0 && n <= pages && (len = read(fd, ev->page, ev->page_size)) > 0; n++) {
		tw_native_page__init(&walk, ev->page, (size_t)len);
		while (tw_native_page__next(&walk, &event)) {
			tw_counter__add(&ev->read, 1);
			take_out(ev, &event);
		}
	}
}

static int by_time(const void *a, const void *b)
{
	const struct task_event *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

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
	else if (task->origin == TW_COMM_FORK) /* a fork on one CPU was read after a later rename on another CPU */
		entry->tgid = task->tgid;
	atomic_store_explicit(&names->state[task->pid], TW_TASK_NAMED, memory_order_relaxed);
	return true;
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

/* Removes the text that /proc appends to the name of a kworker ("kworker/0:1-events"). task->comm and the trace do not have this text. */
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

/* Adds the names of all threads of all processes in /proc. */
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

/* Adds the names in saved_cmdlines of tasks that have no name yet. */
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

/*
 * Adds the name of one task from /proc, to be sent before the events of time @before. Return: false if the task has ended or there is no
 * memory
 */
static bool scan_pid(struct tw_task_names *names, uint32_t pid, uint64_t before)
{
	struct tw_producer_task task = { .origin = TW_COMM_PROC, .pid = pid, .before = before };
	char path[64];

	/* /proc/PID exists for each thread, although the list of /proc has only the leaders of thread groups */
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
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
		err = task_events__new(tracing_dir, clock, &tasks->events, error);
	if (err)
		tw_producer_tasks__free(tasks);
	else
		*ret = tasks;
	return err;
}

struct tw_instance *tw_producer_tasks__instance(struct tw_producer_tasks *tasks)
{
	return tasks->events->instance;
}

int tw_producer_tasks__begin(struct tw_producer_tasks *tasks, bool own_pids, struct tw_error *error)
{
	const int err = task_events__begin(tasks->events, error);

	if (err)
		return err;
	tasks->own_pids = own_pids;
	tw_task_names__add(&tasks->names, &(struct tw_producer_task){ .name = "<idle>", .origin = TW_COMM_PROC });
	if (own_pids)
		scan_proc(&tasks->names);
	else /* never both: after /proc, saved_cmdlines adds only tasks that have ended, thousands on a busy machine */
		scan_saved(&tasks->names);
	return 0;
}

/* Notes the pid for tw_producer_tasks__settle(). Return: false if there is no room */
static bool note(struct tw_producer_tasks *tasks, uint32_t pid, uint64_t time)
{
	for (size_t i = tasks->n_noted; i-- > 0;) {
		struct tw_noted_pid *noted = &tasks->noted[i];

		if (noted->pid != pid)
			continue;
		noted->events++;
		if (time < noted->first) /* a ring that is read later may have an earlier event */
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

/* Adds the names in time order. If one CPU creates a task and another CPU renames it, the later name could otherwise be added first. */
void tw_producer_tasks__drain(struct tw_producer_tasks *tasks)
{
	struct tw_task_events *ev = tasks->events;

	for (long cpu = 0; cpu < ev->cpus; cpu++)
		empty_ring(ev, ev->fds[cpu]);
	if (ev->n_seen)
		qsort(ev->seen, ev->n_seen, sizeof(*ev->seen), by_time);
	for (size_t i = 0; i < ev->n_seen; i++)
		add_name(ev, &tasks->names, &ev->seen[i]);
	ev->n_seen = 0;
}

/*
 * Finds the name of a noted pid, from an event that was read meanwhile or in /proc. If there is no name, the events of the pid count as
 * unnamed.
 */
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
	tw_producer_tasks__drain(tasks); /* most of the noted tasks were created since the last call */
	for (size_t i = 0; i < n; i++)
		settle_one(tasks, &noted[i]);
}

void tw_producer_tasks__stats(struct tw_producer_tasks *tasks, struct tw_producer_tasks_stats *ret)
{
	const struct tw_task_events *ev = tasks->events;
	struct tw_ring_stats stats;

	*ret = (struct tw_producer_tasks_stats){ .read = ev->read, .unnamed = tasks->unnamed };
	for (long cpu = 0; cpu < ev->cpus; cpu++) {
		int fd;

		if (ev->fds[cpu] < 0)
			continue;
		fd = tw_instance__open_ring_stats(ev->instance, (unsigned int)cpu);
		if (fd >= 0 && !tw_ring_stats__read(fd, &stats))
			ret->lost += tw_ring_stats__lost(&stats);
		else
			ret->unsure++;
		if (fd >= 0)
			close(fd);
	}
}

bool tw_producer_tasks__free(struct tw_producer_tasks *tasks)
{
	bool removed;

	if (!tasks)
		return true;
	removed = task_events__free(tasks->events);
	pthread_mutex_destroy(&tasks->lock);
	tw_task_names__fini(&tasks->names);
	free(tasks);
	return removed;
}
