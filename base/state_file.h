/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files below /run/tracewire in which a process says what of it outlives it if it is killed. Who holds something has locked its
 * file; a file that nobody has locked is for the next run or `tracewire cleanup` to see to. What stands in it is its owner's matter.
 *
 * The folder is root's. Who is not root has that in $RUNTIME_DIRECTORY, if systemd has made one for him.
 */
#ifndef TW_STATE_FILE_H
#define TW_STATE_FILE_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

struct tw_state_file {
	int fd; /* -1 = there is none */
	char path[PATH_MAX];
};

/**
 * tw_state_file__lock() - the file of that name, locked, made if need be
 * @name: without the folder, printable, without '/'
 * @ret: tw_state_file__close()
 * Return: 0; -EBUSY if another process has it, without a sentence; another -errno.
 */
int tw_state_file__lock(const char *name, struct tw_state_file *ret, struct tw_error *error);

/** tw_state_file__open() - the same file to be read, whoever has locked it. Return: 0 or -errno */
int tw_state_file__open(const char *name, struct tw_state_file *ret);

/**
 * tw_state_file__try_lock() - the same for a file that tw_state_file__each() found
 * Return: 0; -EBUSY; -ENOENT if it has gone.
 */
int tw_state_file__try_lock(struct tw_state_file *file);

#define TW_STATE_TEXT_MAX ((size_t)64 << 20)

/**
 * tw_state_file__write() - exchange its text
 *
 * If the process is killed meanwhile, or there is no room, the text before is still there. The file stays the same inode, as
 * processes that share its lock have it open.
 *
 * Return: 0 or -errno, without a sentence.
 */
int tw_state_file__write(const struct tw_state_file *file, const char *text, size_t len);

/**
 * tw_state_file__patch() - write over a part of the text
 * @at: offset in the text; @len bytes from there lie within one page of 4096 bytes, counted from the begin of the text, so that it is
 * done as a whole or not at all
 * Return: 0 or -errno, without a sentence.
 */
int tw_state_file__patch(const struct tw_state_file *file, size_t at, const char *bytes, size_t len);

/**
 * tw_state_file__read() - its text, whoever has locked it
 * @ret: NUL-terminated; the caller frees it
 * Return: 0; -ENODATA if none was written yet; -ENOMEM; -EAGAIN if its owner writes all the time.
 */
int tw_state_file__read(const struct tw_state_file *file, char **ret);

/** tw_state_file__has_gone() - somebody removed it */
bool tw_state_file__has_gone(const struct tw_state_file *file);

/** tw_state_file__remove() - and the folder if it was the last */
void tw_state_file__remove(const struct tw_state_file *file);

/** tw_state_file__close() - and unlock, if no other process shares it */
void tw_state_file__close(struct tw_state_file *file);

/**
 * tw_state_file__each() - open all files there are whose names begin so, to be read and locked
 * @each: a return other than 0 ends it
 */
int tw_state_file__each(const char *prefix, int (*each)(struct tw_state_file *file, void *ctx, struct tw_error *error),
			void *ctx, struct tw_error *error);

#endif
