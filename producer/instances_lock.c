/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/instances_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "producer/tracing_dir.h"

#define LOOK_MS 2
#define MAKE_MS 10000 /* nobody looks that long who is not stopped; a run fails rather than hang then */
#define SEEK_MS 2000  /* what is not found now is found by the next run */

/* Not by waiting in flock(): what holds it may be stopped, and nobody who waits there hears a signal. */
static int lock(int operation, int ms, const char *who, struct tw_error *err)
{
	char path[PATH_MAX];
	const char *dir;
	int fd, error = tw_tracing_dir__find(&dir, err);

	if (error)
		return error;
	snprintf(path, sizeof(path), "%s/instances", dir);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	error = fd < 0 ? errno : 0;
	for (; !error && flock(fd, operation | LOCK_NB); ms -= LOOK_MS) {
		error = errno != EWOULDBLOCK ? errno : ms <= 0 ? EBUSY : 0;
		if (!error)
			nanosleep(&(struct timespec){ .tv_nsec = LOOK_MS * 1000000 }, NULL);
	}
	if (!error)
		return fd;
	if (fd >= 0)
		close(fd);
	return error == EBUSY
		       ? tw_error__set(
				 err, -EBUSY,
				 "%s has %s locked and does not get on: it may be stopped; let it go on, or end it",
				 who, path)
		       : tw_error__set(err, -error, "%s cannot be locked: %s", path, strerror(error));
}

int tw_instances_lock__to_make(struct tw_error *err)
{
	return lock(LOCK_SH, MAKE_MS, "a clean-up of Tracewire", err);
}

int tw_instances_lock__to_look(struct tw_error *err)
{
	return lock(LOCK_EX, SEEK_MS, "a run of Tracewire that is starting", err);
}

void tw_instances_lock__release(int fd)
{
	flock(fd, LOCK_UN);
	close(fd);
}
