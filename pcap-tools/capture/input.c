/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/capture/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pcap-tools/capture/expand.h"

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

	if (in->expand)
		return tw_expand__read(in->expand, buf, size);
	do
		n = read(in->fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

size_t tw_input__fill(struct tw_input *in, size_t len)
{
	const int error = make_room(in, len);

	if (error)
		in->failure = error;
	while (!error && in->end - in->at < len) {
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
	if (tw_input__fill(in, TW_EXPAND_MAGIC) < TW_EXPAND_MAGIC || !tw_expand__is_needed(in->buf))
		return 0;
	r = tw_expand__new(fd, in->buf, in->end, &in->expand);
	in->end = 0;
	if (r)
		tw_input__close(in);
	return r;
}

void tw_input__close(struct tw_input *in)
{
	tw_expand__free(in->expand);
	free(in->buf);
}
