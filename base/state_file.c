/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/state_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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
#define READ_TRIES  100

/*
 * A file has up to two texts: the valid text, and either its predecessor or a new text that is being written. Two lines at the beginning
 * of the file contain the offsets of the texts. The line with the higher sequence number refers to the valid text. A line begins and ends
 * with its sequence number, so an incomplete line is recognised. The last complete text therefore stays valid whenever the process is
 * killed.
 */
#define PLACE          "text %020" PRIu64 " at %020" PRIu64 " bytes %020" PRIu64 " text %020" PRIu64 "\n"
#define PLACE_LEN      (4 * 20 + 23)
#define PLACE_DISTANCE 256
#define PAGE           4096
#define TEXTS          PAGE /* offset of the first text; texts begin at multiples of PAGE, see tw_state_file__patch() */

struct place {
	uint64_t sequence; /* 0 = no text */
	uint64_t offset, len;
};

/*
 * The directory of state files. Root always uses DIR_OF_ROOT, because root repairs only objects that root has described. A service of
 * another user uses a directory that systemd made for it.
 */
static const char *folder(void)
{
	const char *own = geteuid() ? getenv("RUNTIME_DIRECTORY") : NULL;

	return own ? own : DIR_OF_ROOT;
}

bool tw_state_file__has_gone(const struct tw_state_file *file)
{
	struct stat st;

	return !fstat(file->fd, &st) && !st.st_nlink;
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
	struct stat st;

	if (flock(file->fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (fstat(file->fd, &st))
		return -errno;
	return st.st_nlink ? 0 : -ENOENT;
}

static void name_file(struct tw_state_file *file, const char *name)
{
	snprintf(file->path, sizeof(file->path), "%s/%s", folder(), name);
}

static int open_to_write(struct tw_state_file *file, struct tw_error *error)
{
	if (mkdir(folder(), 0700) && errno != EEXIST)
		return tw_error__set(error, -errno, "the directory %s cannot be made: %s", folder(),
				     errno == EACCES ? "this requires root" : strerror(errno));
	file->fd = open(file->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (file->fd < 0)
		return tw_error__set(error, -errno, "%s cannot be written: %s", file->path,
				     errno == EACCES ? "this requires root" : strerror(errno));
	return 0;
}

static const char *why_not_locked(int err)
{
	if (err == -EBUSY)
		return "another process has locked it";
	return err == -ENOENT ? "another process has removed it" : strerror(-err);
}

static int open_locked(struct tw_state_file *file, struct tw_error *error)
{
	int err = open_to_write(file, error);

	if (err)
		return err;
	err = tw_state_file__try_lock(file);
	if (!err)
		return 0;
	tw_state_file__close(file);
	return tw_error__set(error, err, "%s cannot be locked: %s", file->path, why_not_locked(err));
}

/*
 * Try again if another process removed the directory before open(), or the file before flock(). If the file is locked, try again for a
 * short time: a cleanup may have locked the new file, and unlocks it when it finds that the file is empty.
 */
int tw_state_file__lock(const char *name, struct tw_state_file *ret, struct tw_error *error)
{
	int err = -ENOENT, busy = 0;

	ret->fd = -1;
	name_file(ret, name);
	for (int i = 0; i < 100 && (err == -ENOENT || (err == -EBUSY && busy++ < BUSY_LOOKS)); i++) {
		if (err == -EBUSY)
			nanosleep(&(struct timespec){ .tv_nsec = LOOK_MS * 1000000 }, NULL);
		err = open_locked(ret, error);
	}
	return err;
}

/* Open a file for reading, if it is a regular file. With O_NONBLOCK, opening a FIFO does not block. Return: a descriptor, or -errno */
static int open_regular(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	int err;

	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) ? -errno : 0;
	if (!err && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return err ? err : -EINVAL;
}

int tw_state_file__open(const char *name, struct tw_state_file *ret)
{
	int fd;

	name_file(ret, name);
	fd = open_regular(ret->path);
	ret->fd = fd < 0 ? -1 : fd;
	return fd < 0 ? fd : 0;
}

/* Read line 0 or 1 of the file. @ret: the fields of a complete and valid line; otherwise all zero, which means no text */
static int read_place(int fd, unsigned int line, struct place *ret)
{
	char text[PLACE_LEN + 1] = "";
	struct place place = { 0 };
	uint64_t again;
	const ssize_t n = pread(fd, text, PLACE_LEN, (off_t)line * PLACE_DISTANCE);

	*ret = place;
	if (n < 0)
		return -errno;
	if (n != PLACE_LEN ||
	    sscanf(text, "text %20" SCNu64 " at %20" SCNu64 " bytes %20" SCNu64 " text %20" SCNu64, &place.sequence,
		   &place.offset, &place.len, &again) != 4 ||
	    place.sequence != again || place.sequence % 2 != line || place.offset < TEXTS ||
	    place.len > TW_STATE_TEXT_MAX)
		return 0;
	*ret = place;
	return 0;
}

/* If one of the two lines cannot be read, it may be the newer one. */
static int newest_place(int fd, struct place *ret)
{
	struct place even, odd;
	int err = read_place(fd, 0, &even);

	if (!err)
		err = read_place(fd, 1, &odd);
	if (!err)
		*ret = even.sequence > odd.sequence ? even : odd;
	return err;
}

/* A fatal signal can cut a write at the end of a page. A write within one page, such as the write of a PLACE line, is never cut. */
static int write_all(int fd, const char *bytes, size_t len, uint64_t offset)
{
	while (len) {
		const ssize_t n = pwrite(fd, bytes, len, (off_t)offset);

		if (!n)
			return -EIO; /* do not repeat a write that writes nothing: the loop might be endless */
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
			offset += (uint64_t)n;
		}
	}
	return 0;
}

static int write_place(int fd, const struct place *place)
{
	char text[PLACE_LEN + 1];

	snprintf(text, sizeof(text), PLACE, place->sequence, place->offset, place->len, place->sequence);
	return write_all(fd, text, PLACE_LEN, place->sequence % 2 * PLACE_DISTANCE);
}

int tw_state_file__write(const struct tw_state_file *file, const char *text, size_t len)
{
	struct place old, new = { .offset = TEXTS, .len = len };
	int err = len > TW_STATE_TEXT_MAX ? -EFBIG : newest_place(file->fd, &old);

	if (err)
		return err;
	new.sequence = old.sequence + 1;
	if (old.sequence && new.offset + len > old.offset)
		new.offset = (old.offset + old.len + PAGE - 1) / PAGE *PAGE;
	err = write_all(file->fd, text, len, new.offset);
	return err ? err : write_place(file->fd, &new);
}

int tw_state_file__patch(const struct tw_state_file *file, size_t at, const char *bytes, size_t len)
{
	struct place place;
	const int err = newest_place(file->fd, &place);

	if (err)
		return err;
	if (!place.sequence || at > place.len || len > place.len - at)
		return -EINVAL;
	return write_all(file->fd, bytes, len, place.offset + at);
}

static int read_text(int fd, const struct place *place, char **ret)
{
	char *text = malloc(place->len + 1);
	ssize_t n;
	int err;

	if (!text)
		return -ENOMEM;
	n = pread(fd, text, place->len, (off_t)place->offset);
	if (n != (ssize_t)place->len) {
		err = n < 0 ? -errno : -ENODATA;
		free(text);
		return err;
	}
	text[place->len] = '\0';
	*ret = text;
	return 0;
}

/*
 * A file keeps only two texts, so the owner may overwrite the text that is being read. If the owner has written a text meanwhile, read
 * again.
 */
int tw_state_file__read(const struct tw_state_file *file, char **ret)
{
	struct place place;
	int err = newest_place(file->fd, &place);

	if (err)
		return err;
	if (!place.sequence)
		return -ENODATA;
	for (int i = 0; i < READ_TRIES && place.sequence; i++) {
		const uint64_t sequence = place.sequence;

		err = read_text(file->fd, &place, ret);
		if (err)
			return err;
		err = newest_place(file->fd, &place);
		if (!err && place.sequence == sequence)
			return 0;
		free(*ret);
		if (err)
			return err;
	}
	return -EAGAIN;
}

/* Opens a file of the directory. Return: 0; -ENOENT if the file must be skipped; another -errno, with @error filled */
static int open_entry(const char *name, struct tw_state_file *ret, struct tw_error *error)
{
	const int err = tw_state_file__open(name, ret);

	if (err == -EINVAL || err == -ELOOP) /* not a regular file */
		return -ENOENT;
	return !err || err == -ENOENT
		       ? err
		       : tw_error__set(error, err, "cannot open the state file %s: %s", ret->path, strerror(-err));
}

int tw_state_file__each(const char *prefix, int (*each)(struct tw_state_file *file, void *ctx, struct tw_error *error),
			void *ctx, struct tw_error *error)
{
	DIR *dir = opendir(folder());
	struct dirent *entry;
	struct tw_error why;
	int err = 0, closed = 0; /* @closed: error of the first file that cannot be opened */

	if (!dir && errno == ENOENT)
		return 0;
	if (!dir)
		return tw_error__set(error, -errno, "cannot read the directory %s: %s", folder(),
				     errno == EACCES ? "only root has access; use sudo" : strerror(errno));
	while (!err && (entry = readdir(dir))) {
		struct tw_state_file file;
		int opened;

		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		opened = open_entry(entry->d_name, &file, closed ? NULL : &why);
		if (!opened)
			err = each(&file, ctx, error);
		else if (opened != -ENOENT && !closed)
			closed = opened;
		tw_state_file__close(&file);
	}
	closedir(dir);
	return err || !closed ? err : tw_error__set(error, closed, "%s", why.text);
}
