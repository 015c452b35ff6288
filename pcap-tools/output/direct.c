/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing past the page cache (O_DIRECT): of what a busy capture costs, copying into the cache is the largest part, and nobody
 * reads that soon. Only large batches go this way: small ones would wait for the disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "pcap-tools/output/state.h"

#define LEAST ((size_t)64 * 1024) /* bytes */

bool tw_output__is_aligned(const struct tw_output *o)
{
	return o->direct;
}

size_t tw_output__phase(const struct tw_output *o)
{
	return o->direct ? (size_t)(o->bytes % TW_OUTPUT_ALIGN) : 0;
}

/* Return: bytes written; less than all where it has to be done another way. */
static size_t write_blocks(struct tw_output *o, const uint8_t *bytes, size_t len)
{
	size_t at = 0;

	while (at < len) {
		const ssize_t n = write(o->fd, bytes + at, len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EINVAL)
			o->direct = false; /* the file system says so only now */
		if (n <= 0 || n % TW_OUTPUT_ALIGN)
			return at + (n > 0 ? (size_t)n : 0);
		at += (size_t)n;
	}
	return at;
}

int tw_output__put_direct(struct tw_output *o, const uint8_t *bytes, size_t len, size_t *ret_put)
{
	const size_t lead = (size_t)(-o->bytes % TW_OUTPUT_ALIGN);
	const int flags = fcntl(o->fd, F_GETFL);
	size_t blocks, n;
	int code;

	*ret_put = 0;
	if (!o->direct || len < lead + LEAST || (uintptr_t)(bytes + lead) % TW_OUTPUT_ALIGN || flags < 0)
		return 0;
	code = tw_output__put(o, bytes, lead);
	if (code)
		return code;
	blocks = (len - lead) & ~(size_t)(TW_OUTPUT_ALIGN - 1);
	if (fcntl(o->fd, F_SETFL, flags | O_DIRECT)) {
		o->direct = false;
		blocks = 0;
	}
	n = write_blocks(o, bytes + lead, blocks);
	fcntl(o->fd, F_SETFL, flags & ~O_DIRECT);
	o->put += n;
	o->bytes += n;
	*ret_put = lead + n;
	return 0;
}
