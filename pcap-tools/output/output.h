/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a capture's bytes go: a file, files one after the other with or without an end to their number, standard output, a pipe.
 * What comes is pcapng, in whole blocks; a file whose name ends in .zst gets it compressed.
 *
 * Everything is out of the process when tw_output__write() returns. So a process that is killed leaves whole blocks, but for what it
 * was writing at that moment; tw_output__repair() cuts that off. A compressed file is flushed with each write, so that this holds
 * for it too, and for programs that read it while it grows.
 *
 * What blocks is waited for until a deadline that another thread or a signal handler may set: a pipe whose reader has stopped, a FIFO
 * that no reader opens. So pipes, terminals and sockets are never written to by a call that may block: the output opens them once more through
 * /proc, without blocking, for a flag on the description that others share would change theirs too. A write to a file on a disk
 * that hangs cannot be ended by anybody; a caller that must not hang lets a thread of its own write.
 *
 * Several files are named as dumpcap names them: x_00001_20261121093000.pcapng for x.pcapng, in local time.
 *
 * Signals are the caller's: ignore SIGPIPE and SIGXFSZ, so that they are errors and not the end of the process.
 */
#ifndef TW_OUTPUT_H
#define TW_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/time.h"

#define TW_OUTPUT_RESERVE   ((size_t)64 << 10) /* bytes that are kept back for tw_output__write_last() */
#define TW_OUTPUT_ALIGN     4096               /* bytes; no disk has larger blocks */
#define TW_OUTPUT_FILES_MAX 99999              /* in a ring, as for dumpcap */

struct tw_output_options {
	const char *path; /* created or cut to nothing; "-" = standard output; NULL: fd */
	int fd; /* without a path: a file, pipe or terminal, at its end; stays the caller's; non-blocking is fine */
	const char *name; /* for error texts; NULL = the path, or "standard output", or "the recording" */
	/* What ends a file and begins the next; with none of them there is one file, which has the path as its name. */
	uint64_t file_bytes;   /* the file has as many; a batch more if it is compressed */
	uint64_t file_packets; /* it has as many */
	uint64_t file_ns;      /* it was begun so long ago */
	uint64_t interval_ns;  /* seconds since 1970 are a multiple of it */
	/* So many are kept, and before one more is begun the oldest is removed; those of an earlier run stay, as with dumpcap. 0 = all */
	uint32_t files_max;
	/*
	 * Keep a note below /run/tracewire, which tells tw_output__repair_left() what was being written. Without the right to do
	 * so there is none.
	 */
	bool remember;
	/*
	 * When it is over, a FIFO without a reader is given up, and what takes nothing any more fails with -ETIMEDOUT: a pipe after some
	 * ms without room, a disk that has used up a second since. NULL = none. Borrowed until tw_output__free().
	 */
	const struct tw_deadline *deadline;
};

struct tw_output_stats {
	uint64_t bytes;         /* in all files, those removed too */
	uint64_t files;         /* begun */
	uint64_t removed;       /* by the ring */
	uint64_t removed_early; /* of these, for want of space on the disk: there are fewer than files_max */
};

struct tw_output;

/**
 * tw_output__open() - open the file, or the first
 * Return: 0; -EINVAL if several files are asked for and it is no file; -EBUSY if another process writes it; -ENOMEM; -EINTR if the
 * deadline was over before anybody read a FIFO; what open() said.
 */
int tw_output__open(const struct tw_output_options *options, struct tw_output **ret, struct tw_error *error);

/**
 * tw_output__watch() - call @begin before and @done after each call that may wait for the disk, in the thread that makes it
 * @begin, @done: may be NULL
 *
 * Between the two the output changes nothing else: the callee may let other threads look at what the bytes are made of.
 */
void tw_output__watch(struct tw_output *o, void (*begin)(void *ctx), void (*done)(void *ctx), void *ctx);

/**
 * tw_output__write() - whole blocks; waits as long as a pipe is full, or to the deadline
 * @ret_kept: bytes of them that are where they should be, in whole blocks; all without a failure
 *
 * No space on the disk: the oldest file of a ring is removed, as long as there is one besides that which is written. Any failure is
 * final: files are cut to their whole blocks when they are ended, and nothing may follow but tw_output__write_last(), once, and the end.
 */
int tw_output__write(struct tw_output *o, const void *blocks, size_t len, size_t *ret_kept, struct tw_error *error);

/**
 * tw_output__write_last() - after the whole blocks of a file that could not be written any more: what is to be known of that
 *
 * While a file is written TW_OUTPUT_RESERVE bytes of the disk are allocated after its end, where the file system can do so, and as
 * many are left below the largest size that the file may have.
 *
 * @len: less than TW_OUTPUT_RESERVE by TW_OUTPUT_ALIGN
 * Return: 0; -ESPIPE if it is no file, or none is open; what pwrite() said: it ends with its whole blocks then.
 */
int tw_output__write_last(struct tw_output *o, const void *blocks, size_t len);

/**
 * tw_output__lacks() - bytes that a large batch of @len lacks to end at a multiple of TW_OUTPUT_ALIGN in the file
 * Return: less than TW_OUTPUT_ALIGN; 0 also where it does not matter, which is everywhere but with O_DIRECT
 */
size_t tw_output__lacks(const struct tw_output *o, size_t len);

/**
 * tw_output__is_due() - whether the next file is to begin
 * @buffered: bytes that are about to be written
 * @packets: in this file, those buffered too
 * @now: CLOCK_MONOTONIC, ns; 0 = time is not asked
 */
bool tw_output__is_due(const struct tw_output *o, size_t buffered, uint64_t packets, uint64_t now);

/** tw_output__next() - end this file and begin the next: what is written next begins a section. A failure is final */
int tw_output__next(struct tw_output *o, struct tw_error *error);

/**
 * tw_output__finish() - end the last file; after a failure too. Nothing may follow but tw_output__free()
 * Return: 0; -ENOENT if somebody else removed a file while it was written; what writing its end said.
 */
int tw_output__finish(struct tw_output *o, struct tw_error *error);

/**
 * tw_output__check_writable() - whether a descriptor that somebody else opened can be written
 * @name: for @error
 * Return: 0; -EBADF if it is closed, or open for reading only.
 */
int tw_output__check_writable(int fd, const char *name, struct tw_error *error);

/**
 * tw_output__remedy() - what to do where a file cannot be created
 * @err: -errno
 * Return: "; ..." to follow the reason; "" if there is nothing to advise
 */
const char *tw_output__remedy(int err);

/** tw_output__free() - and finish, if that was not done; NULL is fine */
void tw_output__free(struct tw_output *o);

/** tw_output__is_pipe() - somebody reads while we write: a pipe, a terminal, a socket */
bool tw_output__is_pipe(const struct tw_output *o);

/** tw_output__name() - of the file that is written, for people; until the next is begun */
const char *tw_output__name(const struct tw_output *o);

/** tw_output__stats() - as of the last call that is done */
void tw_output__stats(const struct tw_output *o, struct tw_output_stats *ret);

#endif
