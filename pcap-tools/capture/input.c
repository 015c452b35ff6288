/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/capture/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_SIZE ((size_t)256 * 1024) /* bytes a read(): few calls, and still in the cache when they are looked at */

int tw_input__open(struct tw_input *in, int fd, size_t largest)
{
	*in = (struct tw_input){ .fd = fd, .size = largest + READ_SIZE };
	in->buf = malloc(in->size);
	return in->buf ? 0 : -ENOMEM;
}

void tw_input__close(struct tw_input *in)
{
	free(in->buf);
}

size_t tw_input__fill(struct tw_input *in, size_t len)
{
	if (in->at && in->size - in->at < len + READ_SIZE) {
		memmove(in->buf, in->buf + in->at, in->end - in->at);
		in->end -= in->at;
		in->at = 0;
	}
	while (in->end - in->at < len && in->end < in->size) {
		const ssize_t n = read(in->fd, in->buf + in->end,
				       in->size - in->end < READ_SIZE ? in->size - in->end : READ_SIZE);

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
