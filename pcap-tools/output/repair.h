/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Repairs captures whose writer was killed: the incomplete data at the end is removed, so that readers see a valid file. The bytes are
 * untrusted. Only damage that an interrupted write can cause is repaired, and only in files as tw_output writes them.
 */
#ifndef TW_OUTPUT_REPAIR_H
#define TW_OUTPUT_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct tw_repair {
	uint64_t size; /* new size of the file, bytes */
	uint64_t cut;  /* bytes removed from its end */
	bool closed;   /* its zstd frame was ended */
};

/*
 * Called for each repaired file, with @why NULL, and for each file that could not be repaired, with the reason @why. A file that could not
 * be repaired does not make tw_output__repair_left() fail.
 */
typedef void tw_repair_tell(void *ctx, const char *path, const struct tw_repair *repair, const char *why);

/**
 * tw_output__repair() - repair a file, plain or compressed according to its first bytes
 * @known: offset of the end of an earlier write, up to which the file is known to be whole; 0 = unknown: the whole file is read
 * @dry_run: only report
 * Return: 0, also if there is nothing to repair; -EBADMSG if it is another kind of file, or damaged elsewhere (it stays unchanged); errors
 * of open() and similar calls.
 */
int tw_output__repair(const char *path, uint64_t known, bool dry_run, struct tw_repair *ret, struct tw_error *error);

/** tw_output__repair_fd() - as tw_output__repair(), for an open file; @fd: readable, and writable unless @dry_run is set */
int tw_output__repair_fd(int fd, uint64_t known, bool dry_run, struct tw_repair *ret);

/** tw_output__repair_left() - repair the files of dead processes, according to their notes */
int tw_output__repair_left(bool dry_run, tw_repair_tell *tell, void *ctx, struct tw_error *error);

/**
 * tw_output__repair_newest() - repair the file that was written last, of the several files with one path, unless another process writes it
 * @path: as in struct tw_output_options
 *
 * For files whose writer was not permitted to write notes. The files are found by their names, which have a number and
 * the local time (output.h).
 */
void tw_output__repair_newest(const char *path, tw_repair_tell *tell, void *ctx);

#endif
