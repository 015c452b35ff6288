/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing past the page cache (O_DIRECT): of what a busy capture costs, copying into the cache is the largest part, and nobody
 * reads that soon. Only large batches go this way: small ones would wait for the disk.
 *
 * They go there from an area that nobody else writes to: where the disk is another machine's, one of its CPUs reads it, and until all
 * of its lines have come back every packet built in it would wait for some.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/large.h"
#include "pcap-tools/output/state.h"

#define LEAST ((size_t)64 * 1024) /* bytes */
#define AREA  ((size_t)1 << 20)

_Static_assert(TW_LARGE_ALIGN % TW_OUTPUT_ALIGN == 0 && AREA % TW_OUTPUT_ALIGN == 0, "the area holds whole blocks");

size_t tw_output__lacks(const struct tw_output *o, size_t len)
{
	return o->direct ? (size_t)(-(o->bytes + len) % TW_OUTPUT_ALIGN) : 0;
}

/* Return: bytes written, of what lies in the area; less than all where it has to be done another way. */
static size_t write_area(struct tw_output *o, size_t len)
{
	size_t at = 0;

	while (at < len) {
		const ssize_t n = write(o->fd, o->area + at, len - at);

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

/* Return: as above */
static size_t write_blocks(struct tw_output *o, const uint8_t *bytes, size_t len)
{
	size_t at = 0, part, n;

	do {
		part = len - at < AREA ? len - at : AREA;
		tw_large__copy(o->area, bytes + at, part);
		n = write_area(o, part);
		at += n;
	} while (n == part && at < len);
	return at;
}

static bool has_area(struct tw_output *o)
{
	if (!o->area)
		o->area = tw_large__alloc(AREA, AREA);
	return o->area;
}

int tw_output__put_direct(struct tw_output *o, const uint8_t *bytes, size_t len, size_t *ret_put)
{
	const size_t lead = (size_t)(-o->bytes % TW_OUTPUT_ALIGN);
	const int flags = fcntl(o->fd, F_GETFL);
	size_t blocks, n;
	int code;

	*ret_put = 0;
	if (!o->direct || len < lead + LEAST || flags < 0 || !has_area(o))
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
