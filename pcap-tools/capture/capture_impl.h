/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of the capture reader: the bytes of a capture file, and the state that pcap and pcapng share. */
#ifndef TW_CAPTURE_IMPL_H
#define TW_CAPTURE_IMPL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pcap-tools/capture/capture_file.h"

struct tw_input {
	int fd; /* the caller's descriptor */
	uint8_t *buf;
	size_t size;     /* capacity of buf; grows for a larger request */
	size_t at, end;  /* buf[at] to buf[end - 1] are available */
	uint64_t offset; /* offset of buf[at] in the file */
	int failure;     /* -errno of read(), -ENOMEM, or -EBADMSG for damaged compressed data; 0 = no failure */
	struct tw_decompressor *zstd; /* NULL = the file is not compressed */
};

/** tw_input__fill() - read until @len bytes are available. Return: available bytes; less than @len only at the end or after a failure */
size_t tw_input__fill(struct tw_input *in, size_t len);

/** tw_input__peek() - get the next @len bytes without consuming them. Return: NULL if fewer are available; valid until the next call */
static inline const uint8_t *tw_input__peek(struct tw_input *in, size_t len)
{
	if (in->end - in->at < len && tw_input__fill(in, len) < len)
		return NULL;
	return in->buf + in->at;
}

/** tw_input__take() - consume @len bytes that tw_input__peek() returned */
static inline void tw_input__take(struct tw_input *in, size_t len)
{
	in->at += len;
	in->offset += len;
}

/* The unit of an interface's time stamps: ns = (ticks * mult) >> shift, or ticks / divisor if mult is 0. */
struct tw_resolution {
	uint64_t mult, divisor;
	uint8_t shift;
	int64_t offset; /* seconds to add to the converted time (if_tsoffset) */
};

struct tw_capture_interface {
	uint32_t linktype, snaplen;
	struct tw_resolution resolution;
};

struct tw_capture_file {
	struct tw_input in;
	const char *name;
	int (*next)(struct tw_capture_file *file, struct tw_packet *ret, struct tw_error *error);
	bool big_endian;
	bool failed; /* next() has returned an error */
	bool is_pcapng, is_recording;
	struct tw_capture_interface *interfaces; /* of the current section; exactly one in pcap */
	uint32_t n_interfaces, size_interfaces;
	tw_capture_watch *watch;               /* callback; NULL = none */
	void *ctx;                             /* context of watch */
	tw_capture_watch_others *watch_others; /* callback; NULL = none */
	void *ctx_others;
};

/** tw_capture__show() - pass a block to the watch callback */
static inline void tw_capture__show(const struct tw_capture_file *file, const struct tw_capture_block *block)
{
	if (file->watch)
		file->watch(file->ctx, block);
}

/** tw_capture__damaged() - set the error text "FILE is damaged at byte N: ...". Return: -EBADMSG; tw_input.failure if reading failed */
__attribute__((format(printf, 4, 5))) int tw_capture__damaged(struct tw_capture_file *file, uint64_t offset,
							      struct tw_error *error, const char *fmt, ...);

/** tw_pcapng_file__open() - detect pcapng and check the first section header. Return: 1; 0 if the file is not pcapng; -errno */
int tw_pcapng_file__open(struct tw_capture_file *file, struct tw_error *error);

#endif
