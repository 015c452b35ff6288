/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pcap-tools/output/output.h"

#define DRAFT_TRIES 100

static int cannot(const char *path, struct tw_error *err)
{
	const int code = -errno;

	return tw_error__set(err, code == -ENOENT ? -ENOTDIR : code, "%s cannot be created: %s%s", path,
			     strerror(-code), tw_output__remedy(code));
}

/* The folder that the file will be in. */
static void folder_of(const char *path, char *ret, size_t size)
{
	const char *slash = strrchr(path, '/');
	const int len = slash == path ? 1 : (int)(slash - path);

	if (slash)
		snprintf(ret, size, "%.*s", len, path);
	else
		snprintf(ret, size, ".");
}

/* A name beside the final one, which the linked or created file has for a moment. */
static int name_draft(struct output_file *file, unsigned int i)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(file->path, '/');
	const int len = (folder_of(file->path, folder, sizeof(folder)),
			 snprintf(file->draft, sizeof(file->draft), "%s/.%.200s.%d.%u", folder,
				  slash ? slash + 1 : file->path, (int)getpid(), i));

	return len < (int)sizeof(file->draft) ? 0 : -ENAMETOOLONG;
}

static int open_draft(struct output_file *file)
{
	for (unsigned int i = 0; i < DRAFT_TRIES; i++) {
		if (name_draft(file, i))
			break;
		file->fd = open(file->draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (file->fd >= 0 || errno != EEXIST)
			return file->fd;
	}
	return -1;
}

static int open_regular(struct output_file *file, struct tw_error *err)
{
	char folder[PATH_MAX];

	folder_of(file->path, folder, sizeof(folder));
	file->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	file->unnamed = file->fd >= 0;
	if (file->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		open_draft(file);
	if (file->fd >= 0)
		return 0;
	file->draft[0] = '\0';
	return cannot(file->path, err);
}

int output_file__open(struct output_file *file, const char *path, const struct stat *input, struct tw_error *err)
{
	struct stat st;

	*file = (struct output_file){ .fd = STDOUT_FILENO };
	snprintf(file->path, sizeof(file->path), "%s", path);
	if (!strcmp(path, "-"))
		return tw_output__check_writable(file->fd, "standard output", err);
	if (stat(path, &st))
		return open_regular(file, err);
	if (input && st.st_dev == input->st_dev && st.st_ino == input->st_ino)
		return tw_error__set(err, -EINVAL, "%s is the file that is read: name another one to write", path);
	if (!S_ISREG(st.st_mode)) {
		file->fd = open(path, O_WRONLY | O_CLOEXEC);
		return file->fd < 0 ? cannot(path, err) : 0;
	}
	if (access(path, W_OK) || !realpath(path, file->path))
		return cannot(path, err);
	return open_regular(file, err);
}

static int give_draft(struct output_file *file)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", file->fd);
	for (unsigned int i = 0; i < DRAFT_TRIES; i++) {
		if (name_draft(file, i))
			break;
		if (!linkat(AT_FDCWD, self, AT_FDCWD, file->draft, AT_SYMLINK_FOLLOW))
			return 0;
		if (errno != EEXIST)
			break;
	}
	file->draft[0] = '\0';
	return -1;
}

/* File systems of a network may say only now that there was no room. */
static int close_draft(struct output_file *file)
{
	const int fd = file->fd;

	file->fd = -1;
	return close(fd);
}

int output_file__finish(struct output_file *file, struct tw_error *err)
{
	if (file->unnamed && give_draft(file))
		return cannot(file->path, err);
	if (file->draft[0] && close_draft(file))
		return cannot(file->path, err);
	if (file->draft[0] && rename(file->draft, file->path))
		return cannot(file->path, err);
	file->unnamed = false;
	file->draft[0] = '\0';
	return 0;
}

void output_file__close(struct output_file *file)
{
	if (file->draft[0])
		unlink(file->draft);
	if (file->fd > STDERR_FILENO)
		close(file->fd);
	*file = (struct output_file){ 0 };
}
