/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace instance of our own. Its owner holds an exclusive flock on its directory: an instance named tracewire-PID... that nobody
 * locks so is a dead run's, unless it is just being made (producer/instances_lock.h). The kernel switches it off and frees its ring when
 * the process dies (disable_on_free, free_buffer held open), so even then it costs nothing until somebody removes it.
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

/**
 * tw_instance__new() - make and lock an instance, empty and off
 * @suffix: "" or what tells it from the same process's other instance, for example "-tasks"
 */
int tw_instance__new(const char *suffix, struct tw_instance **ret, struct tw_error *err);

/** tw_instance__free() - switch off, remove; NULL is fine. Return: false if it stays, because somebody else has a file of it open */
bool tw_instance__free(struct tw_instance *instance);

/** tw_instance__leave() - free, but do not remove it: the next clean-up takes it for a dead run's; NULL is fine */
void tw_instance__leave(struct tw_instance *instance);

/** tw_instance__name() - "tracewire-..." */
const char *tw_instance__name(const struct tw_instance *instance);

/** tw_instance__path() - path of a file of the instance, in @buf. Return: @buf */
char *tw_instance__path(const struct tw_instance *instance, const char *file, char *buf, size_t size);

/** tw_instance__write() - write a text to a file of the instance; -errno with @err saying what was refused */
int tw_instance__write(const struct tw_instance *instance, const char *file, const char *text, struct tw_error *err);

/** tw_instance__append() - the same without truncating: set_event_pid, set_event_notrace_pid */
int tw_instance__append(const struct tw_instance *instance, const char *file, const char *text, struct tw_error *err);

/** tw_instance__open() - open a file of the instance. Return: fd, or -errno */
int tw_instance__open(const struct tw_instance *instance, const char *file, int flags);

/** tw_instance__has() - whether the instance has that file */
bool tw_instance__has(const struct tw_instance *instance, const char *file);

/**
 * tw_instance__use_top_level() - all of these files are meant of the top level: for producer/top_level.h
 * @mark: under whose name what is written there is remembered, borrowed (tracer/kept_settings.h); NULL = no longer
 *
 * Return: 0 or -ENOMEM
 */
int tw_instance__use_top_level(struct tw_instance *instance, const char *mark, struct tw_error *err);

/** tw_instance__own_files() - a view of the same instance whose files are its own in any case; borrowed */
const struct tw_instance *tw_instance__own_files(const struct tw_instance *instance);

/** tw_instance__is_top_level() - whether they are */
bool tw_instance__is_top_level(const struct tw_instance *instance);

/* Who wrote to a trace_marker, and when. */
struct tw_trace_mark {
	pid_t pid;     /* as the kernel counts: in a pid namespace getpid() gives another */
	uint64_t time; /* in the instance's clock */
};

/**
 * tw_instance__read_mark() - the last mark in the rings of an instance that traces nothing else; empties them
 * Return: 0; -ENOENT if there is none.
 */
int tw_instance__read_mark(struct tw_instance *instance, struct tw_trace_mark *ret);

/** tw_instance__mark() - a mark by the calling thread; as tw_instance__read_mark() */
int tw_instance__mark(struct tw_instance *instance, struct tw_trace_mark *ret);

/** tw_instance__is_at() - whether a directory that was opened is that path's: it may have gone, and the name been given again */
bool tw_instance__is_at(int dir_fd, const char *path);

/** tw_instance__is_alive() - whether a living process owns the instance of that name. Return: true also if that cannot be looked at */
bool tw_instance__is_alive(const char *name);

/**
 * tw_instance__cleanup() - remove the instances of dead runs, nobody else's
 * @dry_run: only tell
 * @removed: called for each; may be NULL. @left: NULL, or a sentence: what it had set in the kernel that was not put back
 *
 * Return: how many, or -errno with @err filled; -EBUSY if a run is stopped just where it makes an instance.
 */
int tw_instance__cleanup(bool dry_run, void (*removed)(void *ctx, const char *name, const char *left), void *ctx,
			 struct tw_error *err);

#endif
