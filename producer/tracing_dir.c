/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tracing_dir.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

static int not_mounted(struct tw_error *error)
{
	const int err = -errno;

	if (err == -EMFILE || err == -ENFILE)
		return tw_error__set(error, err, "cannot find out where tracefs is mounted: %s", strerror(-err));
	if (geteuid() != 0)
		return tw_error__set(
			error, -ENODEV,
			"tracefs is not mounted, and mounting it requires root: run `sudo mount -t tracefs nodev "
			"/sys/kernel/tracing`");
	return tw_error__set(
		error, -ENODEV,
		"tracefs is not mounted at /sys/kernel/tracing and cannot be mounted there (%s): this kernel or this "
		"container has no tracing",
		strerror(-err));
}

int tw_tracing_dir__find(const char **ret, struct tw_error *error)
{
	const char *dir = NULL;
	char path[PATH_MAX];

	errno = 0;
	if (tracefs_tracing_dir_is_mounted(true, &dir) < 0 || !dir)
		return not_mounted(error);
	snprintf(path, sizeof(path), "%s/available_events", dir);
	if (access(path, R_OK)) {
		const int err = -errno;

		if (err == -EACCES)
			return tw_error__set(error, err, "only root can read %s: use sudo", dir);
		return tw_error__set(error, err, "cannot read %s: %s", path, strerror(-err));
	}
	*ret = dir;
	return 0;
}

/* Reads a file to its end, because files of tracefs have no size. */
static int read_all(FILE *file, char **ret)
{
	size_t size = 0;
	char *text = NULL;

	errno = 0;
	if (getdelim(&text, &size, '\0', file) >= 0) {
		*ret = text;
		return 0;
	}
	free(text);
	if (errno)
		return -errno;
	*ret = calloc(1, 1);
	return *ret ? 0 : -ENOMEM;
}

int tw_tracing_file__read(const char *dir, const char *name, char **ret, struct tw_error *error)
{
	char path[PATH_MAX];
	FILE *file;
	int err;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "re");
	if (!file) {
		err = -errno;
		return tw_error__set(error, err, "cannot open %s: %s", path, strerror(-err));
	}
	err = read_all(file, ret);
	fclose(file);
	return err ? tw_error__set(error, err, "cannot read %s: %s", path, strerror(-err)) : 0;
}
