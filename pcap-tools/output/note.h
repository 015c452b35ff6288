/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The note below /run/tracewire about a file that is being written: its path, and up to where it is whole. It is named after the
 * file's device and inode, so that two processes cannot write one file. Used inside output/ only.
 */
#ifndef TW_OUTPUT_NOTE_H
#define TW_OUTPUT_NOTE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state_file.h"

#define TW_NOTES "output-" /* how their names begin */

/* All zero: there is none, and nothing is noted. */
struct tw_note {
	struct tw_state_file file;
	bool open;
};

/** tw_note__busy() - the sentence for a file that another process writes. Return: -EBUSY */
int tw_note__busy(const char *path, struct tw_error *err);

/** tw_note__open() - for an open file. Return: 0, also if there can be none; -EBUSY if another process has one */
int tw_note__open(struct tw_note *note, int fd, const char *path, struct tw_error *err);

/** tw_note__move() - the file is whole up to there, and can be looked at from there */
void tw_note__move(const struct tw_note *note, uint64_t whole);

/** tw_note__close() - the file is as it should be */
void tw_note__close(struct tw_note *note);

/* What stands in one. */
struct tw_noted {
	uint64_t whole, device, inode;
	char path[PATH_MAX];
};

/** tw_note__read() - Return: 0; -ENODATA if nothing of use stands in it; another -errno */
int tw_note__read(const struct tw_state_file *file, struct tw_noted *ret);

#endif
