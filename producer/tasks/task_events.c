/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tasks/task_events.h"

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

#define RING_KIB 512 /* per CPU; a fork storm of 5,000 a second fits for a second */

enum kind { NEWTASK, RENAME, EXEC, KINDS };

static const struct {
	const char *system, *name;
	enum tw_comm_origin origin;
	const char *text; /* field with the name */
} kinds[KINDS] = {
	[NEWTASK] = { "task", "task_newtask", TW_COMM_FORK, "comm" },
	[RENAME] = { "task", "task_rename", TW_COMM_RENAME, "newcomm" },
	[EXEC] = { "sched", "sched_process_exec", TW_COMM_EXEC, "filename" },
};

/* One of these events, taken out of its ring. */
struct seen {
	uint64_t time;
	enum kind kind;
	uint32_t pid, maker; /* maker: of a new task */
	uint64_t clone_flags;
	char name[TW_TASK_NAME];
	char old[TW_TASK_NAME]; /* before a rename; "" = not known */
};

struct tw_task_events {
	struct tw_instance *instance;
	struct tw_schema *schema;
	const struct tw_format *formats[KINDS];
	const struct tw_field *pid[KINDS], *text[KINDS], *clone_flags, *old;
	int *fds; /* trace_pipe_raw of each CPU, -1 where there is none */
	long cpus;
	uint8_t *page;
	size_t page_size;
	struct seen *seen; /* of all CPUs, while draining */
	size_t n_seen, cap_seen;
	_Atomic uint64_t read; /* events (producer/counter.h) */
};

static int load_format(struct tw_task_events *ev, const char *tracing_dir, enum kind kind, struct tw_error *error)
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
		return tw_error__set(error, -ENOTSUP, "event %s:%s of this kernel lacks the field pid or %s",
				     kinds[kind].system, kinds[kind].name, kinds[kind].text);
	return 0;
}

static int open_rings(struct tw_task_events *ev, struct tw_error *error)
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

int tw_task_events__new(const char *tracing_dir, const char *clock, struct tw_task_events **ret, struct tw_error *error)
{
	struct tw_task_events *ev = calloc(1, sizeof(*ev));
	char ring_kib[16];
	int err = -ENOMEM;

	snprintf(ring_kib, sizeof(ring_kib), "%d", RING_KIB);
	if (ev)
		ev->schema = tw_schema__new();
	if (!ev || !ev->schema) {
		tw_error__set(error, err, "out of memory");
		goto fail;
	}
	for (enum kind kind = 0; kind < KINDS; kind++) {
		err = load_format(ev, tracing_dir, kind, error);
		if (err)
			goto fail;
	}
	ev->clone_flags = tw_format__find(ev->formats[NEWTASK], "clone_flags");
	ev->old = tw_format__find(ev->formats[RENAME], "oldcomm");
	err = open_rings(ev, error);
	if (!err)
		err = tw_instance__new("-tasks", &ev->instance, error);
	if (!err)
		err = tw_instance__write(ev->instance, "trace_clock", clock, error);
	if (!err)
		err = tw_instance__write(ev->instance, "buffer_size_kb", ring_kib, error);
	if (!err)
		err = tw_instance__write(ev->instance, "tracing_on", "1", error);
	if (err)
		goto fail;
	*ret = ev;
	return 0;
fail:
	tw_task_events__free(ev);
	return err;
}

struct tw_instance *tw_task_events__instance(struct tw_task_events *ev)
{
	return ev->instance;
}

int tw_task_events__begin(struct tw_task_events *ev, struct tw_error *error)
{
	char file[128];
	int err = 0;

	for (long cpu = 0; cpu < ev->cpus; cpu++)
		ev->fds[cpu] = tw_instance__open_ring(ev->instance, (unsigned int)cpu);
	for (enum kind kind = 0; kind < KINDS && !err; kind++) {
		snprintf(file, sizeof(file), "events/%s/%s/enable", kinds[kind].system, kinds[kind].name);
		err = tw_instance__write(ev->instance, file, "1", error);
	}
	return err;
}

static enum kind kind_of(const struct tw_task_events *ev, uint16_t id)
{
	enum kind kind = 0;

	while (kind < KINDS && ev->formats[kind]->id != id)
		kind++;
	return kind;
}

/* An exec's file without its path, anything else as it is, cut as the kernel would. */
static void copy_name(enum kind kind, const struct tw_value *text, char name[TW_TASK_NAME])
{
	const char *slash = kind == EXEC ? memrchr(text->data, '/', text->len) : NULL;
	const char *from = slash ? slash + 1 : (const char *)text->data;

	snprintf(name, TW_TASK_NAME, "%.*s", (int)((const char *)text->data + text->len - from), from);
}

/* Keep what the event says, if it is of a kind that has names and there is memory. */
static void take_out(struct tw_task_events *ev, const struct tw_ring_event *event)
{
	const struct tw_record record = { .data = event->record, .len = event->len, .big_endian = TW_HOST_BE };
	const enum kind kind = kind_of(ev, tw_native_event__id(event));
	struct tw_value pid, text, flags = { .u = 0 };
	struct seen *seen;

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
	*seen = (struct seen){
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

/* A new thread belongs to its maker's group, a new process to its own. */
static uint32_t tgid_of(const struct tw_task_events *ev, const struct tw_task_names *names, const struct seen *seen)
{
	if (seen->kind != NEWTASK)
		return tw_task_names__tgid(names, seen->pid);
	if (!ev->clone_flags)
		return 0;
	return seen->clone_flags & CLONE_THREAD ? tw_task_names__tgid(names, seen->maker) : seen->pid;
}

/* A task whose name was neither known nor needed until it took another: its events so far are those of the old name. */
static void add_old_name(struct tw_task_names *names, const struct seen *seen)
{
	struct tw_producer_task task = {
		.before = 1, /* as early as may be */
		.pid = seen->pid,
		.origin = TW_COMM_RENAME,
	};

	memcpy(task.name, seen->old, sizeof(task.name));
	tw_task_names__add(names, &task);
}

/* An exec renames too, and that event has the name as the kernel shortened it; the exec event only fills in. */
static void add_name(const struct tw_task_events *ev, struct tw_task_names *names, const struct seen *seen)
{
	struct tw_producer_task task = {
		.time = seen->time,
		.before = seen->time,
		.pid = seen->pid,
		.tgid = tgid_of(ev, names, seen),
		.origin = (uint8_t)kinds[seen->kind].origin,
	};

	if (seen->kind == EXEC && tw_task_names__is_named(names, seen->pid))
		return;
	if (*seen->old && seen->pid < TW_TASK_PIDS && tw_task_names__state(names, seen->pid) == TW_TASK_UNKNOWN)
		add_old_name(names, seen);
	memcpy(task.name, seen->name, sizeof(task.name));
	tw_task_names__add(names, &task);
}

/* Read what is in it now: if tasks rename themselves as fast as this reads, the rest waits for the next time. */
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
	const struct seen *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* A task is made on one CPU and renames itself on another: without order its name would come before its birth. */
void tw_task_events__drain(struct tw_task_events *ev, struct tw_task_names *names)
{
	for (long cpu = 0; cpu < ev->cpus; cpu++)
		empty_ring(ev, ev->fds[cpu]);
	if (!ev->n_seen)
		return;
	qsort(ev->seen, ev->n_seen, sizeof(*ev->seen), by_time);
	for (size_t i = 0; i < ev->n_seen; i++)
		add_name(ev, names, &ev->seen[i]);
	ev->n_seen = 0;
}

void tw_task_events__stats(struct tw_task_events *ev, uint64_t *ret_read, uint64_t *ret_lost)
{
	struct tw_ring_stats stats;

	*ret_read = ev->read;
	*ret_lost = 0;
	for (long cpu = 0; cpu < ev->cpus; cpu++) {
		const int fd = ev->fds[cpu] < 0 ? -1 : tw_instance__open_ring_stats(ev->instance, (unsigned int)cpu);

		if (fd >= 0 && !tw_ring_stats__read(fd, &stats))
			*ret_lost += tw_ring_stats__lost(&stats);
		if (fd >= 0)
			close(fd);
	}
}

bool tw_task_events__free(struct tw_task_events *ev)
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
