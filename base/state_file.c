/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/state_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DIR_OF_ROOT "/run/tracewire"
#define LOOK_MS     2
#define BUSY_LOOKS  25

/* What root puts right must not be what others wrote: a service that is somebody else has a folder that systemd made for it. */
static const char *folder(void)
{
	const char *own = geteuid() ? getenv("RUNTIME_DIRECTORY") : NULL;

	return own ? own : DIR_OF_ROOT;
}

bool tw_state_file__has_gone(const struct tw_state_file *file)
{
	struct stat st;

	return fstat(file->fd, &st) || !st.st_nlink;
}

void tw_state_file__close(struct tw_state_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

void tw_state_file__remove(const struct tw_state_file *file)
{
	if (!tw_state_file__has_gone(file) && !unlink(file->path))
		rmdir(folder());
}

int tw_state_file__try_lock(struct tw_state_file *file)
{
	if (flock(file->fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	return tw_state_file__has_gone(file) ? -ENOENT : 0;
}

static void name_file(struct tw_state_file *file, const char *name)
{
	snprintf(file->path, sizeof(file->path), "%s/%s", folder(), name);
}

static int open_to_write(struct tw_state_file *file, struct tw_error *err)
{
	mkdir(folder(), 0700);
	file->fd = open(file->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (file->fd < 0)
		return tw_error__set(err, -errno, "%s cannot be written: %s", file->path,
				     errno == EACCES ? "that takes root" : strerror(errno));
	return 0;
}

static int open_locked(struct tw_state_file *file, struct tw_error *err)
{
	int error = open_to_write(file, err);

	if (error)
		return error;
	error = tw_state_file__try_lock(file);
	if (error)
		tw_state_file__close(file);
	return error && error != -EBUSY && error != -ENOENT
		       ? tw_error__set(err, error, "%s cannot be locked: %s", file->path, strerror(-error))
		       : error;
}

/*
 * A file or folder that was removed while it was opened and locked is nobody's: once more. The same where a clean-up has the file
 * for a moment, before we have locked what we made, to see that there is nothing in it.
 */
int tw_state_file__lock(const char *name, struct tw_state_file *ret, struct tw_error *err)
{
	int error = -ENOENT, busy = 0;

	ret->fd = -1;
	name_file(ret, name);
	for (int i = 0; i < 100 && (error == -ENOENT || (error == -EBUSY && busy++ < BUSY_LOOKS)); i++) {
		if (error == -EBUSY)
			nanosleep(&(struct timespec){ .tv_nsec = LOOK_MS * 1000000 }, NULL);
		error = open_locked(ret, err);
	}
	return error;
}

int tw_state_file__open(const char *name, struct tw_state_file *ret)
{
	name_file(ret, name);
	ret->fd = open(ret->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return ret->fd < 0 ? -errno : 0;
}

int tw_state_file__write(const struct tw_state_file *file, const char *text, size_t len)
{
	return pwrite(file->fd, text, len, 0) != (ssize_t)len || ftruncate(file->fd, (off_t)len) ? -EIO : 0;
}

int tw_state_file__each(const char *prefix, int (*each)(struct tw_state_file *file, void *ctx, struct tw_error *err),
			void *ctx, struct tw_error *err)
{
	DIR *dir = opendir(folder());
	struct dirent *entry;
	int error = 0;

	if (!dir && errno == ENOENT)
		return 0;
	if (!dir)
		return tw_error__set(err, -errno, "cannot look into %s: %s", folder(),
				     errno == EACCES ? "it is for root only, run this with sudo" : strerror(errno));
	while (!error && (entry = readdir(dir))) {
		struct tw_state_file file;

		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		name_file(&file, entry->d_name);
		file.fd = open(file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		if (file.fd < 0)
			continue;
		error = each(&file, ctx, err);
		tw_state_file__close(&file);
	}
	closedir(dir);
	return error;
}
