/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/time.h"
#include "pcap-tools/output/output_impl.h"
#include "pcap-tools/output/repair.h"
#include "pcap-tools/pcapng/blocks.h"

#define OPEN_FLAGS (O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
#define ROOM_MIN   256 /* on a nearly full disk, a write is halved until it has at most this number of bytes */
#define LATE_NS    TW_NS_PER_SECOND /* time that writes may take after the deadline; a working disk needs far less */

const char *tw_output__remedy(int err)
{
	switch (-err) {
	case ENOENT:
		return "; create the directory first";
	case ENOTDIR:
		return "; a part of the path is a file instead of a directory: give another path";
	case EISDIR:
		return "; name a file in it";
	case EACCES:
	case EPERM:
		return "; give a path with write permission";
	case EROFS:
		return "; give a path on another file system";
	case ENOSPC:
	case EDQUOT:
		return "; free some space, or write to another file system";
	case ENAMETOOLONG:
		return "; give a shorter name";
	default:
		return "";
	}
}

/* Stores a failure and sets its text. Return: @err */
static int output__fail(struct tw_output *o, int err, struct tw_error *error)
{
	const unsigned long long bytes = o->stats.bytes + o->bytes;

	o->err = err;
	switch (-err) {
	case ENOSPC:
	case EDQUOT:
		return tw_error__set(
			error, err,
			"writing %s: no space left after %llu bytes; these bytes can be read; free some space, or write "
			"to another file system",
			o->name, bytes);
	case EPIPE:
		return tw_error__set(error, err, "writing %s: its reader closed it, after %llu bytes", o->name, bytes);
	case EFBIG:
		return tw_error__set(
			error, err,
			"writing %s: the file reached the maximum size (of ulimit -f, or of the file system) after %llu "
			"bytes; raise the limit, or write to another file system",
			o->name, bytes);
	case ETIMEDOUT:
		return tw_error__set(
			error, err,
			"writing %s: it accepted no more data after %llu bytes; the rest was discarded after the request to stop",
			o->name, bytes);
	default:
		return tw_error__set(error, err, "writing %s: %s, after %llu bytes", o->name, strerror(-err), bytes);
	}
}

static char *ring__pop(struct tw_output_ring *ring)
{
	char *name = ring->names[ring->first];

	ring->first = (ring->first + 1) % ring->max;
	ring->n--;
	return name;
}

/* Removes the oldest file of the ring; no error if it is gone already. Return: 0; errors of unlink(); -ENOENT if there is none */
static int ring__remove_oldest(struct tw_output_ring *ring, struct tw_error *error)
{
	char *name;
	int err = 0;

	if (!ring->n)
		return -ENOENT;
	name = ring__pop(ring);
	if (unlink(name) && errno != ENOENT)
		err = tw_error__set(error, -errno, "removing %s, the oldest file of the ring: %s", name,
				    strerror(errno));
	free(name);
	return err;
}

/* Frees space by removing an old file of the ring. Return: 0; -ENOSPC if there is none; errors of unlink() */
static int output__make_space(struct tw_output *o)
{
	const int err = ring__remove_oldest(&o->ring, NULL);

	if (err)
		return err == -ENOENT ? -ENOSPC : err;
	o->stats.removed++;
	o->stats.removed_early++;
	return 0;
}

void tw_output__was_late(struct tw_output *o, uint64_t begun)
{
	const uint64_t took = tw_time__now(CLOCK_MONOTONIC) - begun,
		       overdue = tw_deadline__overdue(o->options.deadline);

	o->late += took < overdue ? took : overdue;
}

/* Writes a part of the bytes to a file. Return: their number; -ETIMEDOUT if the disk was too slow after the deadline; errors of write() */
static ssize_t file__put(struct tw_output *o, const uint8_t *bytes, size_t len)
{
	uint64_t begun;
	ssize_t n;
	int err;

	while ((err = tw_disk__reserve(o, len)) && len > ROOM_MIN)
		len /= 2;
	if (err)
		return err;
	if (o->late > LATE_NS)
		return -ETIMEDOUT;
	begun = o->options.deadline ? tw_time__now(CLOCK_MONOTONIC) : 0;
	do
		n = write(o->fd, bytes, len);
	while (n < 0 && errno == EINTR);
	n = n < 0 ? -errno : n ? n : -EIO;
	if (begun)
		tw_output__was_late(o, begun);
	return n;
}

int tw_output__put(struct tw_output *o, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	while (len) {
		const ssize_t n =
			o->is_pipe ? tw_pipe__write(&o->pipe, o->options.deadline, at, len) : file__put(o, at, len);

		if (n > 0) {
			at += n;
			len -= (size_t)n;
			o->put += (size_t)n;
			o->bytes += (size_t)n;
		} else if (!tw_output__is_no_space((int)n) || output__make_space(o)) {
			return (int)n;
		}
	}
	return 0;
}

/* The length of the whole blocks in the first @put bytes of a batch. */
static size_t whole_blocks(const uint8_t *blocks, uint64_t put)
{
	size_t at = 0;
	uint32_t len;

	while (put - at >= TW_PCAPNG_BLOCK_MIN) {
		memcpy(&len, blocks + at + sizeof(len), sizeof(len));
		if (len < TW_PCAPNG_BLOCK_MIN || len > put - at)
			break;
		at += len;
	}
	return at;
}

/*
 * Called after a batch that was not written completely: only whole blocks may stay. Bytes written to a pipe cannot be removed. In a file,
 * the bytes after the whole blocks stay until the file is ended, because they reserve room for the last blocks.
 *
 * @blocks: the batch, of which o->put bytes were written, compressed or not
 * Return: bytes of the batch that stay; 0 for a compressed batch, which counts only as a whole.
 */
static size_t output__cut(struct tw_output *o, const void *blocks)
{
	const size_t kept = o->zstd ? 0 : whole_blocks(blocks, o->put);

	if (!o->is_pipe) {
		o->bytes -= o->put - kept;
		o->broken = true;
	}
	return kept;
}

/*
 * Locks the file against other Tracewire processes, and writes the note for `tracewire cleanup` if the options want one. On a file system
 * without locks, other writers are not prevented.
 */
static int file__lock(struct tw_output *o, struct tw_error *error)
{
	if (flock(o->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return tw_note__busy(o->name, error);
	return o->options.remember ? tw_note__open(&o->note, o->fd, o->name, error) : 0;
}

int tw_output__check_writable(int fd, const char *name, struct tw_error *error)
{
	const int flags = fcntl(fd, F_GETFL);

	if (isatty(fd))
		return tw_error__set(
			error, -EINVAL,
			"writing %s: it is a terminal, and a capture is not text; redirect it, or name a file to write",
			name);
	if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
		return 0;
	return tw_error__set(error, -EBADF,
			     "writing %s: it is closed or open for reading only; redirect it, or name a file to write",
			     name);
}

/* Prepares an open file for writing. A file that another process writes is not truncated. */
static int file__take(struct tw_output *o, struct tw_error *error)
{
	struct stat st;
	int err = tw_output__check_writable(o->fd, o->name, error);

	if (err)
		return err;
	if (fstat(o->fd, &st))
		return tw_error__set(error, -errno, "writing %s: %s", o->name, strerror(errno));
	o->is_pipe = !S_ISREG(st.st_mode);
	o->direct = o->own && !o->is_pipe && !o->zstd;
	/*
	 * A second descriptor, which is readable: after a failure, it is used to search for the incomplete block at the end of the file. It
	 * is opened early, because the process may give up the permission later. It is not opened for a pipe, because a reading descriptor
	 * would hide that all other readers have closed the pipe.
	 */
	if (o->is_pipe)
		o->pipe = tw_pipe__open(o->fd);
	else
		o->again = tw_pipe__open_again(o->fd, O_RDWR);
	if (!o->own || o->is_pipe)
		return 0;
	err = file__lock(o, error);
	if (!err && st.st_size && ftruncate(o->fd, 0))
		err = tw_error__set(error, -errno, "writing %s: %s", o->name, strerror(errno));
	return err;
}

static bool is_fifo(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISFIFO(st.st_mode);
}

/* Sets the owner of a new file. A file that existed keeps its owner, because the path may be a link of another user. */
static int file__give(struct tw_output *o)
{
	if (!o->options.owner || !fchown(o->fd, o->owner.uid, o->owner.gid))
		return 0;
	return errno == EPERM || errno == EINVAL ? 0 : -errno; /* a file system without owners */
}

/*
 * Called if the name exists. The first open() has no O_CREAT, because with O_CREAT fs.protected_regular prevents root from writing a file
 * of another user in /tmp. The second open() creates the file to which a dangling symbolic link refers.
 */
static int file__open_existing(const struct tw_output *o)
{
	const int fd = open(o->name, OPEN_FLAGS);

	return fd < 0 && errno == ENOENT ? open(o->name, OPEN_FLAGS | O_CREAT, 0666) : fd;
}

/* open() of a FIFO is repeated until the FIFO has a reader, because only a signal could end a wait in open(). */
static int file__open(struct tw_output *o)
{
	o->fd = open(o->name, OPEN_FLAGS | O_CREAT | O_EXCL, 0666);
	if (o->fd >= 0)
		return file__give(o);
	if (errno != EEXIST || o->rotates)
		return -errno;
	while ((o->fd = file__open_existing(o)) < 0 && (errno == EINTR || (errno == ENXIO && is_fifo(o->name)))) {
		if (tw_deadline__is_over(o->options.deadline))
			return -EINTR;
		poll(NULL, 0, TW_DEADLINE_SLICE_MS);
	}
	return o->fd < 0 ? -errno : 0;
}

static int file__create(struct tw_output *o, struct tw_error *error)
{
	int err;

	do
		err = file__open(o);
	while (tw_output__is_no_space(err) && !output__make_space(o));
	if (err == -EINTR)
		return tw_error__set(
			error, err,
			"opening %s: no reader opened the pipe before the request to stop; start the reader first",
			o->name);
	return err ? tw_error__set(error, err, "creating %s: %s%s", o->name, strerror(-err), tw_output__remedy(err))
		   : 0;
}

static uint64_t next_file_at(const struct tw_output_options *options)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC), interval = options->interval_ns;
	const uint64_t left = interval ? interval - tw_time__now(CLOCK_REALTIME) % interval : UINT64_MAX;
	const uint64_t file = options->file_ns ? options->file_ns : UINT64_MAX;
	const uint64_t wait = left < file ? left : file;

	return wait < UINT64_MAX - now ? now + wait : UINT64_MAX;
}

/* Opens the next file, or uses the descriptor that the caller has opened. */
static int output__begin_file(struct tw_output *o, struct tw_error *error)
{
	int err = 0;

	if (o->rotates)
		err = tw_file_names__make(o->path, o->stats.files + 1, time(NULL), o->name, sizeof(o->name));
	if (err)
		return tw_error__set(error, err, "writing %.64s...: the name is too long; give a shorter one", o->path);
	if (o->own)
		err = file__create(o, error);
	if (!err)
		err = file__take(o, error);
	if (err)
		return err;
	o->bytes = 0;
	o->ending = o->ended = o->broken = false;
	tw_disk__begin(o);
	o->stats.files++;
	o->next_at = next_file_at(&o->options);
	return 0;
}

/*
 * Ends the zstd frame. If a file has no room for the end of the frame, file__mend() marks the previous block as the last one. In a pipe,
 * this is impossible, because the reader has received that block.
 */
static int file__end_frame(struct tw_output *o, struct tw_error *error)
{
	int err;

	o->put = 0;
	o->ending = true;
	err = tw_zstd_stream__end(o->zstd);
	if (err && o->is_pipe)
		return output__fail(o, err, error);
	if (err)
		output__cut(o, NULL);
	return 0;
}

/* After a failed write: removes an incomplete block, and ends the zstd frame of a compressed file. Return: 0; -errno if this fails */
static int file__mend(struct tw_output *o)
{
	struct tw_repair repair;

	if (!o->broken)
		return 0;
	if (ftruncate(o->fd, (off_t)tw_output__file_end(o)))
		return -errno;
	lseek(o->fd, 0, SEEK_END);
	o->reserved = 0;
	if (!o->zstd || o->ended || !o->bytes)
		return 0;
	return o->again < 0 ? -EBADF : tw_output__repair_fd(o->again, tw_output__file_end(o), false, &repair);
}

/* Whether another program removed the file. The name is also checked, because not every file system counts links. */
static bool file__is_gone(const struct tw_output *o)
{
	struct stat ours, named;

	if (!o->own || o->is_pipe || fstat(o->fd, &ours) || ours.st_nlink)
		return false;
	return stat(o->name, &named) || named.st_ino != ours.st_ino || named.st_dev != ours.st_dev;
}

/* Ends the current file. If a write to it failed, its incomplete data is removed. No effect if no file is open. */
static int output__end_file(struct tw_output *o, struct tw_error *error)
{
	int err = 0, mended;

	if (o->fd < 0)
		return 0;
	if (o->zstd && !o->err)
		err = file__end_frame(o, error);
	mended = file__mend(o);
	if (mended && !o->err) /* an earlier failure was already reported */
		err = output__fail(o, mended, error);
	tw_disk__release(o);
	if (file__is_gone(o)) {
		o->gone++;
		o->gone_bytes += o->bytes;
	}
	if (o->own && close(o->fd) && !o->err)
		err = o->err = tw_error__set(error, -errno, "closing %s: %s", o->name, strerror(errno));
	o->fd = -1;
	if (o->again >= 0)
		close(o->again);
	o->again = -1;
	tw_pipe__close(&o->pipe);
	tw_note__close(&o->note);
	o->stats.bytes += o->bytes;
	o->bytes = 0;
	return err;
}

static int check(const struct tw_output *o, struct tw_error *error)
{
	struct stat st;

	if (o->rotates && (!o->own || (!stat(o->path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))))
		return tw_error__set(
			error, -EINVAL,
			"writing %s: it cannot be split into several files; give the name of a regular file", o->name);
	if (strlen(o->path) < sizeof(o->path) - 1)
		return 0;
	return tw_error__set(error, -ENAMETOOLONG, "writing %.64s...: the name is too long; give a shorter one",
			     o->path);
}

static const char *options__name(const struct tw_output_options *options)
{
	if (options->name)
		return options->name;
	if (!options->path)
		return "the recording";
	return strcmp(options->path, "-") ? options->path : "standard output";
}

static int output__prepare(struct tw_output *o, struct tw_error *error)
{
	int err = check(o, error);

	if (err)
		return err;
	if (o->own && tw_file_names__is_compressed(o->path))
		err = tw_zstd_stream__new(o, &o->zstd);
	if (!err && o->rotates && o->options.files_max) {
		o->ring.max = o->options.files_max;
		o->ring.names = calloc(o->ring.max, sizeof(*o->ring.names));
		err = o->ring.names ? 0 : -ENOMEM;
	}
	return err ? tw_error__set(error, err, "writing %s: no memory", o->name) : output__begin_file(o, error);
}

int tw_output__open(const struct tw_output_options *options, struct tw_output **ret, struct tw_error *error)
{
	struct tw_output *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return tw_error__set(error, -ENOMEM, "writing %s: no memory", options__name(options));
	o->options = *options;
	o->options.path = o->options.name = NULL; /* borrowed */
	if (options->owner) {
		o->owner = *options->owner;
		o->options.owner = &o->owner;
	}
	o->own = options->path && strcmp(options->path, "-") != 0;
	o->rotates = options->file_bytes || options->file_packets || options->file_ns || options->interval_ns;
	o->again = o->pipe.out = o->note.fd = -1;
	o->fd = o->own ? -1 : options->path ? STDOUT_FILENO : options->fd;
	strncpy(o->path, options->path ? options->path : "", sizeof(o->path) - 1);
	strncpy(o->name, options__name(options), sizeof(o->name) - 1);
	err = output__prepare(o, error);
	if (err) {
		tw_output__free(o);
		return err;
	}
	*ret = o;
	return 0;
}

void tw_output__free(struct tw_output *o)
{
	if (!o)
		return;
	output__end_file(o, NULL);
	while (o->ring.n)
		free(ring__pop(&o->ring));
	free(o->ring.names);
	tw_zstd_stream__free(o->zstd);
	free(o->area);
	free(o);
}

void tw_output__watch(struct tw_output *o, void (*begin)(void *ctx), void (*done)(void *ctx), void *ctx)
{
	o->begin = begin;
	o->done = done;
	o->ctx = ctx;
}

static void output__begin(const struct tw_output *o)
{
	if (o->begin)
		o->begin(o->ctx);
}

/* Return: @err */
static int output__done(struct tw_output *o, int err)
{
	if (o->done)
		o->done(o->ctx);
	o->reported = o->stats;
	o->reported.bytes += o->bytes;
	return err;
}

static int output__put_batch(struct tw_output *o, const uint8_t *blocks, size_t len)
{
	size_t put;
	int err;

	o->put = 0;
	if (o->zstd)
		return tw_zstd_stream__write(o->zstd, blocks, len);
	err = tw_disk__put_direct(o, blocks, len, &put);
	return err ? err : tw_output__put(o, blocks + put, len - put);
}

int tw_output__write(struct tw_output *o, const void *blocks, size_t len, size_t *ret_kept, struct tw_error *error)
{
	int err;

	output__begin(o);
	err = output__put_batch(o, blocks, len);
	*ret_kept = len;
	if (!err) {
		tw_note__move(&o->note, o->bytes);
	} else {
		*ret_kept = output__cut(o, blocks);
		output__fail(o, err, error);
	}
	return output__done(o, err);
}

static int put_at(const struct tw_output *o, uint64_t at, const uint8_t *bytes, size_t len)
{
	/* o->fd may be in append mode, in which pwrite() ignores the offset */
	const int fd = o->again >= 0 ? o->again : o->fd;

	while (len) {
		const ssize_t n = pwrite(fd, bytes, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		bytes += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

static int file__put_last(struct tw_output *o, const void *blocks, size_t len)
{
	uint8_t head[TW_ZSTD_HEAD + TW_ZSTD_BLOCK_HEAD];
	size_t n = 0;
	int err;

	if (o->fd < 0 || !o->broken || len + sizeof(head) > TW_OUTPUT_RESERVE)
		return -ESPIPE;
	if (o->zstd)
		n = tw_zstd_stream__last_head(!o->bytes, len, head);
	err = put_at(o, tw_output__file_end(o), head, n);
	if (!err)
		err = put_at(o, tw_output__file_end(o) + n, blocks, len);
	if (err)
		return err;
	o->bytes += n + len;
	o->ended = true;
	return 0;
}

int tw_output__write_last(struct tw_output *o, const void *blocks, size_t len)
{
	output__begin(o);
	return output__done(o, file__put_last(o, blocks, len));
}

bool tw_output__is_due(const struct tw_output *o, size_t buffered, uint64_t packets, uint64_t now)
{
	const struct tw_output_options *options = &o->options;
	const uint64_t bytes = o->bytes + (o->zstd ? 0 : buffered);

	return o->rotates && ((options->file_bytes && bytes >= options->file_bytes) ||
			      (options->file_packets && packets >= options->file_packets) || now >= o->next_at);
}

/* Adds the file that was ended to the ring, and removes an old file to make room for the next one. */
static int output__keep(struct tw_output *o, struct tw_error *error)
{
	struct tw_output_ring *ring = &o->ring;
	char *name;
	int err = 0;

	if (!ring->max)
		return 0;
	name = strdup(o->name);
	if (!name)
		return tw_error__set(error, -ENOMEM, "writing %s: no memory", o->name);
	ring->names[(ring->first + ring->n++) % ring->max] = name;
	while (!err && ring->n >= ring->max) {
		err = ring__remove_oldest(ring, error);
		o->stats.removed += !err;
	}
	return err;
}

int tw_output__next(struct tw_output *o, struct tw_error *error)
{
	int err;

	output__begin(o);
	err = output__end_file(o, error);
	if (!err)
		err = output__keep(o, error);
	if (!err)
		err = output__begin_file(o, error);
	o->err = err;
	return output__done(o, err);
}

/* @err: the result of ending the file. Return: @err; if @err is 0, -ENOENT if files were removed while they were written */
static int output__tell_gone(struct tw_output *o, int err, struct tw_error *error)
{
	if (err || o->err || !o->gone)
		return err;
	if (o->rotates)
		return tw_error__set(
			error, -ENOENT,
			"writing %s: another program removed %llu of the files while they were written; their %llu bytes are "
			"lost",
			o->path, (unsigned long long)o->gone, (unsigned long long)o->gone_bytes);
	return tw_error__set(error, -ENOENT,
			     "writing %s: another program removed it while it was written; its %llu bytes are lost",
			     o->name, (unsigned long long)o->gone_bytes);
}

int tw_output__finish(struct tw_output *o, struct tw_error *error)
{
	output__begin(o);
	return output__done(o, output__tell_gone(o, output__end_file(o, error), error));
}

bool tw_output__is_pipe(const struct tw_output *o)
{
	return o->is_pipe;
}

const char *tw_output__name(const struct tw_output *o)
{
	return o->name;
}

const struct tw_output_stats *tw_output__stats(const struct tw_output *o)
{
	return &o->reported;
}
