/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One file of an output: how it begins and how it ends. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/time.h"
#include "pcap-tools/output/impl.h"

int tw_output_file__make_space(struct tw_output *o)
{
	const int code = tw_ring__remove_oldest(&o->ring, NULL);

	if (code)
		return code == -ENOENT ? -ENOSPC : code;
	o->stats.removed++;
	o->stats.removed_early++;
	return 0;
}

/*
 * Who writes a file has locked it, also where there can be no note; a file system without locks keeps nobody from writing. The note
 * is beside that for `tracewire cleanup`.
 */
static int file__lock(struct tw_output *o, struct tw_error *err)
{
	if (flock(o->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return tw_note__busy(o->name, err);
	return o->options.remember ? tw_note__open(&o->note, o->fd, o->name, err) : 0;
}

/*
 * The file once more, to be read too: what a failure leaves in pieces at its end is looked for then. Not then, because who has opened the
 * file may have given up the right to open it. Not instead: who reads a pipe does not see that all other readers have gone.
 */
static int file__open_again(const struct tw_output *o)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", o->fd);
	return open(path, O_RDWR | O_CLOEXEC);
}

int tw_output__check_writable(int fd, const char *name, struct tw_error *err)
{
	const int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
		return 0;
	return tw_error__set(err, -EBADF,
			     "writing %s: it is closed or open for reading only; redirect it, or name a file to write",
			     name);
}

/* A file that another process writes is not cut. */
static int file__take(struct tw_output *o, struct tw_error *err)
{
	struct stat st;
	int code = tw_output__check_writable(o->fd, o->name, err);

	if (code)
		return code;
	if (fstat(o->fd, &st))
		return tw_error__set(err, -errno, "writing %s: %s", o->name, strerror(errno));
	o->live = !S_ISREG(st.st_mode);
	o->direct = o->own && !o->live && !o->zstd;
	o->again = o->live ? -1 : file__open_again(o);
	if (o->live)
		o->to = tw_pipe__open(o->fd);
	if (!o->own || o->live)
		return 0;
	code = file__lock(o, err);
	if (!code && st.st_size && ftruncate(o->fd, 0))
		code = tw_error__set(err, -errno, "writing %s: %s", o->name, strerror(errno));
	return code;
}

static bool is_fifo(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISFIFO(st.st_mode);
}

/* A FIFO that nobody reads is tried again until somebody does: to wait in open() nothing but a signal could end. */
static int file__open(struct tw_output *o)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (o->rotates ? O_EXCL : 0);

	while ((o->fd = open(o->name, flags, 0666)) < 0 && (errno == EINTR || (errno == ENXIO && is_fifo(o->name)))) {
		if (tw_deadline__is_over(o->options.deadline))
			return -EINTR;
		poll(NULL, 0, TW_DEADLINE_SLICE_MS);
	}
	return o->fd < 0 ? -errno : 0;
}

static int file__create(struct tw_output *o, struct tw_error *err)
{
	int code;

	do {
		code = file__open(o);
	} while (tw_output__is_no_space(code) && !tw_output_file__make_space(o));
	if (code == -EINTR)
		return tw_error__set(
			err, code,
			"opening %s: nobody had opened it to read when the end was asked for; start its reader "
			"first",
			o->name);
	return code ? tw_error__set(err, code, "creating %s: %s%s", o->name, strerror(-code), tw_output__remedy(code))
		    : 0;
}

static void file__set_deadline(struct tw_output *o)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC), interval = o->options.interval_ns;
	const uint64_t left = interval ? interval - tw_time__now(CLOCK_REALTIME) % interval : UINT64_MAX;
	const uint64_t file = o->options.file_ns ? o->options.file_ns : UINT64_MAX;
	const uint64_t wait = left < file ? left : file;

	o->deadline = wait < UINT64_MAX - now ? now + wait : UINT64_MAX;
}

int tw_output_file__begin(struct tw_output *o, struct tw_error *err)
{
	int code = 0;

	if (o->rotates)
		code = tw_file_names__make(o->path, o->stats.files + 1, time(NULL), o->name, sizeof(o->name));
	if (code)
		return tw_error__set(err, code, "writing %.64s...: the name is too long; give a shorter one", o->path);
	if (o->own)
		code = file__create(o, err);
	if (!code)
		code = file__take(o, err);
	if (code)
		return code;
	o->bytes = 0;
	tw_output__begin_reserve(o);
	o->stats.files++;
	file__set_deadline(o);
	return 0;
}

/* Without room for the mark of the frame's end the block before becomes the last. To a reader that has the blocks already this cannot be said. */
static int file__end_frame(struct tw_output *o, struct tw_error *err)
{
	size_t kept;
	int code;

	o->put = 0;
	o->ending = true;
	code = tw_zstd_stream__end(o->zstd);
	if (code && o->live)
		return tw_output__fail(o, code, err);
	if (code)
		tw_output__cut(o, NULL, &kept);
	return 0;
}

/* The name is asked for too: not every file system counts links. */
static bool file__is_gone(const struct tw_output *o)
{
	struct stat ours, named;

	if (!o->own || o->live || fstat(o->fd, &ours) || ours.st_nlink)
		return false;
	return stat(o->name, &named) || named.st_ino != ours.st_ino || named.st_dev != ours.st_dev;
}

static void file__forget(struct tw_output *o)
{
	o->fd = -1;
	if (o->again >= 0)
		close(o->again);
	tw_pipe__close(&o->to);
	o->again = -1;
	tw_note__close(&o->note);
	o->stats.bytes += o->bytes;
	o->bytes = 0;
}

int tw_output_file__end(struct tw_output *o, struct tw_error *err)
{
	int code = 0, mended;

	if (o->fd < 0)
		return 0;
	if (o->zstd && !o->code)
		code = file__end_frame(o, err);
	mended = tw_output__mend(o);
	if (mended && !o->code) /* else the first failure was told */
		code = tw_output__fail(o, mended, err);
	tw_output__release_reserve(o);
	if (file__is_gone(o)) {
		o->gone++;
		o->gone_bytes += o->bytes;
	}
	if (o->own && close(o->fd) && !o->code)
		code = o->code = tw_error__set(err, -errno, "closing %s: %s", o->name, strerror(errno));
	file__forget(o);
	return code;
}
