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

#include "producer/native_ring.h"
#include "producer/tracer/top_level.h"
#include "producer/tracing_dir.h"

#define RETRY_MS 2
#define BUSY_MS  500 /* how long to try to remove an instance while another process has one of its files open */
/* How long a new run waits for the lock of all instances. A cleanup holds the lock for less than 1 ms, unless it is stopped (SIGSTOP). */
#define MAKE_MS    10000
#define CLEANUP_MS 2000 /* how long a cleanup waits for that lock; short, because the next run cleans up too */
#define LOCK_TRIES 50
#define NAME_TRIES 100

struct tw_instance {
	struct tracefs_instance *tracefs;
	int lock_fd;        /* the instance's directory, locked while the owner lives */
	int free_buffer_fd; /* closing it, also at process exit, switches the instance off and frees the ring */
	/* the top level, if its files are used; NULL = the instance's own files are used */
	struct tw_top_level *top;
	struct tw_instance *own; /* a copy of this struct with @top NULL */
	char name[64];
};

static int instance_dir(const char *name, char path[PATH_MAX])
{
	const char *dir;
	const int err = tw_tracing_dir__find(&dir, NULL);

	if (!err)
		snprintf(path, PATH_MAX, "%s/instances/%s", dir, name);
	return err;
}

bool tw_instance__is_at(int dir_fd, const char *path)
{
	struct stat opened, there;

	return !fstat(dir_fd, &opened) && !stat(path, &there) && opened.st_dev == there.st_dev &&
	       opened.st_ino == there.st_ino;
}

/*
 * Locks the directory of all instances. Between mkdir() and flock() a new instance looks stale. Therefore a run that creates an instance
 * holds a shared lock on this directory, and a cleanup that looks for stale instances holds an exclusive lock. While the cleanup holds its
 * lock, an instance that nobody has locked is stale. It stays stale afterwards, because no run reuses an instance. A directory of tracefs
 * is locked, because all containers share tracefs, but each container may have its own /run. If a process is killed, its locks are
 * released.
 *
 * The function does not wait in flock(): the holder of the lock may be stopped, and signals would not end this wait (SA_RESTART).
 */
static int lock_instances(int operation, int ms, const char *holder, struct tw_error *error)
{
	char path[PATH_MAX];
	const char *dir;
	int fd, err = tw_tracing_dir__find(&dir, error);

	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/instances", dir);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = fd < 0 ? errno : 0;
	for (; !err && flock(fd, operation | LOCK_NB); ms -= RETRY_MS) {
		err = errno != EWOULDBLOCK ? errno : ms <= 0 ? EBUSY : 0;
		if (!err)
			nanosleep(&(struct timespec){ .tv_nsec = RETRY_MS * 1000000 }, NULL);
	}
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err == EBUSY
		       ? tw_error__set(
				 error, -EBUSY,
				 "%s has locked %s and makes no progress: that process may be stopped; continue it "
				 "(kill -CONT), or end it",
				 holder, path)
		       : tw_error__set(error, -err, "%s cannot be locked: %s", path, strerror(err));
}

/* Releases the lock with LOCK_UN, because close() does not release it if a child process has inherited the descriptor. */
static void unlock_instances(int fd)
{
	flock(fd, LOCK_UN);
	close(fd);
}

/*
 * Locks the directory of an instance. Tries several times, because tw_instance__is_alive() of another process may hold the lock for a
 * moment. Return: fd or -errno
 */
static int lock_instance(const char *name)
{
	char path[PATH_MAX];
	int fd, err = instance_dir(name, path);

	if (err)
		return err;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (int tries = 0; tries < LOCK_TRIES; tries++) {
		if (!flock(fd, LOCK_EX | LOCK_NB)) {
			if (tw_instance__is_at(fd, path))
				return fd;
			break; /* another process removed the instance */
		}
		if (errno != EWOULDBLOCK) {
			err = -errno;
			break;
		}
		nanosleep(&(struct timespec){ .tv_nsec = RETRY_MS * 1000000 }, NULL);
	}
	close(fd);
	return err ? err : -EAGAIN;
}

/* Creates an instance with an unused name: a process in another pid namespace may have the same pid. */
static int create(struct tw_instance *in, const char *suffix, struct tw_error *error)
{
	for (int n = 0; n < NAME_TRIES; n++) {
		if (n)
			snprintf(in->name, sizeof(in->name), TW_INSTANCE_PREFIX "%d.%d%s", getpid(), n, suffix);
		else
			snprintf(in->name, sizeof(in->name), TW_INSTANCE_PREFIX "%d%s", getpid(), suffix);
		if (tracefs_instance_exists(in->name))
			continue;
		errno = 0;
		in->tracefs = tracefs_instance_create(in->name);
		if (!in->tracefs)
			return tw_error__set(error, errno ? -errno : -EIO, "trace instance %s cannot be created: %s",
					     in->name, strerror(errno ? errno : EIO));
		if (tracefs_instance_is_new(in->tracefs)) {
			in->lock_fd = lock_instance(in->name);
			if (in->lock_fd >= 0)
				return 0;
			if (in->lock_fd != -EAGAIN) /* locking would also fail under the next name */
				return tw_error__set(error, in->lock_fd, "trace instance %s cannot be locked: %s",
						     in->name, strerror(-in->lock_fd));
		}
		tracefs_instance_free(in->tracefs);
		in->tracefs = NULL;
	}
	return tw_error__set(
		error, -EEXIST,
		"there is no free name for a trace instance: remove stale instances with `tracewire cleanup`");
}

static int create_locked(struct tw_instance *in, const char *suffix, struct tw_error *error)
{
	const int lock = lock_instances(LOCK_SH, MAKE_MS, "a cleanup of Tracewire", error);
	int err;

	if (lock < 0)
		return lock;
	err = create(in, suffix, error);
	unlock_instances(lock);
	return err;
}

int tw_instance__new(const char *suffix, struct tw_instance **ret, struct tw_error *error)
{
	struct tw_instance *in = calloc(1, sizeof(*in));
	int err;

	if (!in)
		return tw_error__set(error, -ENOMEM, "out of memory");
	in->lock_fd = in->free_buffer_fd = -1;
	err = create_locked(in, suffix, error);
	if (!err) { /* opened first: a run that is killed before this leaves only the small ring of a new instance */
		in->free_buffer_fd = tw_instance__open(in, "free_buffer", O_WRONLY);
		if (in->free_buffer_fd < 0)
			err = tw_error__set(error, in->free_buffer_fd,
					    "the file free_buffer of trace instance %s cannot be opened: %s", in->name,
					    strerror(-in->free_buffer_fd));
	}
	if (!err)
		err = tw_instance__write(in, "options/disable_on_free", "1", error);
	if (!err)
		err = tw_instance__write(in, "tracing_on", "0", error);
	if (err)
		tw_instance__free(in);
	else
		*ret = in;
	return err;
}

/*
 * Removes an instance. Tries several times, because another process, such as `tracewire list --instances`, may have a file of the instance
 * open for a moment. Return: whether the instance is gone
 */
static bool remove_instance(const struct tw_instance *in)
{
	char path[PATH_MAX];

	if (!tracefs_instance_destroy(in->tracefs))
		return true;
	if (instance_dir(in->name, path))
		return false;
	for (int ms = 0; ms < BUSY_MS && rmdir(path) && errno == EBUSY; ms += RETRY_MS)
		nanosleep(&(struct timespec){ .tv_nsec = RETRY_MS * 1000000 }, NULL);
	return access(path, F_OK) != 0;
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
		removed = remove_instance(in);
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
	if (in->top)
		snprintf(buf, size, "%s/%s", tracefs_tracing_dir(), file);
	else
		snprintf(buf, size, "%s/instances/%s/%s", tracefs_tracing_dir(), in->name, file);
	return buf;
}

int tw_instance__use_top_level(struct tw_instance *in, struct tw_top_level *top, struct tw_error *error)
{
	if (top && !in->own) {
		in->own = malloc(sizeof(*in));
		if (!in->own)
			return tw_error__set(error, -ENOMEM, "out of memory");
		*in->own = *in;
	}
	in->top = top;
	return 0;
}

const struct tw_instance *tw_instance__own_files(const struct tw_instance *in)
{
	return in->top ? in->own : in;
}

bool tw_instance__is_top_level(const struct tw_instance *in)
{
	return in->top;
}

int tw_instance__open(const struct tw_instance *in, const char *file, int flags)
{
	char path[PATH_MAX];
	const int fd = open(tw_instance__path(in, file, path, sizeof(path)), flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_per_cpu(const struct tw_instance *in, unsigned int cpu, const char *name, int flags)
{
	char file[64];

	snprintf(file, sizeof(file), "per_cpu/cpu%u/%s", cpu, name);
	return tw_instance__open(in, file, flags);
}

int tw_instance__open_ring(const struct tw_instance *in, unsigned int cpu)
{
	return open_per_cpu(in, cpu, "trace_pipe_raw", O_RDONLY | O_NONBLOCK);
}

int tw_instance__open_ring_stats(const struct tw_instance *in, unsigned int cpu)
{
	return open_per_cpu(in, cpu, "stats", O_RDONLY);
}

bool tw_instance__has(const struct tw_instance *in, const char *file)
{
	char path[PATH_MAX];

	return !access(tw_instance__path(in, file, path, sizeof(path)), F_OK);
}

int tw_instance__read(const struct tw_instance *in, const char *file, char **ret, struct tw_error *error)
{
	char dir[PATH_MAX];

	return tw_tracing_file__read(tw_instance__path(in, ".", dir, sizeof(dir)), file, ret, error);
}

static int write_file(const struct tw_instance *in, const char *file, int flags, const char *text,
		      struct tw_error *error)
{
	const bool is_list = flags & O_APPEND;
	int fd, err = in->top ? tw_top_level__note(in->top, file, is_list, text, error) : 0;

	if (err)
		return err;
	fd = tw_instance__open(in, file, flags);
	err = fd < 0 ? fd : 0;
	if (!err && write(fd, text, strlen(text)) < 0)
		err = -errno;
	if (fd >= 0)
		close(fd);
	if (err)
		return tw_error__set(error, err, "the kernel refuses '%s' for %s: %s", text, file, strerror(-err));
	return in->top ? tw_top_level__note(in->top, file, is_list, NULL, error) : 0;
}

int tw_instance__write(const struct tw_instance *in, const char *file, const char *text, struct tw_error *error)
{
	return write_file(in, file, O_WRONLY | O_TRUNC, text, error);
}

int tw_instance__append(const struct tw_instance *in, const char *file, const char *text, struct tw_error *error)
{
	return write_file(in, file, O_WRONLY | O_APPEND, text, error);
}

int tw_ring_stats__read(int fd, struct tw_ring_stats *ret)
{
	static const struct {
		const char *key;
		size_t offset;
	} lines[] = {
		{ "entries: ", offsetof(struct tw_ring_stats, entries) },
		{ "overrun: ", offsetof(struct tw_ring_stats, overrun) },
		{ "commit overrun: ", offsetof(struct tw_ring_stats, commit_overrun) },
		{ "dropped events: ", offsetof(struct tw_ring_stats, dropped) },
		{ "read events: ", offsetof(struct tw_ring_stats, read) },
	};
	char text[1024], *save = NULL;
	const ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	if (len < 0)
		return -errno;
	text[len] = '\0';
	*ret = (struct tw_ring_stats){ 0 };
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
			const size_t key = strlen(lines[i].key);

			if (!strncmp(line, lines[i].key, key))
				*(uint64_t *)(void *)((char *)ret + lines[i].offset) = strtoull(line + key, NULL, 10);
		}
	}
	return 0;
}

/* Updates @mark if a CPU's ring contains a later mark, and empties the ring. Return: 0, also if there is no such ring; -errno */
static int last_mark(const struct tw_instance *in, unsigned int cpu, struct tw_trace_mark *mark)
{
	uint8_t page[TW_NATIVE_PAGE_MIN + TW_NATIVE_PAGE_SLACK];
	const int fd = tw_instance__open_ring(in, cpu);
	struct tw_ring_event event;
	struct tw_ring_page walk;
	ssize_t len;
	int err;

	if (fd < 0)
		return fd == -ENOENT || fd == -ENODEV ? 0 : fd;
	while ((len = read(fd, page, TW_NATIVE_PAGE_MIN)) > 0) {
		tw_native_page__init(&walk, page, (size_t)len);
		while (tw_native_page__next(&walk, &event)) {
			if (event.time < mark->time)
				continue;
			mark->time = event.time;
			mark->pid = tw_native_event__pid(&event);
		}
	}
	err = len < 0 && errno != EAGAIN && errno != ENODEV ? -errno : 0;
	close(fd);
	return err;
}

int tw_instance__read_mark(struct tw_instance *in, struct tw_trace_mark *ret)
{
	struct tw_trace_mark mark = { .pid = -1 };
	int err = 0;

	for (unsigned int cpu = 0; cpu < (unsigned int)sysconf(_SC_NPROCESSORS_CONF) && !err; cpu++)
		err = last_mark(in, cpu, &mark);
	if (err)
		return err;
	if (mark.pid < 0)
		return -ENOENT;
	*ret = mark;
	return 0;
}

int tw_instance__mark(struct tw_instance *in, struct tw_trace_mark *ret)
{
	const int err = tw_instance__append(in, "trace_marker", "tracewire", NULL);

	return err ? err : tw_instance__read_mark(in, ret);
}

bool tw_instance__is_alive(const char *name)
{
	char path[PATH_MAX];

	if (instance_dir(name, path))
		return true;
	for (;;) {
		const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		bool alive, is_there;

		if (fd < 0)
			return errno != ENOENT;
		alive = flock(fd, LOCK_SH | LOCK_NB) != 0;
		is_there = alive || tw_instance__is_at(fd, path);
		close(fd);
		if (is_there) /* if not, the directory was removed, and another instance may have the name: try again */
			return alive;
	}
}

/*
 * A stale instance. @fd holds a shared lock, not an exclusive one, so that tw_instance__is_alive() returns false until the instance is
 * removed.
 */
struct stale_instance {
	char name[64];
	int fd;
};

struct instance_cleanup {
	bool dry_run;
	void (*removed)(void *ctx, const char *name, const char *left);
	void *ctx;
	struct stale_instance *stale;
	size_t n;
	int count;
	int err;
	struct tw_error *error;
};

/* Whether create() makes names like this one. A user's instance named tracewire-notes, for example, does not belong to a run. */
static bool is_our_name(const char *name)
{
	const size_t prefix = strlen(TW_INSTANCE_PREFIX);

	return !strncmp(name, TW_INSTANCE_PREFIX, prefix) && name[prefix] >= '0' && name[prefix] <= '9';
}

static bool keep(struct instance_cleanup *c, const char *name, int fd)
{
	struct stale_instance *stale = reallocarray(c->stale, c->n + 1, sizeof(*stale));

	if (!stale)
		return false;
	c->stale = stale;
	stale = &stale[c->n++];
	snprintf(stale->name, sizeof(stale->name), "%s", name);
	stale->fd = fd;
	return true;
}

/*
 * Keeps an instance for removal if it is stale. The caller holds the lock of all instances, so no run creates an instance meanwhile. An
 * instance that another process has just removed is skipped.
 */
static int find_stale(const char *name, void *arg)
{
	struct instance_cleanup *c = arg;
	char path[PATH_MAX];
	int fd;

	if (!is_our_name(name) || strlen(name) >= sizeof(c->stale->name) || instance_dir(name, path))
		return 0;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && (flock(fd, LOCK_SH | LOCK_NB) || !tw_instance__is_at(fd, path) || !keep(c, name, fd)))
		close(fd);
	return 0;
}

/*
 * Gets the right to remove an instance. Only one cleanup at a time can have this right. The right is refused if the instance was already
 * removed, even if the instance's name was reused.
 * Return: a descriptor that holds the right until it is closed, or -1
 */
static int lock_removal(const struct stale_instance *stale, const char *path)
{
	const int fd = openat(stale->fd, "options", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (!flock(fd, LOCK_EX | LOCK_NB) && tw_instance__is_at(stale->fd, path))
		return fd;
	close(fd);
	return -1;
}

/* Removes a stale instance, after restoring what its run had set at the top level. Return: whether the instance is removed */
static bool remove_stale(struct instance_cleanup *c, const struct stale_instance *stale, const char *path,
			 struct tw_error *left)
{
	const int lock = lock_removal(stale, path);
	bool gone = false;

	if (lock < 0)
		return false;
	if (tw_top_level__restore(stale->name, left) != -EBUSY) {
		gone = !rmdir(path);
		if (gone)
			tw_top_level__forget(stale->name);
		else
			c->err = tw_error__set(c->error, -errno, "trace instance %s cannot be removed: %s", stale->name,
					       strerror(errno));
	}
	close(lock);
	return gone;
}

static void clean_up_one(struct instance_cleanup *c, const struct stale_instance *stale)
{
	struct tw_error left = { "" };
	char path[PATH_MAX];

	if (!instance_dir(stale->name, path) && (c->dry_run || remove_stale(c, stale, path, &left))) {
		c->count++;
		if (c->removed)
			c->removed(c->ctx, stale->name, *left.text ? left.text : NULL);
	}
	close(stale->fd);
}

/*
 * Removing an instance takes long. Therefore the instances are removed without the lock of all instances, so that runs that create an
 * instance do not wait.
 */
int tw_instance__cleanup(bool dry_run, void (*removed)(void *ctx, const char *name, const char *left), void *ctx,
			 struct tw_error *error)
{
	struct instance_cleanup c = { .dry_run = dry_run, .removed = removed, .ctx = ctx, .error = error };
	const int lock = lock_instances(LOCK_EX, CLEANUP_MS, "a run of Tracewire that is starting", error);

	if (lock < 0)
		return lock;
	tracefs_instances_walk(find_stale, &c);
	unlock_instances(lock);
	for (size_t i = 0; i < c.n; i++)
		clean_up_one(&c, &c.stale[i]);
	free(c.stale);
	return c.err ? c.err : c.count;
}
