/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/time.h"
#include "pcap-tools/output/state.h"

#define ZST ".zst"

static bool options__rotate(const struct tw_output_options *options)
{
	return options->file_bytes || options->file_packets || options->file_ns || options->interval_ns;
}

static bool is_no_space(int code)
{
	return code == -ENOSPC || code == -EDQUOT;
}

/* Return: 0 if there is more space now; -ENOSPC; what unlink() said */
static int output__make_space(struct tw_output *o)
{
	const int code = tw_ring__remove_oldest(&o->ring, NULL);

	if (code)
		return code == -ENOENT ? -ENOSPC : code;
	o->stats.removed++;
	o->stats.removed_early++;
	return 0;
}

static ssize_t output__write_some(struct tw_output *o, const uint8_t *bytes, size_t len)
{
	struct pollfd ready = { .fd = o->fd, .events = POLLOUT };

	for (;;) {
		const ssize_t n = write(o->fd, bytes, len);

		if (n > 0)
			return n;
		if (!n)
			return -EIO;
		if (errno == EAGAIN)
			poll(&ready, 1, -1);
		else if (errno != EINTR)
			return -errno;
	}
}

static int output__put(void *ctx, const void *bytes, size_t len)
{
	struct tw_output *o = ctx;

	for (size_t at = 0; at < len;) {
		const ssize_t n = output__write_some(o, (const uint8_t *)bytes + at, len - at);

		if (n > 0) {
			at += (size_t)n;
			o->put += (size_t)n;
			o->bytes += (size_t)n;
		} else if (!is_no_space((int)n) || output__make_space(o)) {
			return (int)n;
		}
	}
	return 0;
}

/* A file that another process writes is not cut. */
static int output__take_file(struct tw_output *o, struct tw_error *err)
{
	struct stat st;
	int code;

	if (fstat(o->fd, &st))
		return tw_error__set(err, -errno, "writing %s: %s", o->name, strerror(errno));
	o->live = !S_ISREG(st.st_mode);
	if (!o->options.path || o->live)
		return 0;
	code = o->options.remember ? tw_note__open(&o->note, o->fd, o->name, err) : 0;
	if (!code && st.st_size && ftruncate(o->fd, 0))
		code = tw_error__set(err, -errno, "writing %s: %s", o->name, strerror(errno));
	return code;
}

static int output__create(struct tw_output *o, struct tw_error *err)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (o->rotates ? O_EXCL : 0);

	do
		o->fd = open(o->name, flags, 0666);
	while (o->fd < 0 && is_no_space(-errno) && !output__make_space(o));
	return o->fd < 0 ? tw_error__set(err, -errno, "creating %s: %s", o->name, strerror(errno)) : 0;
}

static void output__set_deadline(struct tw_output *o)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC), interval = o->options.interval_ns;
	const uint64_t left = interval ? interval - tw_time__now(CLOCK_REALTIME) % interval : UINT64_MAX;
	const uint64_t file = o->options.file_ns ? o->options.file_ns : UINT64_MAX;
	const uint64_t wait = left < file ? left : file;

	o->deadline = wait < UINT64_MAX - now ? now + wait : UINT64_MAX;
}

static int output__begin(struct tw_output *o, struct tw_error *err)
{
	int code = 0;

	if (o->rotates)
		code = tw_files__name(o->path, o->stats.files + 1, time(NULL), o->name, sizeof(o->name));
	if (code)
		return tw_error__set(err, code, "writing %s: the name is too long", o->path);
	if (o->own)
		code = output__create(o, err);
	if (!code)
		code = output__take_file(o, err);
	if (code)
		return code;
	o->bytes = 0;
	o->stats.files++;
	output__set_deadline(o);
	return 0;
}

/* Without room for the mark of the frame's end the block before becomes the last. */
static int output__end_frame(struct tw_output *o, struct tw_error *err)
{
	size_t kept;
	int code;

	o->put = 0;
	code = tw_zstd_stream__end(o->zstd);
	if (!code || !tw_output__cut(o, NULL, &kept))
		return 0;
	return tw_output__fail(o, code, err);
}

static int output__end(struct tw_output *o, struct tw_error *err)
{
	int code = 0;

	if (o->fd < 0)
		return 0;
	if (o->zstd && !o->code)
		code = output__end_frame(o, err);
	if (o->own && close(o->fd) && !code && !o->code)
		code = o->code = tw_error__set(err, -errno, "closing %s: %s", o->name, strerror(errno));
	o->fd = -1;
	tw_note__close(&o->note);
	o->stats.bytes += o->bytes;
	o->bytes = 0;
	return code;
}

static int check(const struct tw_output *o, struct tw_error *err)
{
	struct stat st;

	if (o->rotates && (!o->own || (!stat(o->path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))))
		return tw_error__set(err, -EINVAL, "writing %s: several files cannot be made of it; name a file",
				     o->name);
	return strlen(o->path) < sizeof(o->path) - 1
		       ? 0
		       : tw_error__set(err, -ENAMETOOLONG, "writing %s: the name is too long", o->path);
}

static const char *options__name(const struct tw_output_options *options)
{
	if (options->name)
		return options->name;
	if (!options->path)
		return "the recording";
	return strcmp(options->path, "-") ? options->path : "standard output";
}

static bool is_compressed(const char *path)
{
	const size_t len = strlen(path);

	return len > strlen(ZST) && !strcmp(path + len - strlen(ZST), ZST);
}

static int output__prepare(struct tw_output *o, struct tw_error *err)
{
	int code = check(o, err);

	if (code)
		return code;
	if (o->own && is_compressed(o->path))
		code = tw_zstd_stream__new(output__put, o, &o->zstd);
	if (!code && o->rotates)
		code = tw_ring__init(&o->ring, o->options.files_max);
	return code ? tw_error__set(err, code, "writing %s: no memory", o->name) : output__begin(o, err);
}

int tw_output__open(const struct tw_output_options *options, struct tw_output **ret, struct tw_error *err)
{
	struct tw_output *o = calloc(1, sizeof(*o));
	int code;

	if (!o)
		return tw_error__set(err, -ENOMEM, "writing %s: no memory", options__name(options));
	o->options = *options;
	o->own = options->path && strcmp(options->path, "-") != 0;
	o->rotates = options__rotate(options);
	o->fd = o->own ? -1 : options->path ? STDOUT_FILENO : options->fd;
	strncpy(o->path, options->path ? options->path : "", sizeof(o->path) - 1);
	strncpy(o->name, options__name(options), sizeof(o->name) - 1);
	code = output__prepare(o, err);
	if (code) {
		tw_output__free(o);
		return code;
	}
	*ret = o;
	return 0;
}

void tw_output__free(struct tw_output *o)
{
	if (!o)
		return;
	output__end(o, NULL);
	tw_ring__fini(&o->ring);
	tw_zstd_stream__free(o->zstd);
	free(o);
}

int tw_output__write(struct tw_output *o, const void *blocks, size_t len, size_t *ret_kept, struct tw_error *err)
{
	int code;

	o->put = 0;
	code = o->zstd ? tw_zstd_stream__write(o->zstd, blocks, len) : output__put(o, blocks, len);
	*ret_kept = len;
	if (!code) {
		tw_note__move(&o->note, o->bytes);
		return 0;
	}
	tw_output__cut(o, blocks, ret_kept);
	return tw_output__fail(o, code, err);
}

bool tw_output__is_due(const struct tw_output *o, size_t buffered, uint64_t packets, uint64_t now)
{
	const struct tw_output_options *options = &o->options;
	const uint64_t bytes = o->bytes + (o->zstd ? 0 : buffered);

	return o->rotates && ((options->file_bytes && bytes >= options->file_bytes) ||
			      (options->file_packets && packets >= options->file_packets) || now >= o->deadline);
}

/* The file that was ended is the ring's now, and makes room for the next. */
static int output__keep(struct tw_output *o, struct tw_error *err)
{
	int code = tw_ring__push(&o->ring, o->name);

	if (code)
		return tw_error__set(err, code, "writing %s: no memory", o->name);
	while (!code && o->options.files_max && o->ring.n >= o->options.files_max) {
		code = tw_ring__remove_oldest(&o->ring, err);
		o->stats.removed += !code;
	}
	return code;
}

int tw_output__next(struct tw_output *o, struct tw_error *err)
{
	int code = output__end(o, err);

	if (!code)
		code = output__keep(o, err);
	if (!code)
		code = output__begin(o, err);
	o->code = code;
	return code;
}

int tw_output__finish(struct tw_output *o, struct tw_error *err)
{
	return output__end(o, err);
}

bool tw_output__is_live(const struct tw_output *o)
{
	return o->live;
}

const char *tw_output__name(const struct tw_output *o)
{
	return o->name;
}

void tw_output__stats(const struct tw_output *o, struct tw_output_stats *ret)
{
	*ret = o->stats;
	ret->bytes += o->bytes;
}
