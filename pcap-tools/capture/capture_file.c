/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/capture/capture_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "pcap-tools/capture/capture_impl.h"

#define OPTION_HEAD  4  /* code and length of an option */
#define EXPONENT_MAX 19 /* 10^19 is the last that fits a u64 */

/* What came before the failure has been handed out; what is left of it is no whole block. */
static int failed(const struct tw_capture_file *file, struct tw_error *error)
{
	const unsigned long long at = file->in.offset + (file->in.end - file->in.at);

	if (file->in.failure == -EBADMSG)
		return tw_error__set(error, -EBADMSG,
				     "%s is damaged or cut: zstd expands it to byte %llu and no further; what stands "
				     "before that was read",
				     file->name, at);
	if (!at)
		return tw_error__set(error, file->in.failure, "reading %s failed: %s", file->name,
				     strerror(-file->in.failure));
	return tw_error__set(error, file->in.failure, "reading %s failed at byte %llu: %s", file->name, at,
			     strerror(-file->in.failure));
}

int tw_capture__damaged(struct tw_capture_file *file, uint64_t offset, struct tw_error *error, const char *fmt, ...)
{
	char what[256];
	va_list args;

	if (file->in.failure)
		return failed(file, error);
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return tw_error__set(error, -EBADMSG, "%s is damaged at byte %llu: %s; what stands before that was read",
			     file->name, (unsigned long long)offset, what);
}

/* What somebody may have given us instead of a capture. */
static int refuse(struct tw_capture_file *file, struct tw_error *error)
{
	static const uint8_t dat[] = { 0x17, 0x08, 0x44 }, gzip[] = { 0x1f, 0x8b };
	const size_t there = tw_input__fill(&file->in, 4);
	const uint8_t *first = file->in.buf;

	if (file->in.failure)
		return failed(file, error);
	if (!there)
		return tw_error__set(error, -EINVAL, "%s is empty", file->name);
	if (there >= sizeof(dat) && !memcmp(first, dat, sizeof(dat)))
		return tw_error__set(
			error, -EINVAL,
			"%s is a trace.dat file and no capture; `tracewire convert %s OUT.pcapng` makes it one",
			file->name, file->name);
	if (there >= sizeof(gzip) && !memcmp(first, gzip, sizeof(gzip)))
		return tw_error__set(error, -EINVAL, "%s is compressed; give `gunzip -c` of it on standard input (-)",
				     file->name);
	return tw_error__set(error, -EINVAL, "%s is neither a pcapng nor a pcap file, by its first bytes", file->name);
}

int tw_capture_file__open(int fd, const char *name, struct tw_capture_file **ret, struct tw_error *error)
{
	struct tw_capture_file *file = calloc(1, sizeof(*file));
	int r = file ? tw_input__open(&file->in, fd) : -ENOMEM;

	if (r) {
		free(file);
		return tw_error__set(error, r, "no memory to read %s", name);
	}
	file->name = name;
	r = tw_pcapng_file__open(file, error);
	if (!r)
		r = tw_pcap_file__open(file, error);
	if (!r)
		r = refuse(file, error);
	if (r < 0) {
		tw_capture_file__close(file);
		return r;
	}
	*ret = file;
	return 0;
}

void tw_capture_file__close(struct tw_capture_file *file)
{
	if (!file)
		return;
	tw_input__close(&file->in);
	free(file->interfaces);
	free(file);
}

bool tw_capture_file__is_pcapng(const struct tw_capture_file *file)
{
	return file->is_pcapng;
}

bool tw_capture_file__is_compressed(const struct tw_capture_file *file)
{
	return file->in.zstd;
}

void tw_capture_file__watch(struct tw_capture_file *file, tw_capture_watch *watch, void *ctx)
{
	file->watch = watch;
	file->ctx = ctx;
	if (file->is_pcapng)
		return;
	tw_capture__show(file, &(struct tw_capture_block){ .kind = TW_CAPTURE_SECTION });
	tw_capture__show(file, &(struct tw_capture_block){
				       .kind = TW_CAPTURE_INTERFACE,
				       .linktype = file->interfaces->linktype,
				       .snaplen = file->interfaces->snaplen,
			       });
}

bool tw_capture_file__is_recording(const struct tw_capture_file *file)
{
	return file->is_recording;
}

int tw_capture_file__next(struct tw_capture_file *file, struct tw_packet *ret, struct tw_error *error)
{
	const int r = file->failed ? 0 : file->next(file, ret, error);

	file->failed |= r < 0;
	return r;
}

bool tw_capture_options__next(struct tw_capture_options *options, struct tw_capture_option *ret)
{
	uint16_t code, len;
	size_t padded;

	if (options->left < OPTION_HEAD)
		return false;
	code = tw_load16(options->at, options->big_endian);
	len = tw_load16(options->at + 2, options->big_endian);
	padded = ((size_t)len + 3) & ~(size_t)3;
	if (code == TW_OPT_END || padded > options->left - OPTION_HEAD)
		return false;
	*ret = (struct tw_capture_option){ .code = code, .len = len, .value = options->at + OPTION_HEAD };
	options->at += OPTION_HEAD + padded;
	options->left -= OPTION_HEAD + padded;
	return true;
}

/* if_tsresol: a negative power of 10, or of 2 with the high bit. */
struct tw_resolution tw_resolution__of(uint8_t tsresol)
{
	const unsigned int exponent = tsresol & 0x7f;
	struct tw_resolution r = { .mult = NS_PER_S };

	if (tsresol & 0x80) {
		r.shift = (uint8_t)exponent;
		return r;
	}
	for (unsigned int i = 0; i < exponent && i < 9; i++)
		r.mult /= 10;
	if (exponent > 9) {
		r = (struct tw_resolution){ .divisor = 1 };
		for (unsigned int i = 9; i < exponent && i < 9 + EXPONENT_MAX; i++)
			r.divisor *= 10;
	}
	return r;
}

uint64_t tw_resolution__ns(const struct tw_resolution *r, uint64_t ticks)
{
	uint64_t ns;

	if (r->mult == 1)
		ns = ticks;
	else if (!r->mult)
		ns = ticks / r->divisor;
	else
		ns = (uint64_t)(((unsigned __int128)ticks * r->mult) >> r->shift);
	return ns + (uint64_t)r->offset * NS_PER_S;
}
