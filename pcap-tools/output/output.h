/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Destinations of a capture's bytes: a file, a sequence or ring of files, standard output, a pipe. The input is pcapng in whole blocks;
 * a file whose name ends in .zst is compressed.
 *
 * All bytes have left the process when tw_output__write() returns. So a process that is killed leaves whole blocks, except for the write
 * in progress; tw_output__repair() removes an incomplete block. A compressed file is flushed with each write, so it also ends with whole
 * blocks, and other programs can read it while it grows.
 *
 * If the reader of a pipe has stopped, or no reader opens a FIFO, the output waits until a deadline, which another thread or a signal
 * handler may set. Therefore it does not use blocking writes for pipes and sockets. If permitted, it opens a pipe again through /proc
 * with O_NONBLOCK, because setting the flag of a shared open file description would affect other processes. A write to a file on a hanging
 * disk cannot be ended; a caller that must not hang lets a separate thread write.
 *
 * The names of several files have a number and the local time, as with dumpcap: x_00001_20261121093000.pcapng for x.pcapng.
 *
 * The caller must ignore SIGPIPE and SIGXFSZ, so that writes fail with EPIPE and EFBIG instead.
 */
#ifndef TW_OUTPUT_H
#define TW_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/time.h"

#define TW_OUTPUT_RESERVE   ((size_t)64 << 10) /* bytes reserved for tw_output__write_last() */
#define TW_OUTPUT_ALIGN     4096               /* alignment of writes with O_DIRECT, bytes; no disk has larger blocks */
#define TW_OUTPUT_FILES_MAX 99999              /* files of a ring: numbers in file names have five digits */

struct tw_output_owner {
	uid_t uid;
	gid_t gid;
};

struct tw_output_options {
	const char *path; /* created or truncated; "-" = standard output; NULL = use fd */
	int fd; /* without a path: a file, pipe or socket, written at its offset, or at its end with O_APPEND; stays the caller's */
	const struct tw_output_owner *owner; /* owner of new files, copied; NULL = this process's user */
	const char *name; /* for error texts; NULL = the path, or "standard output", or "the recording" */
	/* Conditions that end a file and begin the next one. Without a condition, there is one file with the path as its name. */
	uint64_t file_bytes;   /* size of the file; it may be larger by one batch if it is compressed */
	uint64_t file_packets; /* packets in the file */
	uint64_t file_ns;      /* time since the beginning of the file */
	uint64_t interval_ns;  /* the time since 1970 reaches a multiple of interval_ns */
	/* Files to keep: the oldest is removed before the next begins. Files of an earlier run stay, as with dumpcap. 0 = all */
	uint32_t files_max;
	/* Keep a note below /run/tracewire for tw_output__repair_left(). If that is not permitted, there is no note. */
	bool remember;
	/*
	 * After the deadline, opening a FIFO without a reader fails. Writing fails with -ETIMEDOUT if a pipe still has no room 100 ms
	 * after the deadline, or if writes to a file have taken more than one second since the deadline. NULL = no deadline. Borrowed
	 * until tw_output__free().
	 */
	const struct tw_deadline *deadline;
};

struct tw_output_stats {
	uint64_t bytes;         /* bytes in all files, including removed ones */
	uint64_t files;         /* files begun */
	uint64_t removed;       /* files removed by the ring */
	uint64_t removed_early; /* removed because the disk was full, so fewer than files_max stay; part of `removed` */
};

struct tw_output;

/**
 * tw_output__open() - open the file, or the first of several files
 * Return: 0; -EINVAL if the output is a terminal, or if several files are requested but the output is not the path of a file; -EBADF if
 * fd is not open for writing; -EBUSY if another process writes the file; -ENAMETOOLONG; -ENOMEM; -EINTR if the deadline was over before a
 * reader opened the FIFO; errors of open().
 */
int tw_output__open(const struct tw_output_options *options, struct tw_output **ret, struct tw_error *error);

/**
 * tw_output__watch() - set callbacks for calls that may wait for the disk; they run in the thread of the call
 * @begin, @done: called before and after each such call; may be NULL
 *
 * Between @begin and @done, the call changes only @o. If @begin releases a lock of the caller, other threads can meanwhile read what the
 * lock protects.
 */
void tw_output__watch(struct tw_output *o, void (*begin)(void *ctx), void (*done)(void *ctx), void *ctx);

/**
 * tw_output__write() - write whole blocks; waits while a pipe is full, until the deadline
 * @ret_kept: number of bytes that are written, in whole blocks; @len if there is no failure
 *
 * If the disk is full, the oldest file of a ring is removed, as long as there is one besides the current file. Any failure is final:
 * only one call of tw_output__write_last(), and tw_output__finish(), may follow. When the file is ended, it is cut to its whole blocks.
 */
int tw_output__write(struct tw_output *o, const void *blocks, size_t len, size_t *ret_kept, struct tw_error *error);

/**
 * tw_output__write_last() - after a failed write to a file, write the last statistics after the file's whole blocks
 *
 * For these statistics, TW_OUTPUT_RESERVE bytes of the disk are allocated beyond the end of a file while it is written, if the file
 * system supports that. Other writes also leave room for the statistics below the largest permitted size of the file (ulimit -f):
 * TW_OUTPUT_RESERVE bytes, but at most a quarter of this size.
 *
 * @len: at most TW_OUTPUT_RESERVE - TW_OUTPUT_ALIGN
 * Return: 0; -ESPIPE if no write to a file failed, no file is open, or @len is too large; errors of pwrite(): then the file ends with
 * its whole blocks.
 */
int tw_output__write_last(struct tw_output *o, const void *blocks, size_t len);

/**
 * tw_output__lacks() - number of bytes to add to a large batch of @len so that it ends at a multiple of TW_OUTPUT_ALIGN in the file
 * Return: less than TW_OUTPUT_ALIGN; 0 if the alignment is irrelevant, that is, without O_DIRECT
 */
size_t tw_output__lacks(const struct tw_output *o, size_t len);

/**
 * tw_output__is_due() - whether the next file must begin
 * @buffered: bytes that are about to be written
 * @packets: in this file, including buffered ones
 * @now: CLOCK_MONOTONIC, ns; 0 = ignore time limits
 */
bool tw_output__is_due(const struct tw_output *o, size_t buffered, uint64_t packets, uint64_t now);

/** tw_output__next() - end this file and begin the next; the caller then begins a section. A failure is final */
int tw_output__next(struct tw_output *o, struct tw_error *error);

/**
 * tw_output__finish() - end the last file; also called after a failure. Only tw_output__free() may follow
 * Return: 0; -ENOENT if another process removed a file while it was written; errors of writing the end of the last file.
 */
int tw_output__finish(struct tw_output *o, struct tw_error *error);

/**
 * tw_output__check_writable() - whether a descriptor opened by the caller is writable
 * @name: for @error
 * Return: 0; -EINVAL if it is a terminal; -EBADF if it is closed, or open for reading only.
 */
int tw_output__check_writable(int fd, const char *name, struct tw_error *error);

/**
 * tw_output__remedy() - what to do if a file cannot be created
 * @err: -errno
 * Return: "; ..." to be appended to the reason; "" if there is no advice
 */
const char *tw_output__remedy(int err);

/** tw_output__free() - free the output; ends the last file if tw_output__finish() was not called; NULL is fine */
void tw_output__free(struct tw_output *o);

/** tw_output__pattern() - glob pattern for the names of several files with this path, cut to @size bytes: x_*.pcapng for x.pcapng */
void tw_output__pattern(const char *path, char *ret, size_t size);

/** tw_output__is_pipe() - whether the output is not a regular file: a pipe, a socket, a device */
bool tw_output__is_pipe(const struct tw_output *o);

/** tw_output__name() - name of the current file, for messages; valid until the next file begins */
const char *tw_output__name(const struct tw_output *o);

/** tw_output__stats() - the counters after the last completed call; borrowed */
const struct tw_output_stats *tw_output__stats(const struct tw_output *o);

#endif
