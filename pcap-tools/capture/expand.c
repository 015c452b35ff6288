/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/capture/expand.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define BUFFER_SIZE ((size_t)128 * 1024) /* what zstd likes to be given at once */

struct tw_expand {
	int fd; /* the caller's */
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	bool within; /* a frame has begun and not ended */
	uint8_t buf[BUFFER_SIZE];
};

bool tw_expand__is_needed(const uint8_t *first)
{
	static const uint8_t magic[TW_EXPAND_MAGIC] = { 0x28, 0xb5, 0x2f, 0xfd };

	return !memcmp(first, magic, sizeof(magic));
}

int tw_expand__new(int fd, const uint8_t *first, size_t len, struct tw_expand **ret)
{
	struct tw_expand *e = len <= BUFFER_SIZE ? calloc(1, sizeof(*e)) : NULL;

	if (!e)
		return -ENOMEM;
	e->fd = fd;
	e->stream = ZSTD_createDStream();
	if (!e->stream) {
		free(e);
		return -ENOMEM;
	}
	memcpy(e->buf, first, len);
	e->in = (ZSTD_inBuffer){ .src = e->buf, .size = len };
	*ret = e;
	return 0;
}

void tw_expand__free(struct tw_expand *e)
{
	if (!e)
		return;
	ZSTD_freeDStream(e->stream);
	free(e);
}

/* Return: bytes; 0 at the end, -errno */
static ssize_t refill(struct tw_expand *e)
{
	ssize_t n;

	do
		n = read(e->fd, e->buf, sizeof(e->buf));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	e->in.size = (size_t)n;
	e->in.pos = 0;
	return n;
}

ssize_t tw_expand__read(struct tw_expand *e, uint8_t *buf, size_t size)
{
	ZSTD_outBuffer out = { .dst = buf, .size = size };

	while (!out.pos) {
		size_t left;

		/* What is within may come out without any more going in. */
		if (e->in.pos == e->in.size && !e->within) {
			const ssize_t n = refill(e);

			if (n <= 0)
				return n;
		}
		left = ZSTD_decompressStream(e->stream, &out, &e->in);
		if (ZSTD_isError(left))
			return -EBADMSG;
		e->within = left != 0;
		if (e->within && !out.pos && e->in.pos == e->in.size) {
			const ssize_t n = refill(e);

			if (n <= 0)
				return n ? n : -EBADMSG;
		}
	}
	return (ssize_t)out.pos;
}
