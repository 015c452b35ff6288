/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is kept back of a disk: blocks behind the end of the file, allocated before they are needed. So nobody else has them when the disk is
 * full, and what is to be said of that finds room. They are not within the file's size, and go with its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap-tools/output/impl.h"

#define AHEAD ((uint64_t)1 << 20) /* bytes allocated at a time while there is room */

static uint64_t end_of(const struct tw_output *o)
{
	return o->base + o->bytes;
}

void tw_output__begin_reserve(struct tw_output *o)
{
	const int flags = fcntl(o->fd, F_GETFL);
	const off_t at = lseek(o->fd, 0, flags >= 0 && flags & O_APPEND ? SEEK_END : SEEK_CUR);
	struct rlimit limit;

	o->base = at > 0 ? (uint64_t)at : 0;
	o->reserved = 0;
	o->reserves = !o->live && at >= 0;
	o->ending = o->ended = o->broken = false;
	o->limit = !o->live && !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur
												   : UINT64_MAX;
}

/* Return: 0 or -errno */
static int allocate(struct tw_output *o, uint64_t to)
{
	const uint64_t from = o->reserved > end_of(o) ? o->reserved : end_of(o);
	int n;

	do {
		n = fallocate(o->fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from));
	} while (n && errno == EINTR);
	if (n)
		return -errno;
	o->reserved = to;
	return 0;
}

/* Of a file that may not become much larger than that, a quarter. */
static uint64_t kept_back(const struct tw_output *o)
{
	if (o->ending)
		return 0;
	return o->limit / 4 < TW_OUTPUT_RESERVE ? o->limit / 4 : TW_OUTPUT_RESERVE;
}

int tw_output__reserve(struct tw_output *o, size_t len)
{
	const uint64_t to = end_of(o) + len + kept_back(o);
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
	o->reserves = false; /* the file system cannot do that: a write tells whether there is room */
	return 0;
}

/* Nobody else has written behind it, as may be where it is shared. */
void tw_output__release_reserve(struct tw_output *o)
{
	struct stat st;

	if (o->reserved <= end_of(o) || fstat(o->fd, &st) || (uint64_t)st.st_size != end_of(o))
		return;
	if (!ftruncate(o->fd, st.st_size))
		o->reserved = 0;
}

static int put_at(const struct tw_output *o, uint64_t at, const uint8_t *bytes, size_t len)
{
	const int fd = o->again >= 0 ? o->again : o->fd; /* the other one may append, wherever it is told to write */

	while (len) {
		const ssize_t n = pwrite(fd, bytes, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		bytes += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

int tw_output__put_last(struct tw_output *o, const void *blocks, size_t len)
{
	uint8_t head[TW_ZSTD_HEAD + TW_ZSTD_BLOCK_HEAD];
	size_t n = 0;
	int err;

	if (o->fd < 0 || !o->broken || len + sizeof(head) > TW_OUTPUT_RESERVE)
		return -ESPIPE;
	if (o->zstd)
		n = tw_zstd_stream__last_head(!o->bytes, len, head);
	err = put_at(o, end_of(o), head, n);
	if (!err)
		err = put_at(o, end_of(o) + n, blocks, len);
	if (err)
		return err;
	o->bytes += n + len;
	o->ended = true;
	return 0;
}
