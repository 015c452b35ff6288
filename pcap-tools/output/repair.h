/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures whose writer was killed: what it was writing at that moment is cut off, so that readers find a file without a fault. The
 * bytes are a stranger's; only what a write that was cut short explains is mended, in files as tw_output writes them.
 */
#ifndef TW_OUTPUT_REPAIR_H
#define TW_OUTPUT_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct tw_repair {
	uint64_t size; /* of the file now, bytes */
	uint64_t cut;  /* taken off its end, bytes */
	bool closed;   /* its zstd frame has got its end */
};

/* Called for each file that was mended, or with @why for one that could not be; neither is an error. */
typedef void tw_repair_tell(void *ctx, const char *path, const struct tw_repair *repair, const char *why);

/**
 * tw_output__repair() - a file, plain or compressed as its first bytes say
 * @known: the end of a write up to which it is known to be whole; 0 = none: then all of it is read
 * @dry_run: only find out
 * Return: 0, also if nothing was to be done; -EBADMSG if it is no such file or damaged elsewhere: then it stays as it is; what open()
 * and their like said.
 */
int tw_output__repair(const char *path, uint64_t known, bool dry_run, struct tw_repair *ret, struct tw_error *error);

/** tw_output__repair_fd() - the same for an open file, without a sentence; @fd: readable, and writable unless it is a dry run */
int tw_output__repair_fd(int fd, uint64_t known, bool dry_run, struct tw_repair *ret);

/** tw_output__repair_left() - what processes that are dead were writing, as far as they remembered */
int tw_output__repair_left(bool dry_run, tw_repair_tell *tell, void *ctx, struct tw_error *error);

/**
 * tw_output__repair_newest() - of files one after the other, that which was written last, unless another process writes it
 * @path: as in struct tw_output_options
 *
 * For processes without the right to remember. It is looked for under the names that tw_output would give them.
 */
void tw_output__repair_newest(const char *path, tw_repair_tell *tell, void *ctx);

#endif
