/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap-tools/output/output_impl.h"

#define HEAD   "tracewire output 1\nwhole "
#define NUMBER "%020" PRIu64 /* constant length, so that it can be overwritten */

static void note__write(const struct tw_state_file *note, const struct stat *st, const char *path)
{
	char real[PATH_MAX], text[PATH_MAX + 256];
	int len;

	if (!realpath(path, real))
		return;
	len = snprintf(text, sizeof(text), HEAD NUMBER "\nfile %ju %ju\npath %zu %s\n", (uint64_t)0,
		       (uintmax_t)st->st_dev, (uintmax_t)st->st_ino, strlen(real), real);
	tw_state_file__write(note, text, (size_t)len);
}

int tw_note__busy(const char *path, struct tw_error *error)
{
	return tw_error__set(error, -EBUSY,
			     "another process is writing %s; wait until it ends, or write to another file", path);
}

int tw_note__open(struct tw_state_file *note, int fd, const char *path, struct tw_error *error)
{
	char name[64];
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return 0;
	snprintf(name, sizeof(name), TW_NOTES "%jx-%jx", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	err = tw_state_file__lock(name, note, NULL);
	if (err == -EBUSY)
		return tw_note__busy(path, error);
	if (!err)
		note__write(note, &st, path);
	return 0;
}

void tw_note__move(const struct tw_state_file *note, uint64_t whole)
{
	char number[32];
	const int len = snprintf(number, sizeof(number), NUMBER, whole);

	if (note->fd >= 0 && tw_state_file__patch(note, strlen(HEAD), number, (size_t)len))
		return; /* the note keeps a smaller offset, up to which the file is also whole */
}

void tw_note__close(struct tw_state_file *note)
{
	if (note->fd < 0)
		return;
	tw_state_file__remove(note);
	tw_state_file__close(note);
}

static int parse(const char *text, struct tw_noted *ret)
{
	size_t len;
	int used = 0;

	if (sscanf(text, HEAD "%" SCNu64 " file %" SCNu64 " %" SCNu64 " path %zu%n", &ret->whole, &ret->device,
		   &ret->inode, &len, &used) != 4 ||
	    text[used] != ' ' || !len || len >= sizeof(ret->path) || strnlen(text + used + 1, len + 1) != len + 1)
		return -ENODATA;
	memcpy(ret->path, text + used + 1, len);
	ret->path[len] = '\0';
	return 0;
}

int tw_note__read(const struct tw_state_file *file, struct tw_noted *ret)
{
	char *text;
	int err = tw_state_file__read(file, &text);

	if (err)
		return err;
	err = parse(text, ret);
	free(text);
	return err;
}
