/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the room. Bytes of a file or pipe, from front to end, as a window that moves: what is asked for is made
 * contiguous. Read and not mapped, so that a file that somebody cuts short is an end and not a signal.
 */
#ifndef TW_INPUT_H
#define TW_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tw_input {
	int fd; /* the caller's */
	uint8_t *buf;
	size_t size;                  /* of buf; grows when more is asked for at once */
	size_t at, end;               /* what is there and was not taken */
	uint64_t offset;              /* in the file, of buf[at] */
	int failure;                  /* -errno of read(), or -ENOMEM, or -EBADMSG of what does not expand; 0 = none */
	struct tw_decompressor *zstd; /* where it is compressed; NULL = as it is */
};

/** tw_input__open() - its first bytes tell whether it is compressed by zstd. Return: 0 or -ENOMEM */
int tw_input__open(struct tw_input *in, int fd);

void tw_input__close(struct tw_input *in);

/** tw_input__fill() - read until @len bytes are there. Return: how many are; fewer only at the end or after a failure */
size_t tw_input__fill(struct tw_input *in, size_t len);

/** tw_input__peek() - the next @len bytes, not taken; NULL if they are not there. Valid until the next call */
static inline const uint8_t *tw_input__peek(struct tw_input *in, size_t len)
{
	if (in->end - in->at < len && tw_input__fill(in, len) < len)
		return NULL;
	return in->buf + in->at;
}

/** tw_input__take() - go on behind @len bytes, which were seen */
static inline void tw_input__take(struct tw_input *in, size_t len)
{
	in->at += len;
	in->offset += len;
}

#endif
