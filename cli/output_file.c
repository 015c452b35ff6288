/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ordinary_user.h"
#include "cli/standard_files.h"
#include "pcap-tools/output/output.h"

#define DRAFT_TRIES 100

static int cannot(const char *path, struct tw_error *error)
{
	const int err = -errno;

	return tw_error__set(error, err == -ENOENT ? -ENOTDIR : err, "%s cannot be created: %s%s", path, strerror(-err),
			     tw_output__remedy(err));
}

/* Writes the directory of @path to @ret; "." if @path has no '/'. */
static void folder_of(const char *path, char *ret, size_t size)
{
	const char *slash = strrchr(path, '/');
	const int len = slash == path ? 1 : (int)(slash - path);

	if (slash)
		snprintf(ret, size, "%.*s", len, path);
	else
		snprintf(ret, size, ".");
}

/* Sets file->draft to the @i-th temporary name, in the directory of file->path. Return: 0; -1 with errno set */
static int name_draft(struct output_file *file, unsigned int i)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(file->path, '/');
	int len;

	folder_of(file->path, folder, sizeof(folder));
	len = snprintf(file->draft, sizeof(file->draft), "%s/.%.200s.%d.%u", folder, slash ? slash + 1 : file->path,
		       (int)getpid(), i);
	if (len < (int)sizeof(file->draft))
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

/*
 * Gives the first unused temporary name to the unnamed file. If file->unnamed is false, makes a file of that name, with @mode, instead.
 * Return: 0; -1 with errno set
 */
static int make_draft(struct output_file *file, mode_t mode)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", file->fd);
	for (unsigned int i = 0; i < DRAFT_TRIES && !name_draft(file, i); i++) {
		if (!file->unnamed)
			file->fd = open(file->draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (file->unnamed ? !linkat(AT_FDCWD, self, AT_FDCWD, file->draft, AT_SYMLINK_FOLLOW) : file->fd >= 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	file->draft[0] = '\0';
	return -1;
}

/* Gives the new file to the owner of @replaced, the file that it replaces; if @replaced is NULL, to the user who called sudo. */
static void give_file(const struct output_file *file, const struct stat *replaced)
{
	struct tw_output_owner owner;

	if (replaced)
		owner = (struct tw_output_owner){ replaced->st_uid, replaced->st_gid };
	else if (!ordinary_user__behind_sudo(&owner.uid, &owner.gid))
		return;
	if (fchown(file->fd, owner.uid, owner.gid))
		return; /* not root, or a file system without owners: the file is usable, but belongs to this user */
}

/* Gives the new file the permissions of the file that it replaces: a private file stays private. Return: 0; -1 with errno set */
static int keep_mode(const struct output_file *file, const struct stat *replaced)
{
	mode_t mode = replaced->st_mode & 0777;
	struct stat st;

	if (fstat(file->fd, &st))
		return -1;
	if (st.st_gid != replaced->st_gid)
		mode &= (mode_t)(0707 | (mode & 07) << 3); /* the other group gets no more rights than all users */
	return fchmod(file->fd, mode);
}

static int open_regular(struct output_file *file, const struct stat *replaced, struct tw_error *error)
{
	const mode_t mode = replaced ? 0600 : 0666;
	char folder[PATH_MAX];
	int err;

	folder_of(file->path, folder, sizeof(folder));
	file->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
	file->unnamed = file->fd >= 0;
	if (file->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		make_draft(file, mode);
	if (file->fd < 0)
		return cannot(file->path, error);
	give_file(file, replaced);
	if (!replaced || !keep_mode(file, replaced))
		return 0;
	err = cannot(file->path, error);
	output_file__close(file);
	return err;
}

/* Opens a path for which stat() failed. If nothing has this name, makes a new file. Refuses a symbolic link whose target does not exist. */
static int open_new(struct output_file *file, const char *path, struct tw_error *error)
{
	struct stat st;

	if (errno != ENOENT)
		return cannot(path, error);
	if (!lstat(path, &st))
		return tw_error__set(
			error, -EINVAL,
			"%s is a symbolic link to a file that does not exist: remove it, or name the file itself",
			path);
	return errno == ENOENT ? open_regular(file, NULL, error) : cannot(path, error);
}

bool output_file__is_standard(const char *path)
{
	return path && !strcmp(path, "-");
}

int output_file__open(struct output_file *file, const char *path, const struct stat *input, struct tw_error *error)
{
	struct stat st;

	*file = (struct output_file){ .fd = STDOUT_FILENO };
	if (strlen(path) >= sizeof(file->path)) {
		errno = ENAMETOOLONG;
		return cannot(path, error);
	}
	snprintf(file->path, sizeof(file->path), "%s", path);
	if (output_file__is_standard(path))
		return tw_output__check_writable(file->fd, "standard output", error);
	if (stat(path, &st))
		return open_new(file, path, error);
	if (input && st.st_dev == input->st_dev && st.st_ino == input->st_ino)
		return tw_error__set(error, -EINVAL, "%s is the input file: name another output file", path);
	if (!S_ISREG(st.st_mode)) {
		file->fd = open(path, O_WRONLY | O_CLOEXEC);
		return file->fd < 0 ? cannot(path, error) : 0;
	}
	if (access(path, W_OK) || !realpath(path, file->path))
		return cannot(path, error);
	return open_regular(file, &st, error);
}

int output_file__finish(struct output_file *file, struct tw_error *error)
{
	if (file->unnamed && make_draft(file, 0))
		return cannot(file->path, error);
	if (file->draft[0]) {
		/* Closed before the rename: network file systems may report a full disk only in close(). */
		const int fd = file->fd;

		file->fd = -1;
		if (close(fd) || rename(file->draft, file->path))
			return cannot(file->path, error);
	}
	file->unnamed = false;
	file->draft[0] = '\0';
	return 0;
}

int output_file__print(struct output_file *file, const char *path, void (*put)(FILE *out, const void *data),
		       const void *data, struct tw_error *error)
{
	const int fd = dup(file->fd);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (out)
		put(out, data);
	if (!out || ferror(out) | (fclose(out) == EOF))
		return tw_error__set(error, -errno, "cannot write %s: %s", standard_files__output(path),
				     strerror(errno));
	return output_file__finish(file, error);
}

void output_file__close(struct output_file *file)
{
	if (file->draft[0])
		unlink(file->draft);
	if (file->fd > STDERR_FILENO)
		close(file->fd);
	*file = (struct output_file){ 0 };
}
