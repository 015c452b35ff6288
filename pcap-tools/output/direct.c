/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing past the page cache (O_DIRECT): of what a busy capture costs, copying into the cache is the largest part, and nobody
 * reads that soon. Only large batches go this way: small ones would wait for the disk. So do large ones on a disk that is busy, and
 * what comes meanwhile is in memory, where a kill takes it: after a slow write the cache, which is the kernel's, has its turn.
 *
 * They go there from an area that nobody else writes to: where the disk is another machine's, one of its CPUs reads it, and until all
 * of its lines have come back every packet built in it would wait for some.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/large.h"
#include "base/time.h"
#include "pcap-tools/output/impl.h"

#define LEAST    ((size_t)512 * 1024) /* bytes; less than that is cheap to copy, or came slowly */
#define AREA     ((size_t)1 << 20)
#define SLOW_NS  (25 * TW_NS_PER_MS)    /* for all of the area at most: a quarter of what a kill may take */
#define TURN_NS  (8 * TW_NS_PER_SECOND) /* of the cache, the first; each is twice as long as that before */
#define TURN_MAX (8 * TURN_NS)

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

/* Return: whether the cache has its turn, as the disk took so long since @begun */
static bool was_slow(struct tw_output *o, uint64_t begun)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);

	if (now - begun <= SLOW_NS)
		return false;
	o->turn = o->turn ? o->turn : TURN_NS;
	o->direct_from = now + o->turn;
	o->turn = 2 * o->turn < TURN_MAX ? 2 * o->turn : TURN_MAX;
	return true;
}

/* Return: as above */
static size_t write_blocks(struct tw_output *o, const uint8_t *bytes, size_t len)
{
	size_t at = 0, part, n;
	uint64_t begun;

	do {
		part = len - at < AREA ? len - at : AREA;
		tw_large__copy(o->area, bytes + at, part);
		if (tw_output__reserve(o, at + part))
			break;
		begun = tw_time__now(CLOCK_MONOTONIC);
		n = write_area(o, part);
		at += n;
		tw_output__was_late(o, begun);
	} while (!was_slow(o, begun) && n == part && at < len);
	return at;
}

static bool has_area(struct tw_output *o)
{
	if (!o->area)
		o->area = tw_large__alloc(AREA, AREA);
	return o->area;
}

static bool is_worth_it(const struct tw_output *o, size_t len)
{
	return o->direct && !o->late && len >= LEAST && tw_time__now(CLOCK_MONOTONIC) >= o->direct_from;
}

int tw_output__put_direct(struct tw_output *o, const uint8_t *bytes, size_t len, size_t *ret_put)
{
	const size_t lead = (size_t)(-o->bytes % TW_OUTPUT_ALIGN);
	const int flags = fcntl(o->fd, F_GETFL);
	size_t blocks, n;
	int code;

	*ret_put = 0;
	if (!is_worth_it(o, len) || flags < 0 || !has_area(o))
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
