/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instances of dead runs. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <tracefs.h>
#include <unistd.h>

#include "producer/instance.h"
#include "producer/instances_lock.h"
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
		return true;
	for (;;) {
		const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		bool alive, is_there;

		if (fd < 0)
			return errno != ENOENT;
		alive = flock(fd, LOCK_SH | LOCK_NB) != 0;
		is_there = alive || tw_instance__is_at(fd, path);
		close(fd);
		if (is_there) /* else somebody has the name again, or nobody */
			return alive;
	}
}

/* An instance of a dead run, held by a shared lock: to others (tw_instance__is_alive()) it is dead also while it is removed. */
struct dead {
	char name[64];
	int fd;
};

struct cleanup {
	bool dry_run;
	void (*removed)(void *ctx, const char *name, const char *left);
	void *ctx;
	struct dead *dead;
	size_t n;
	int count;
	int rc;
	struct tw_error *err;
};

/* Whether it is a name as create_and_lock() makes them: an instance that somebody called tracewire-notes is his. */
static bool is_our_name(const char *name)
{
	const size_t prefix = strlen(TW_INSTANCE_PREFIX);

	return !strncmp(name, TW_INSTANCE_PREFIX, prefix) && name[prefix] >= '0' && name[prefix] <= '9';
}

/*
 * Ours to remove, and not another clean-up's, which may be done with it so that somebody has the name again?
 * Return: a descriptor that says so until it is closed; or -1
 */
static int lock_removal(const struct dead *dead, const char *path)
{
	const int fd = openat(dead->fd, "options", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (!flock(fd, LOCK_EX | LOCK_NB) && tw_instance__is_at(dead->fd, path))
		return fd;
	close(fd);
	return -1;
}

/* What it had set at the top level is put back before. Return: whether it is gone */
static bool remove_dead(struct cleanup *c, const struct dead *dead, const char *path, struct tw_error *left)
{
	const int lock = lock_removal(dead, path);
	bool gone = false;

	if (lock < 0)
		return false;
	if (tw_top_level__restore(dead->name, left) != -EBUSY) {
		gone = !rmdir(path);
		if (gone)
			tw_top_level__forget(dead->name);
		else
			c->rc = tw_error__set(c->err, -errno, "trace instance %s cannot be removed: %s", dead->name,
					      strerror(errno));
	}
	close(lock);
	return gone;
}

static int keep(struct cleanup *c, const char *name, int fd)
{
	struct dead *dead = reallocarray(c->dead, c->n + 1, sizeof(*dead));

	if (!dead)
		return -1;
	c->dead = dead;
	dead = &dead[c->n++];
	snprintf(dead->name, sizeof(dead->name), "%s", name);
	dead->fd = fd;
	return 0;
}

/* For tracefs_instances_walk(), while nobody makes one. One that its run has just removed, and so unlocked, is no dead run's. */
static int find_dead(const char *name, void *arg)
{
	struct cleanup *c = arg;
	char path[PATH_MAX];
	int fd;

	if (!is_our_name(name) || strlen(name) >= sizeof(c->dead->name) || dir_of(name, path))
		return 0;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && (flock(fd, LOCK_SH | LOCK_NB) || !tw_instance__is_at(fd, path) || keep(c, name, fd)))
		close(fd);
	return 0;
}

static void clean_up_one(struct cleanup *c, const struct dead *dead)
{
	struct tw_error left = { "" };
	char path[PATH_MAX];

	if (!dir_of(dead->name, path) && (c->dry_run || remove_dead(c, dead, path, &left))) {
		c->count++;
		if (c->removed)
			c->removed(c->ctx, dead->name, *left.text ? left.text : NULL);
	}
	close(dead->fd);
}

/* To remove them takes long, and nobody who wants to make one needs to wait for that. */
int tw_instance__cleanup(bool dry_run, void (*removed)(void *ctx, const char *name, const char *left), void *ctx,
			 struct tw_error *err)
{
	struct cleanup c = { .dry_run = dry_run, .removed = removed, .ctx = ctx, .err = err };
	const int lock = tw_instances_lock__to_look(err);

	if (lock < 0)
		return lock;
	tracefs_instances_walk(find_dead, &c);
	tw_instances_lock__release(lock);
	for (size_t i = 0; i < c.n; i++)
		clean_up_one(&c, &c.dead[i]);
	free(c.dead);
	return c.rc ? c.rc : c.count;
}
