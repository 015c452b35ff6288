/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State files in /run/tracewire. In its state file, a process describes the objects that remain if the process is killed. The process keeps
 * the file locked while it owns the objects. If a file is unlocked, its process has ended. The next run or `tracewire cleanup` then removes
 * or repairs the objects, unless they are permanent. The code that makes a file defines the format of its content.
 *
 * /run/tracewire belongs to root. For another user, the directory is $RUNTIME_DIRECTORY if systemd has set this variable.
 */
#ifndef TW_STATE_FILE_H
#define TW_STATE_FILE_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

struct tw_state_file {
	int fd; /* -1 = not open */
	char path[PATH_MAX];
};

/**
 * tw_state_file__lock() - open or create the file @name, and lock it; waits about 50 ms at most for the lock
 * @name: name of the file in the directory: printable, without a '/'
 * @ret: close it with tw_state_file__close()
 * Return: 0; -EBUSY if another process keeps the file locked; -ENOENT if the file or its directory is removed repeatedly; another -errno.
 */
int tw_state_file__lock(const char *name, struct tw_state_file *ret, struct tw_error *error);

/** tw_state_file__open() - open the file @name for reading, even if it is locked. Return: 0 or -errno */
int tw_state_file__open(const char *name, struct tw_state_file *ret);

/**
 * tw_state_file__try_lock() - lock an open file, such as one from tw_state_file__each()
 * Return: 0; -EBUSY if another process has locked the file; -ENOENT if the file was removed; another -errno.
 */
int tw_state_file__try_lock(struct tw_state_file *file);

#define TW_STATE_TEXT_MAX ((size_t)64 << 20) /* largest content, bytes */

/**
 * tw_state_file__write() - replace the content
 * If the process is killed during the write, or the disk is full, the old content stays valid. The file keeps its inode, because other
 * processes that share the lock have this inode open.
 * Return: 0 or -errno.
 */
int tw_state_file__write(const struct tw_state_file *file, const char *text, size_t len);

/**
 * tw_state_file__patch() - overwrite a part of the content
 * @at: offset in the content; the @len bytes must lie within one block of 4096 bytes, counted from the beginning of the content, so that
 * they are written completely or not at all
 * Return: 0 or -errno.
 */
int tw_state_file__patch(const struct tw_state_file *file, size_t at, const char *bytes, size_t len);

/**
 * tw_state_file__read() - read the content, even if the file is locked
 * @ret: NUL-terminated; the caller frees it
 * Return: 0; -ENODATA if the file has no complete content yet; -ENOMEM; -EAGAIN if the owner replaces the content again and again;
 * another -errno if the file cannot be read.
 */
int tw_state_file__read(const struct tw_state_file *file, char **ret);

/** tw_state_file__has_gone() - whether the file was removed; false if this cannot be found out */
bool tw_state_file__has_gone(const struct tw_state_file *file);

/** tw_state_file__remove() - remove the file, and then the directory if it is empty */
void tw_state_file__remove(const struct tw_state_file *file);

/** tw_state_file__close() - close the file; this unlocks it if no other process shares the lock */
void tw_state_file__close(struct tw_state_file *file);

/**
 * tw_state_file__each() - open each file whose name begins with @prefix, and call @each for it
 * @each: may read and lock the file, which is closed after the call; a return value other than 0 ends the loop and is returned
 * Files that are not regular, or that were removed meanwhile, are skipped. If a file cannot be opened for another reason, the function
 * continues with the other files, and then returns the error.
 * Return: 0, also if there is no directory; the value of @each; -errno, with @error filled, if the directory or a file cannot be read.
 */
int tw_state_file__each(const char *prefix, int (*each)(struct tw_state_file *file, void *ctx, struct tw_error *error),
			void *ctx, struct tw_error *error);

#endif
