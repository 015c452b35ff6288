/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a file is written to its disk: space that is reserved after its end, and writes past the page cache.
 *
 * The reserve is allocated before it is needed, so that the last statistics still fit when the disk is full. It is beyond the size of the
 * file, and is freed when the file is ended.
 *
 * Large batches are written past the page cache (O_DIRECT): copying into the cache is the largest cost of a busy capture, and nobody reads
 * the data soon. Each such write waits for the disk. During this wait, newer data stays in memory, and is lost if the process is killed. So
 * after a slow write, the page cache is used for a while. The data of a direct write is first copied to a separate area. The reason: if the
 * disk is emulated, a CPU of the host reads the data. A packet that is then built in the same memory would wait for the cache lines.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/time.h"
#include "pcap-tools/large.h"
#include "pcap-tools/output/output_impl.h"

#define AHEAD ((uint64_t)1 << 20) /* bytes allocated in advance while the disk has room */

#define DIRECT_MIN ((size_t)512 * 1024) /* bytes; smaller batches are cheap to copy, or were collected slowly */
#define AREA       ((size_t)1 << 20)    /* bytes, limit of one direct write */
#define SLOW_NS    (25 * TW_NS_PER_MS) /* a longer write is slow: a kill may lose 100 ms of data, all stages together */
#define CACHED_MIN (8 * TW_NS_PER_SECOND) /* ns without O_DIRECT after a slow write; each further one doubles it */
#define CACHED_MAX (8 * CACHED_MIN)

_Static_assert(TW_LARGE_ALIGN % TW_OUTPUT_ALIGN == 0 && AREA % TW_OUTPUT_ALIGN == 0, "the area holds whole blocks");

void tw_disk__begin(struct tw_output *o)
{
	const int flags = fcntl(o->fd, F_GETFL);
	const off_t at = lseek(o->fd, 0, flags >= 0 && flags & O_APPEND ? SEEK_END : SEEK_CUR);
	struct rlimit limit;

	o->base = at > 0 ? (uint64_t)at : 0;
	o->reserved = 0;
	o->reserves = !o->is_pipe && at >= 0;
	o->limit = UINT64_MAX;
	if (!o->is_pipe && !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY)
		o->limit = limit.rlim_cur;
}

/* Return: 0 or -errno */
static int allocate(struct tw_output *o, uint64_t to)
{
	const uint64_t end = tw_output__file_end(o), from = o->reserved > end ? o->reserved : end;
	int n;

	do
		n = fallocate(o->fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from));
	while (n && errno == EINTR);
	if (n)
		return -errno;
	o->reserved = to;
	return 0;
}

/* Return: number of bytes to keep free for the last blocks; at most a quarter of the largest permitted size of the file */
static uint64_t kept_back(const struct tw_output *o)
{
	if (o->ending)
		return 0;
	return o->limit / 4 < TW_OUTPUT_RESERVE ? o->limit / 4 : TW_OUTPUT_RESERVE;
}

int tw_disk__reserve(struct tw_output *o, size_t len)
{
	const uint64_t to = tw_output__file_end(o) + len + kept_back(o);
	int err;

	if (to > o->limit)
		return -EFBIG;
	if (!o->reserves || o->ending || to <= o->reserved)
		return 0;
	err = allocate(o, to + AHEAD);
	if (tw_output__is_no_space(err))
		err = allocate(o, to);
	if (!err || tw_output__is_no_space(err))
		return err;
	o->reserves = false; /* no support by the file system: a write finds out whether there is room */
	return 0;
}

/* Releases nothing if another process, which shares the file, has written after the end of this output. */
void tw_disk__release(struct tw_output *o)
{
	const uint64_t end = tw_output__file_end(o);
	struct stat st;

	if (o->reserved <= end || fstat(o->fd, &st) || (uint64_t)st.st_size != end)
		return;
	if (!ftruncate(o->fd, st.st_size))
		o->reserved = 0;
}

size_t tw_output__lacks(const struct tw_output *o, size_t len)
{
	return o->direct ? (size_t)(-(o->bytes + len) % TW_OUTPUT_ALIGN) : 0;
}

/*
 * Copies data that this CPU does not read again. Stores that bypass the caches are used if possible: ordinary stores to memory that a
 * device or another CPU has just read wait for each cache line. @to is aligned to 16 bytes; @from may have any alignment.
 */
static void copy_past_caches(uint8_t *to, const uint8_t *from, size_t len)
{
	size_t done = 0;

#ifdef __SSE2__
	for (; len - done >= sizeof(__m128i); done += sizeof(__m128i))
		_mm_stream_si128((__m128i *)(to + done), _mm_loadu_si128((const __m128i *)(from + done)));
	_mm_sfence();
#endif
	memcpy(to + done, from + done, len - done);
}

/* Return: number of bytes of the area that were written; fewer than @len if the rest must be written without O_DIRECT */
static size_t write_area(struct tw_output *o, size_t len)
{
	size_t at = 0;

	while (at < len) {
		const ssize_t n = write(o->fd, o->area + at, len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EINVAL)
			o->direct = false; /* a file system may accept O_DIRECT, but refuse the write */
		if (n <= 0 || n % TW_OUTPUT_ALIGN)
			return at + (n > 0 ? (size_t)n : 0);
		at += (size_t)n;
	}
	return at;
}

/* Return: whether the page cache is used from now on, because the write that began at @begun was slow */
static bool was_slow(struct tw_output *o, uint64_t begun)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);

	if (now - begun <= SLOW_NS)
		return false;
	o->cached_for = o->cached_for ? o->cached_for : CACHED_MIN;
	o->direct_from = now + o->cached_for;
	o->cached_for = 2 * o->cached_for < CACHED_MAX ? 2 * o->cached_for : CACHED_MAX;
	return true;
}

/* Return: number of bytes that were written; fewer than @len if the rest must be written without O_DIRECT */
static size_t write_blocks(struct tw_output *o, const uint8_t *bytes, size_t len)
{
	size_t at = 0, part, n;
	uint64_t begun;

	do {
		part = len - at < AREA ? len - at : AREA;
		copy_past_caches(o->area, bytes + at, part);
		if (tw_disk__reserve(o, at + part))
			break;
		begun = tw_time__now(CLOCK_MONOTONIC);
		n = write_area(o, part);
		at += n;
		tw_output__was_late(o, begun);
	} while (!was_slow(o, begun) && n == part && at < len);
	return at;
}

static bool is_worth_it(struct tw_output *o, size_t len)
{
	if (!o->direct || o->late || len < DIRECT_MIN || tw_time__now(CLOCK_MONOTONIC) < o->direct_from)
		return false;
	if (!o->area)
		o->area = tw_large__alloc(AREA, AREA);
	return o->area;
}

int tw_disk__put_direct(struct tw_output *o, const uint8_t *bytes, size_t len, size_t *ret_put)
{
	const size_t lead = (size_t)(-o->bytes % TW_OUTPUT_ALIGN);
	size_t n;
	int flags, err;

	*ret_put = 0;
	if (!is_worth_it(o, len) || (flags = fcntl(o->fd, F_GETFL)) < 0)
		return 0;
	err = tw_output__put(o, bytes, lead);
	if (err)
		return err;
	*ret_put = lead;
	if (fcntl(o->fd, F_SETFL, flags | O_DIRECT)) {
		o->direct = false;
		return 0;
	}
	n = write_blocks(o, bytes + lead, (len - lead) & ~(size_t)(TW_OUTPUT_ALIGN - 1));
	fcntl(o->fd, F_SETFL, flags & ~O_DIRECT);
	o->put += n;
	o->bytes += n;
	*ret_put += n;
	return 0;
}
