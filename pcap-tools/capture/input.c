/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/capture/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_SIZE  ((size_t)256 * 1024) /* bytes a read(): few calls, and still in the cache when they are looked at */
#define FIRST_SIZE ((size_t)32 * 1024)  /* until that much was taken: many files are short */

int tw_input__open(struct tw_input *in, int fd)
{
	*in = (struct tw_input){ .fd = fd, .size = 2 * FIRST_SIZE };
	in->buf = malloc(in->size);
	return in->buf ? 0 : -ENOMEM;
}

void tw_input__close(struct tw_input *in)
{
	free(in->buf);
}

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

size_t tw_input__fill(struct tw_input *in, size_t len)
{
	const int error = make_room(in, len);

	if (error)
		in->failure = error;
	while (!error && in->end - in->at < len) {
		const size_t left = in->size - in->end;
		const ssize_t n = read(in->fd, in->buf + in->end, left < READ_SIZE ? left : READ_SIZE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			in->failure = -errno;
		if (n <= 0)
			break;
		in->end += (size_t)n;
	}
	return in->end - in->at;
}
