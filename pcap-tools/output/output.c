/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/output/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/time.h"
#include "pcap-tools/output/impl.h"

#define ZST     ".zst"
#define LEAST   256              /* bytes that are worth to be looked for on a disk that is nearly full */
#define LATE_NS TW_NS_PER_SECOND /* what a disk may take behind the deadline: one that is well needs far less */

static bool options__rotate(const struct tw_output_options *options)
{
	return options->file_bytes || options->file_packets || options->file_ns || options->interval_ns;
}

void tw_output__was_late(struct tw_output *o, uint64_t begun)
{
	const uint64_t took = tw_time__now(CLOCK_MONOTONIC) - begun,
		       overdue = tw_deadline__overdue(o->options.deadline);

	o->late += took < overdue ? took : overdue;
}

/* A disk that is slow is given up between two writes. */
static ssize_t file__put(struct tw_output *o, const uint8_t *bytes, size_t len)
{
	const uint64_t begun = o->options.deadline ? tw_time__now(CLOCK_MONOTONIC) : 0;
	ssize_t n;

	if (o->late > LATE_NS)
		return -ETIMEDOUT;
	do {
		n = write(o->fd, bytes, len);
	} while (n < 0 && errno == EINTR);
	n = n < 0 ? -errno : n ? n : -EIO;
	if (begun)
		tw_output__was_late(o, begun);
	return n;
}

/* Return: bytes of @len for which there is room; a failure */
static ssize_t find_room(struct tw_output *o, size_t len)
{
	int err;

	while ((err = tw_output__reserve(o, len)) && len > LEAST)
		len /= 2;
	return err ? err : (ssize_t)len;
}

static ssize_t output__put_some(struct tw_output *o, const uint8_t *bytes, size_t len)
{
	const ssize_t room = o->live ? 0 : find_room(o, len);

	if (o->live)
		return tw_pipe__write(&o->to, o->options.deadline, bytes, len);
	return room < 0 ? room : file__put(o, bytes, (size_t)room);
}

int tw_output__put(void *ctx, const void *bytes, size_t len)
{
	struct tw_output *o = ctx;

	for (size_t at = 0; at < len;) {
		const ssize_t n = output__put_some(o, (const uint8_t *)bytes + at, len - at);

		if (n > 0) {
			at += (size_t)n;
			o->put += (size_t)n;
			o->bytes += (size_t)n;
		} else if (!tw_output__is_no_space((int)n) || tw_output_file__make_space(o)) {
			return (int)n;
		}
	}
	return 0;
}

static int check(const struct tw_output *o, struct tw_error *err)
{
	struct stat st;

	if (o->rotates && (!o->own || (!stat(o->path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))))
		return tw_error__set(err, -EINVAL, "writing %s: several files cannot be made of it; name a file",
				     o->name);
	return strlen(o->path) < sizeof(o->path) - 1
		       ? 0
		       : tw_error__set(err, -ENAMETOOLONG, "writing %.64s...: the name is too long; give a shorter one",
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
		code = tw_zstd_stream__new(tw_output__put, o, &o->zstd);
	if (!code && o->rotates)
		code = tw_ring__init(&o->ring, o->options.files_max);
	return code ? tw_error__set(err, code, "writing %s: no memory", o->name) : tw_output_file__begin(o, err);
}

int tw_output__open(const struct tw_output_options *options, struct tw_output **ret, struct tw_error *err)
{
	struct tw_output *o = calloc(1, sizeof(*o));
	int code;

	if (!o)
		return tw_error__set(err, -ENOMEM, "writing %s: no memory", options__name(options));
	o->options = *options;
	o->options.path = o->options.name = NULL; /* borrowed */
	o->own = options->path && strcmp(options->path, "-") != 0;
	o->rotates = options__rotate(options);
	o->again = o->to.out = -1;
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
	tw_output_file__end(o, NULL);
	tw_ring__fini(&o->ring);
	tw_zstd_stream__free(o->zstd);
	free(o->area);
	free(o);
}

static int output__put_all(struct tw_output *o, const uint8_t *bytes, size_t len)
{
	size_t put;
	const int code = tw_output__put_direct(o, bytes, len, &put);

	return code ? code : tw_output__put(o, bytes + put, len - put);
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

/* Return: @code */
static int output__done(struct tw_output *o, int code)
{
	if (o->done)
		o->done(o->ctx);
	o->told = o->stats;
	o->told.bytes += o->bytes;
	return code;
}

int tw_output__write(struct tw_output *o, const void *blocks, size_t len, size_t *ret_kept, struct tw_error *err)
{
	int code;

	output__begin(o);
	o->put = 0;
	code = o->zstd ? tw_zstd_stream__write(o->zstd, blocks, len) : output__put_all(o, blocks, len);
	*ret_kept = len;
	if (!code) {
		tw_note__move(&o->note, o->bytes);
	} else {
		tw_output__cut(o, blocks, ret_kept);
		tw_output__fail(o, code, err);
	}
	return output__done(o, code);
}

int tw_output__write_last(struct tw_output *o, const void *blocks, size_t len)
{
	output__begin(o);
	return output__done(o, tw_output__put_last(o, blocks, len));
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
	int code;

	output__begin(o);
	code = tw_output_file__end(o, err);
	if (!code)
		code = output__keep(o, err);
	if (!code)
		code = tw_output_file__begin(o, err);
	o->code = code;
	return output__done(o, code);
}

/* Return: @code, the end's; if that is none, a failure where files are gone */
static int output__tell_gone(struct tw_output *o, int code, struct tw_error *err)
{
	if (code || o->code || !o->gone)
		return code;
	if (o->rotates)
		return tw_error__set(err, -ENOENT,
				     "writing %s: somebody removed %llu of the files while they were written; %llu "
				     "bytes are gone with them",
				     o->path, (unsigned long long)o->gone, (unsigned long long)o->gone_bytes);
	return tw_error__set(err, -ENOENT,
			     "writing %s: somebody removed it while it was written; its %llu bytes are gone", o->name,
			     (unsigned long long)o->gone_bytes);
}

int tw_output__finish(struct tw_output *o, struct tw_error *err)
{
	output__begin(o);
	return output__done(o, output__tell_gone(o, tw_output_file__end(o, err), err));
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
	*ret = o->told;
}
