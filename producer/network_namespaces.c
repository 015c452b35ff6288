/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/network_namespaces.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

#define GROWTH 16

int tw_network_namespace__cookie(uint64_t *ret)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(*ret);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, ret, &len))
		err = -errno;
	close(fd);
	return err;
}

struct run {
	int (*visit)(void *ctx);
	void *ctx;
	uint64_t *visited; /* inodes of namespaces; @n_visited of them */
	size_t n_visited;
	int err;
};

static bool is_visited(const struct run *run, uint64_t inode)
{
	for (size_t i = 0; i < run->n_visited; i++)
		if (run->visited[i] == inode)
			return true;
	return false;
}

static int remember(struct run *run, uint64_t inode)
{
	if (run->n_visited % GROWTH == 0) {
		uint64_t *more = realloc(run->visited, (run->n_visited + GROWTH) * sizeof(*more));

		if (!more)
			return -ENOMEM;
		run->visited = more;
	}
	run->visited[run->n_visited++] = inode;
	return 0;
}

/* Enters a namespace, if it was not visited. Its process may end at any time: only an open namespace is surely there. */
static int enter(struct run *run, int fd)
{
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return -errno;
	if (is_visited(run, st.st_ino))
		return 0;
	if (setns(fd, CLONE_NEWNET))
		return errno == EINVAL ? 0 : -errno; /* another file in the folder of named namespaces */
	err = remember(run, st.st_ino);
	return err ? err : run->visit(run->ctx);
}

static void visit_at(struct run *run, const char *path)
{
	struct stat st;
	int fd, err;

	if (stat(path, &st) || is_visited(run, st.st_ino))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO would wait */
	if (fd < 0)
		return;
	err = enter(run, fd);
	if (err && !run->err)
		run->err = err;
	close(fd);
}

/* The namespace of this process: nothing is entered, which requires CAP_SYS_ADMIN. */
static void visit_own(struct run *run)
{
	struct stat st;
	int err = stat("/proc/thread-self/ns/net", &st) ? -errno : remember(run, st.st_ino);

	if (!err)
		err = run->visit(run->ctx);
	if (err)
		run->err = err;
}

static void visit_each(struct run *run, const char *dir, const char *rest, bool (*is_wanted)(const char *name))
{
	DIR *entries = opendir(dir);
	const struct dirent *entry;
	char path[64 + sizeof(entry->d_name)];

	if (!entries && errno != ENOENT && !run->err)
		run->err = -errno;
	while (entries && (entry = readdir(entries))) {
		if (!is_wanted(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s%s", dir, entry->d_name, rest);
		visit_at(run, path);
	}
	if (entries)
		closedir(entries);
}

static bool is_pid(const char *name)
{
	return isdigit((unsigned char)*name);
}

static bool is_shown(const char *name)
{
	return *name != '.';
}

/* In a thread of its own, because it changes the network namespace of the thread. */
static void *run_everywhere(void *ctx)
{
	struct run *run = ctx;

	visit_own(run);
	visit_each(run, "/proc", "/ns/net", is_pid);
	visit_each(run, TW_NETWORK_NAMESPACES_NAMED, "", is_shown);
	return NULL;
}

int tw_network_namespaces__each(int (*visit)(void *ctx), void *ctx)
{
	struct run run = { .visit = visit, .ctx = ctx };
	sigset_t all, before;
	pthread_t thread;
	int err;

	sigfillset(&all); /* signals are for the other threads */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(&thread, NULL, run_everywhere, &run);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		err = -pthread_join(thread, NULL);
	free(run.visited);
	return err ? err : run.err;
}
