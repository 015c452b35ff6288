/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State files below /run/tracewire. A process describes there the objects that outlive it if it is killed. The process that owns an
 * object has locked its file; the next run or `tracewire cleanup` handles unlocked files. The owner defines the content.
 *
 * The directory belongs to root. Other users use $RUNTIME_DIRECTORY, if systemd made one for them.
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
 * tw_state_file__lock() - open or create the file of that name, and lock it
 * @name: without the directory, printable, without '/'
 * @ret: close it with tw_state_file__close()
 * Return: 0; -EBUSY if another process has locked it, with @error unchanged; another -errno.
 */
int tw_state_file__lock(const char *name, struct tw_state_file *ret, struct tw_error *error);

/** tw_state_file__open() - open the same file for reading, even if it is locked. Return: 0 or -errno */
int tw_state_file__open(const char *name, struct tw_state_file *ret);

/**
 * tw_state_file__try_lock() - lock a file found by tw_state_file__each()
 * Return: 0; -EBUSY; -ENOENT if it was removed.
 */
int tw_state_file__try_lock(struct tw_state_file *file);

#define TW_STATE_TEXT_MAX ((size_t)64 << 20)

/**
 * tw_state_file__write() - replace the content
 *
 * If the process is killed meanwhile, or the disk is full, the old content stays. The inode does not change, because processes that
 * share the lock have it open.
 *
 * Return: 0 or -errno, without an error text.
 */
int tw_state_file__write(const struct tw_state_file *file, const char *text, size_t len);

/**
 * tw_state_file__patch() - overwrite a part of the text
 * @at: offset in the text; the @len bytes must lie within one page of 4096 bytes, counted from the beginning of the text, so that the
 * write is complete or not done
 * Return: 0 or -errno, without an error text.
 */
int tw_state_file__patch(const struct tw_state_file *file, size_t at, const char *bytes, size_t len);

/**
 * tw_state_file__read() - read the content, even if the file is locked
 * @ret: NUL-terminated; the caller frees it
 * Return: 0; -ENODATA if nothing was written yet; -ENOMEM; -EAGAIN if its owner writes continuously.
 */
int tw_state_file__read(const struct tw_state_file *file, char **ret);

/** tw_state_file__has_gone() - whether the file was removed */
bool tw_state_file__has_gone(const struct tw_state_file *file);

/** tw_state_file__remove() - remove the file, and the directory if it is empty then */
void tw_state_file__remove(const struct tw_state_file *file);

/** tw_state_file__close() - close the file; this unlocks it if no other process shares the lock */
void tw_state_file__close(struct tw_state_file *file);

/**
 * tw_state_file__each() - open all files with that name prefix, for reading and locking
 * @each: a return value other than 0 ends it
 */
int tw_state_file__each(const char *prefix, int (*each)(struct tw_state_file *file, void *ctx, struct tw_error *error),
			void *ctx, struct tw_error *error);

#endif
