/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#include "producer/instances_lock.h"
#include "producer/subbuf.h"
#include "producer/tracer/kept_settings.h"
#include "producer/tracing_dir.h"

struct tw_instance {
	struct tracefs_instance *tracefs;
	int lock_fd;        /* the directory, flocked as long as we live */
	int free_buffer_fd; /* closing it, also by dying, switches off and frees the ring */
	const char *mark;   /* files are the top level's, and what is written there is kept under this name; or NULL */
	struct tw_instance *own; /* this one without that */
	char name[64];
};

static int instance_dir(const char *name, char *buf, size_t size)
{
	const char *dir;
	const int rc = tw_tracing_dir__find(&dir, NULL);

	if (!rc)
		snprintf(buf, size, "%s/instances/%s", dir, name);
	return rc;
}

bool tw_instance__is_at(int dir_fd, const char *path)
{
	struct stat opened, there;

	return !fstat(dir_fd, &opened) && !stat(path, &there) && opened.st_dev == there.st_dev &&
	       opened.st_ino == there.st_ino;
}

/* Lock the instance's directory. Somebody who looks whether we are alive (tw_instance__is_alive()) may hold it for a moment. */
static int lock_instance(const char *name)
{
	char path[PATH_MAX];
	const int error = instance_dir(name, path, sizeof(path));
	int fd;

	if (error)
		return error;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (int tries = 0; tries < 50; tries++) {
		if (!flock(fd, LOCK_EX | LOCK_NB)) {
			if (tw_instance__is_at(fd, path))
				return fd;
			break; /* somebody has removed it by hand */
		}
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
	}
	close(fd);
	return -EAGAIN;
}

/* A new instance under a name that is not taken: another pid namespace may have our pid too. */
static int create_and_lock(struct tw_instance *in, const char *suffix, struct tw_error *err)
{
	for (int n = 0; n < 100; n++) {
		if (n)
			snprintf(in->name, sizeof(in->name), TW_INSTANCE_PREFIX "%d.%d%s", getpid(), n, suffix);
		else
			snprintf(in->name, sizeof(in->name), TW_INSTANCE_PREFIX "%d%s", getpid(), suffix);
		if (tracefs_instance_exists(in->name))
			continue;
		errno = 0;
		in->tracefs = tracefs_instance_create(in->name);
		if (!in->tracefs)
			return tw_error__set(err, errno ? -errno : -EIO, "trace instance %s cannot be made: %s",
					     in->name, strerror(errno ? errno : EIO));
		if (tracefs_instance_is_new(in->tracefs)) {
			in->lock_fd = lock_instance(in->name);
			if (in->lock_fd >= 0)
				return 0;
			if (in->lock_fd != -EAGAIN) /* the next one cannot be locked either */
				return tw_error__set(err, in->lock_fd, "trace instance %s cannot be locked: %s",
						     in->name, strerror(-in->lock_fd));
		}
		tracefs_instance_free(in->tracefs);
		in->tracefs = NULL;
	}
	return tw_error__set(err, -EEXIST, "no free name for a trace instance: see 'tracewire cleanup'");
}

static int create_locked(struct tw_instance *in, const char *suffix, struct tw_error *err)
{
	const int lock = tw_instances_lock__to_make(err);
	int error;

	if (lock < 0)
		return lock;
	error = create_and_lock(in, suffix, err);
	tw_instances_lock__release(lock);
	return error;
}

int tw_instance__new(const char *suffix, struct tw_instance **ret, struct tw_error *err)
{
	struct tw_instance *in = calloc(1, sizeof(*in));
	const char *dir;
	int rc;

	if (!in)
		return tw_error__set(err, -ENOMEM, "out of memory");
	in->lock_fd = in->free_buffer_fd = -1;
	rc = tw_tracing_dir__find(&dir, err);
	if (!rc)
		rc = create_locked(in, suffix, err);
	if (!rc) { /* first of all: a kill before this leaves the ring that a new instance has */
		in->free_buffer_fd = tw_instance__open(in, "free_buffer", O_WRONLY);
		if (in->free_buffer_fd < 0)
			rc = tw_error__set(err, in->free_buffer_fd, "free_buffer of %s cannot be held open: %s",
					   in->name, strerror(-in->free_buffer_fd));
	}
	if (!rc)
		rc = tw_instance__write(in, "options/disable_on_free", "1", err);
	if (!rc)
		rc = tw_instance__write(in, "tracing_on", "0", err);
	if (rc) {
		tw_instance__free(in);
		return rc;
	}
	*ret = in;
	return 0;
}

bool tw_instance__free(struct tw_instance *in)
{
	bool removed = true;

	if (!in)
		return true;
	if (in->free_buffer_fd >= 0)
		close(in->free_buffer_fd);
	in->free_buffer_fd = -1;
	if (in->tracefs) {
		tracefs_trace_off(in->tracefs);
		removed = !tracefs_instance_destroy(in->tracefs) || !tracefs_instance_exists(in->name);
	}
	tw_instance__leave(in);
	return removed;
}

void tw_instance__leave(struct tw_instance *in)
{
	if (!in)
		return;
	if (in->free_buffer_fd >= 0)
		close(in->free_buffer_fd);
	if (in->tracefs)
		tracefs_instance_free(in->tracefs);
	if (in->lock_fd >= 0)
		close(in->lock_fd);
	free(in->own);
	free(in);
}

const char *tw_instance__name(const struct tw_instance *in)
{
	return in->name;
}

char *tw_instance__path(const struct tw_instance *in, const char *file, char *buf, size_t size)
{
	if (in->mark)
		snprintf(buf, size, "%s/%s", tracefs_tracing_dir(), file);
	else
		snprintf(buf, size, "%s/instances/%s/%s", tracefs_tracing_dir(), in->name, file);
	return buf;
}

int tw_instance__use_top_level(struct tw_instance *in, const char *mark, struct tw_error *err)
{
	if (mark && !in->own) {
		in->own = malloc(sizeof(*in));
		if (!in->own)
			return tw_error__set(err, -ENOMEM, "out of memory");
		*in->own = *in;
	}
	in->mark = mark;
	return 0;
}

const struct tw_instance *tw_instance__own_files(const struct tw_instance *in)
{
	return in->mark ? in->own : in;
}

bool tw_instance__is_top_level(const struct tw_instance *in)
{
	return in->mark;
}

int tw_instance__open(const struct tw_instance *in, const char *file, int flags)
{
	char path[PATH_MAX];
	int fd = open(tw_instance__path(in, file, path, sizeof(path)), flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

bool tw_instance__has(const struct tw_instance *in, const char *file)
{
	char path[PATH_MAX];

	return !access(tw_instance__path(in, file, path, sizeof(path)), F_OK);
}

/* Of the top level what is written is remembered, before and after: the kernel may say it in other words. */
static int note(const struct tw_instance *in, const char *file, int flags, const char *text, struct tw_error *err)
{
	if (!in->mark)
		return 0;
	if (flags & O_APPEND)
		return tw_kept_settings__note_list(in->mark, file, !text, err);
	return tw_kept_settings__note(in->mark, file, text, err);
}

static int write_to(const struct tw_instance *in, const char *file, int flags, const char *text, struct tw_error *err)
{
	const int fd = tw_instance__open(in, file, flags);
	int rc = fd < 0 ? fd : 0;

	if (!rc && write(fd, text, strlen(text)) < 0)
		rc = -errno;
	if (fd >= 0)
		close(fd);
	if (rc)
		return tw_error__set(err, rc, "the kernel refuses '%s' for %s: %s", text, file, strerror(-rc));
	return 0;
}

static int write_file(const struct tw_instance *in, const char *file, int flags, const char *text, struct tw_error *err)
{
	int rc = note(in, file, flags, text, err);

	if (!rc)
		rc = write_to(in, file, flags, text, err);
	return rc ? rc : note(in, file, flags, NULL, err);
}

int tw_instance__write(const struct tw_instance *in, const char *file, const char *text, struct tw_error *err)
{
	return write_file(in, file, O_WRONLY | O_TRUNC, text, err);
}

int tw_instance__append(const struct tw_instance *in, const char *file, const char *text, struct tw_error *err)
{
	return write_file(in, file, O_WRONLY | O_APPEND, text, err);
}

/* The last event in CPU @cpu's ring, emptying it. */
static void last_mark(const struct tw_instance *in, long cpu, struct tw_trace_mark *mark)
{
	uint8_t page[TW_SUBBUF_SMALLEST + TW_SUBBUF_SLACK];
	struct tw_subbuf_event event;
	struct tw_subbuf walk;
	char file[64];
	ssize_t len;
	int fd;

	snprintf(file, sizeof(file), "per_cpu/cpu%ld/trace_pipe_raw", cpu);
	fd = tw_instance__open(in, file, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return;
	while ((len = read(fd, page, TW_SUBBUF_SMALLEST)) > 0) {
		tw_subbuf__init(&walk, page, (size_t)len);
		while (tw_subbuf__next(&walk, &event)) {
			if (event.time < mark->time)
				continue;
			mark->time = event.time;
			mark->pid = tw_subbuf_event__pid(&event);
		}
	}
	close(fd);
}

int tw_instance__read_mark(struct tw_instance *in, struct tw_trace_mark *ret)
{
	struct tw_trace_mark mark = { .pid = -1 };

	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		last_mark(in, cpu, &mark);
	if (mark.pid < 0)
		return -ENOENT;
	*ret = mark;
	return 0;
}

int tw_instance__mark(struct tw_instance *in, struct tw_trace_mark *ret)
{
	const int rc = tw_instance__append(in, "trace_marker", "tracewire", NULL);

	return rc ? rc : tw_instance__read_mark(in, ret);
}
