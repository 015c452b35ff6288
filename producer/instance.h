/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace instance of a run. Its owner, the process of the run, holds an exclusive flock on the instance's directory. An instance named
 * tracewire-PID... is stale if no process holds this lock, unless the instance is just being created. If the owner dies, the kernel
 * switches the instance off and frees its rings except for two sub-buffers each, because the owner held free_buffer open and
 * disable_on_free is set. A stale instance therefore records nothing and needs little memory. But until a cleanup removes the instance, the
 * kernel still calls its function tracer for each function call.
 */
#ifndef TW_INSTANCE_H
#define TW_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define TW_INSTANCE_PREFIX "tracewire-"

struct tw_instance;
struct tw_top_level;

/**
 * tw_instance__new() - create and lock an instance, empty and off
 * @suffix: "", or for example "-tasks" for a second instance
 * Return: 0, or -errno with @error filled; -EBUSY if a cleanup holds the lock of all instances for too long, for example because it
 * is stopped (SIGSTOP).
 */
int tw_instance__new(const char *suffix, struct tw_instance **ret, struct tw_error *error);

/**
 * tw_instance__free() - switch off and remove; NULL is fine. Return: false if the instance stays because a process has one of its files
 * open
 */
bool tw_instance__free(struct tw_instance *instance);

/** tw_instance__leave() - free the struct, but leave the instance in the kernel, as a stale one; NULL is fine */
void tw_instance__leave(struct tw_instance *instance);

/** tw_instance__name() - name of the instance: "tracewire-..." */
const char *tw_instance__name(const struct tw_instance *instance);

/** tw_instance__path() - path of a file of the instance, written to @buf. Return: @buf */
char *tw_instance__path(const struct tw_instance *instance, const char *file, char *buf, size_t size);

/** tw_instance__read() - read a file of the instance, as tw_tracing_file__read() */
int tw_instance__read(const struct tw_instance *instance, const char *file, char **ret, struct tw_error *error);

/** tw_instance__write() - truncate a file of the instance and write a text. Return: 0, or -errno with @error filled */
int tw_instance__write(const struct tw_instance *instance, const char *file, const char *text, struct tw_error *error);

/** tw_instance__append() - write without truncating, for lists such as set_event_pid. Return: as tw_instance__write() */
int tw_instance__append(const struct tw_instance *instance, const char *file, const char *text, struct tw_error *error);

/** tw_instance__open() - open a file of the instance. Return: fd, or -errno */
int tw_instance__open(const struct tw_instance *instance, const char *file, int flags);

/** tw_instance__open_ring() - open the ring of a CPU (trace_pipe_raw) with O_NONBLOCK. Return: fd, or -errno */
int tw_instance__open_ring(const struct tw_instance *instance, unsigned int cpu);

/** tw_instance__open_ring_stats() - open the counters of a CPU's ring. Return: fd, or -errno */
int tw_instance__open_ring_stats(const struct tw_instance *instance, unsigned int cpu);

/** tw_instance__has() - whether the instance has such a file */
bool tw_instance__has(const struct tw_instance *instance, const char *file);

/**
 * tw_instance__use_top_level() - make the functions above use the files of the top level of tracefs; for tracer/top_level.h
 * @top: keeps notes of each write, borrowed; NULL = use the instance's own files again
 * Return: 0 or -ENOMEM
 */
int tw_instance__use_top_level(struct tw_instance *instance, struct tw_top_level *top, struct tw_error *error);

/** tw_instance__own_files() - get a view of the instance that always uses the instance's own files; borrowed */
const struct tw_instance *tw_instance__own_files(const struct tw_instance *instance);

/** tw_instance__is_top_level() - whether the functions above use the files of the top level */
bool tw_instance__is_top_level(const struct tw_instance *instance);

/* The kernel's counters of one CPU's ring: per_cpu/cpuN/stats. */
struct tw_ring_stats {
	uint64_t entries;        /* events in the ring now */
	uint64_t overrun;        /* events overwritten before they were read */
	uint64_t commit_overrun; /* events refused because the ring was full of uncommitted events */
	uint64_t dropped;        /* events refused because the ring was full, and overwriting is off */
	uint64_t read;
};

/** tw_ring_stats__read() - read the counters; @fd: as from tw_instance__open_ring_stats(). Return: 0 or -errno */
int tw_ring_stats__read(int fd, struct tw_ring_stats *ret);

/** tw_ring_stats__lost() - number of events that were overwritten or refused */
static inline uint64_t tw_ring_stats__lost(const struct tw_ring_stats *stats)
{
	return stats->overrun + stats->commit_overrun + stats->dropped;
}

/* A mark: the task that wrote to a trace_marker, and the time. */
struct tw_trace_mark {
	pid_t pid;     /* pid in the initial pid namespace; getpid() in another namespace differs */
	uint64_t time; /* by the instance's clock */
};

/**
 * tw_instance__read_mark() - get the latest mark in the rings of an instance, and empty the rings; no events may be enabled in the instance
 * Return: 0; -ENOENT = no mark; another -errno
 */
int tw_instance__read_mark(struct tw_instance *instance, struct tw_trace_mark *ret);

/** tw_instance__mark() - write a mark from the calling thread and read it. Return: as tw_instance__read_mark(), or -errno of the write */
int tw_instance__mark(struct tw_instance *instance, struct tw_trace_mark *ret);

/** tw_instance__is_at() - whether an open directory is still at @path, and was not removed or replaced by another one */
bool tw_instance__is_at(int dir_fd, const char *path);

/** tw_instance__is_alive() - whether a living process owns the instance @name; also true if this cannot be determined */
bool tw_instance__is_alive(const char *name);

/**
 * tw_instance__cleanup() - remove all stale instances
 * @dry_run: only report the stale instances
 * @removed: called for each instance that was removed, or with @dry_run would be removed; may be NULL. @left: a sentence about kernel
 * settings that were not restored; NULL = there are none
 * Return: number of instances that were removed, or with @dry_run would be; -errno with @error filled, even if only one of several
 * instances cannot be removed; -EBUSY if a run that is creating an instance is stopped (SIGSTOP).
 */
int tw_instance__cleanup(bool dry_run, void (*removed)(void *ctx, const char *name, const char *left), void *ctx,
			 struct tw_error *error);

#endif
