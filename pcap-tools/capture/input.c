/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/capture/input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define MAGIC       4                    /* bytes of a file that tell that zstd (RFC 8878) made it smaller */
#define BUFFER_SIZE ((size_t)128 * 1024) /* what zstd likes to be given at once */

/* Of one zstd frame, or of several behind each other. */
struct tw_decompressor {
	int fd; /* the caller's */
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	bool within; /* a frame has begun and not ended */
	uint8_t buf[BUFFER_SIZE];
};

static bool is_compressed(const uint8_t *first)
{
	static const uint8_t magic[MAGIC] = { 0x28, 0xb5, 0x2f, 0xfd };

	return !memcmp(first, magic, sizeof(magic));
}

/*
 * @first: @len bytes that were read already; copied. Memory is bounded: a frame that needs more than zstd's usual 128 MiB to be read is
 * refused as if it were damaged.
 */
static int decompressor__new(int fd, const uint8_t *first, size_t len, struct tw_decompressor **ret)
{
	struct tw_decompressor *e = len <= BUFFER_SIZE ? calloc(1, sizeof(*e)) : NULL;

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

static void decompressor__free(struct tw_decompressor *e)
{
	if (!e)
		return;
	ZSTD_freeDStream(e->stream);
	free(e);
}

/* Return: bytes; 0 at the end, -errno */
static ssize_t refill(struct tw_decompressor *e)
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

/* As read(2). Return: bytes; 0 at the end; -EBADMSG if it is damaged, or ends before its end; -errno of read() */
static ssize_t decompressor__read(struct tw_decompressor *e, uint8_t *buf, size_t size)
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

#define READ_SIZE  ((size_t)256 * 1024) /* bytes a read(): few calls, and still in the cache when they are looked at */
#define FIRST_SIZE ((size_t)32 * 1024)  /* until that much was taken: many files are short */

static size_t read_size(const struct tw_input *in)
{
	return in->offset < FIRST_SIZE ? FIRST_SIZE : READ_SIZE;
}

/* Room for @len bytes from the window's beginning on, and a read() more. */
static int make_room(struct tw_input *in, size_t len)
{
	const size_t size = len + read_size(in);
	uint8_t *buf;

	if (in->size - in->at >= size)
		return 0;
	memmove(in->buf, in->buf + in->at, in->end - in->at);
	in->end -= in->at;
	in->at = 0;
	if (in->size >= size)
		return 0;
	buf = realloc(in->buf, size);
	if (!buf)
		return -ENOMEM;
	in->buf = buf;
	in->size = size;
	return 0;
}

static ssize_t some_more(struct tw_input *in, uint8_t *buf, size_t size)
{
	ssize_t n;

	if (in->zstd)
		return decompressor__read(in->zstd, buf, size);
	do
		n = read(in->fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

size_t tw_input__fill(struct tw_input *in, size_t len)
{
	const int err = make_room(in, len);

	if (err)
		in->failure = err;
	while (!err && in->end - in->at < len) {
		const size_t left = in->size - in->end;
		const ssize_t n = some_more(in, in->buf + in->end, left < READ_SIZE ? left : READ_SIZE);

		if (n < 0)
			in->failure = (int)n;
		if (n <= 0)
			break;
		in->end += (size_t)n;
	}
	return in->end - in->at;
}

int tw_input__open(struct tw_input *in, int fd)
{
	int r;

	*in = (struct tw_input){ .fd = fd, .size = 2 * FIRST_SIZE };
	in->buf = malloc(in->size);
	if (!in->buf)
		return -ENOMEM;
	if (tw_input__fill(in, MAGIC) < MAGIC || !is_compressed(in->buf))
		return 0;
	r = decompressor__new(fd, in->buf, in->end, &in->zstd);
	in->end = 0;
	if (r)
		tw_input__close(in);
	return r;
}

void tw_input__close(struct tw_input *in)
{
	decompressor__free(in->zstd);
	free(in->buf);
}
