/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instances of dead runs. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <tracefs.h>
#include <unistd.h>

#include "producer/instance.h"
#include "producer/tracer/top_level.h"
#include "producer/tracing_dir.h"

static int dir_of(const char *name, char path[PATH_MAX])
{
	const char *dir;
	const int rc = tw_tracing_dir__find(&dir, NULL);

	if (!rc)
		snprintf(path, PATH_MAX, "%s/instances/%s", dir, name);
	return rc;
}

bool tw_instance__is_alive(const char *name)
{
	char path[PATH_MAX];

	if (dir_of(name, path))
		return false;
	for (;;) {
		const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		bool alive, is_there;

		if (fd < 0)
			return false;
		alive = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
		is_there = alive || tw_instance__is_at(fd, path);
		close(fd);
		if (is_there) /* else somebody has the name again, or nobody */
			return alive;
	}
}

struct cleanup {
	bool dry_run;
	void (*removed)(void *ctx, const char *name);
	void *ctx;
	int count;
	int rc;
	struct tw_error *err;
};

/* Whether it is a name as create_locked() makes them: an instance that somebody called tracewire-notes is his. */
static bool is_our_name(const char *name)
{
	const size_t prefix = strlen(TW_INSTANCE_PREFIX);

	return !strncmp(name, TW_INSTANCE_PREFIX, prefix) && name[prefix] >= '0' && name[prefix] <= '9';
}

/*
 * Whether a dead run's instance is ours to remove, and not another clean-up's, which may be done with it so that somebody has the
 * name again.
 * @dir_fd: of the dead one, with its lock
 * Return: a descriptor that says so until it is closed; or -1
 */
static int lock_removal(int dir_fd, const char *path)
{
	char options[PATH_MAX + 16];
	int fd;

	snprintf(options, sizeof(options), "%s/options", path);
	fd = open(options, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!flock(fd, LOCK_EX | LOCK_NB) && tw_instance__is_at(dir_fd, path))
		return fd;
	close(fd);
	return -1;
}

/* What it had set at the top level is put back before. Return: whether it is gone */
static bool remove_dead(struct cleanup *c, const char *name, int dir_fd, const char *path)
{
	const int lock = lock_removal(dir_fd, path);
	bool gone = false;

	if (lock < 0)
		return false;
	if (!tw_top_level__restore(name)) {
		gone = !rmdir(path);
		if (!gone)
			c->rc = tw_error__set(c->err, -errno, "trace instance %s cannot be removed: %s", name,
					      strerror(errno));
	}
	close(lock);
	return gone;
}

/* A shared lock: to others (tw_instance__is_alive()) a dead run is dead also while its instance is removed. */
static int cleanup_one(const char *name, void *arg)
{
	struct cleanup *c = arg;
	char path[PATH_MAX];
	int fd;

	if (!is_our_name(name) || dir_of(name, path))
		return 0;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (!flock(fd, LOCK_SH | LOCK_NB) &&
	    (c->dry_run ? tw_instance__is_at(fd, path) : remove_dead(c, name, fd, path))) {
		c->count++;
		if (c->removed)
			c->removed(c->ctx, name);
	}
	close(fd);
	return 0;
}

int tw_instance__cleanup(bool dry_run, void (*removed)(void *ctx, const char *name), void *ctx, struct tw_error *err)
{
	struct cleanup c = { .dry_run = dry_run, .removed = removed, .ctx = ctx, .err = err };
	const char *dir;
	int rc = tw_tracing_dir__find(&dir, err);

	if (rc)
		return rc;
	tracefs_instances_walk(cleanup_one, &c);
	return c.rc ? c.rc : c.count;
}
