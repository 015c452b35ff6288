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
	size_t at, end;  /* bytes available */
	uint64_t offset; /* offset of buf[at] in the file */
	int failure;     /* -errno of read(), or -ENOMEM, or -EBADMSG for damaged compressed data; 0 = none */
	struct tw_decompressor *zstd; /* of a compressed file; NULL = not compressed */
};

/** tw_input__fill() - read until @len bytes are available. Return: bytes available; fewer only at the end or after a failure */
size_t tw_input__fill(struct tw_input *in, size_t len);

/** tw_input__peek() - the next @len bytes without taking them; NULL if they are not available. Valid until the next call */
static inline const uint8_t *tw_input__peek(struct tw_input *in, size_t len)
{
	if (in->end - in->at < len && tw_input__fill(in, len) < len)
		return NULL;
	return in->buf + in->at;
}

/** tw_input__take() - skip @len bytes, which were peeked */
static inline void tw_input__take(struct tw_input *in, size_t len)
{
	in->at += len;
	in->offset += len;
}

#define NS_PER_S 1000000000u

/* Unit of an interface's times: ns = (ticks * mult) >> shift, or ticks / divisor if mult is 0. */
struct tw_resolution {
	uint64_t mult, divisor;
	uint8_t shift;
	int64_t offset; /* seconds to add */
};

/** tw_resolution__of() - from an if_tsresol */
struct tw_resolution tw_resolution__of(uint8_t tsresol);

/** tw_resolution__ns() - converts a time to ns since 1970 */
uint64_t tw_resolution__ns(const struct tw_resolution *r, uint64_t ticks);

struct tw_capture_interface {
	uint32_t linktype, snaplen;
	struct tw_resolution resolution;
};

struct tw_capture_file {
	struct tw_input in;
	const char *name;
	int (*next)(struct tw_capture_file *file, struct tw_packet *ret, struct tw_error *error);
	bool big_endian;
	bool failed;
	bool is_pcapng, is_recording;
	struct tw_capture_interface *interfaces; /* of the section; exactly one for pcap */
	uint32_t n_interfaces, size_interfaces;
	tw_capture_watch *watch; /* callback; NULL = none */
	void *ctx;               /* context of watch */
};

/** tw_capture__show() - pass a block to the watch callback */
static inline void tw_capture__show(const struct tw_capture_file *file, const struct tw_capture_block *block)
{
	if (file->watch)
		file->watch(file->ctx, block);
}

/**
 * tw_capture__damaged() - sets the error "FILE: what at byte N ...". Return: -EBADMSG, or the failure of read() if there was one
 */
__attribute__((format(printf, 4, 5))) int tw_capture__damaged(struct tw_capture_file *file, uint64_t offset,
							      struct tw_error *error, const char *fmt, ...);

/** tw_pcapng_file__open() and tw_pcap_file__open() - test for the format. Return: 1, 0 if it is another, or -errno */
int tw_pcapng_file__open(struct tw_capture_file *file, struct tw_error *error);

#endif
