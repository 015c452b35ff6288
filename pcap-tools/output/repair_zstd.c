/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/output/repair_zstd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "pcap-tools/output/zstd_stream.h"
#include "pcap-tools/pcapng/walk.h"

/* Of captures a hundredth is left at least: what grows more than this is meant to take our time. */
#define RATIO_MAX ((uint64_t)1024)
#define PLAIN_MIN ((uint64_t)256 << 10)

enum { BLOCK_RAW, BLOCK_RLE, BLOCK_COMPRESSED, BLOCK_RESERVED };

struct block {
	uint64_t at;
	uint32_t len; /* with its header */
	bool last;
};

/* A frame in a file, block by block. The first "block" is the frame's head. */
struct frame {
	int fd;
	uint64_t size;
	struct block block;
};

/* Return: 1; 0 if the file ends before; what pread() said */
static int frame__read(const struct frame *f, uint64_t at, void *to, size_t len)
{
	ssize_t n;

	if (at > f->size || len > f->size - at)
		return 0;
	do
		n = pread(f->fd, to, len, (off_t)at);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len;
}

/* Return: 1 if a frame of ours begins; 0 if the file ends in its head; -EBADMSG; what pread() said */
static int frame__begin(struct frame *f, int fd, uint64_t size)
{
	static const uint8_t ours[TW_ZSTD_HEAD - 1] = { 0x28, 0xb5, 0x2f, 0xfd, 0 };
	uint8_t head[TW_ZSTD_HEAD];
	const size_t n = size < sizeof(head) ? (size_t)size : sizeof(head);
	int code;

	*f = (struct frame){ fd, size, { .at = 0, .len = TW_ZSTD_HEAD } };
	code = frame__read(f, 0, head, n);
	if (code <= 0)
		return code;
	if (memcmp(head, ours, n < sizeof(ours) ? n : sizeof(ours)) != 0)
		return -EBADMSG;
	return n == sizeof(head);
}

/* Return: 1 if a whole block follows; 0 if the frame has ended, or the file; -EBADMSG; what pread() said */
static int frame__next(struct frame *f)
{
	const uint64_t at = f->block.at + f->block.len;
	uint8_t head[TW_ZSTD_BLOCK_HEAD];
	uint32_t word, len;
	const int code = f->block.last ? 0 : frame__read(f, at, head, sizeof(head));

	if (code <= 0)
		return code;
	word = head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16;
	len = word >> 3;
	if (len > TW_ZSTD_BLOCK_MAX || (word >> 1 & 3) == BLOCK_RESERVED)
		return -EBADMSG;
	if ((word >> 1 & 3) == BLOCK_RLE)
		len = 1;
	if (TW_ZSTD_BLOCK_HEAD + len > f->size - at)
		return 0;
	f->block = (struct block){ at, TW_ZSTD_BLOCK_HEAD + len, word & 1 };
	return 1;
}

static void end__set(struct tw_file_end *end, const struct block *block)
{
	*end = (struct tw_file_end){ .size = block->at + block->len, .open = !block->last, .last = block->at };
}

/* The block that ends at @known, or the frame's last if it has one. */
static int find_known(struct frame *f, uint64_t known, struct tw_file_end *end)
{
	int code;

	while ((code = frame__next(f)) > 0 && !f->block.last && f->block.at + f->block.len <= known)
		end__set(end, &f->block);
	if (code > 0 && f->block.last)
		end__set(end, &f->block);
	return code < 0 ? code : end->size < known ? -EBADMSG : 0;
}

struct look {
	ZSTD_DCtx *zstd;
	struct tw_pcapng_walk walk;
	uint64_t plain;
	uint8_t in[TW_ZSTD_BLOCK_HEAD + TW_ZSTD_BLOCK_MAX], out[TW_ZSTD_BLOCK_MAX];
};

/* Return: 0; -EBADMSG */
static int look__feed(struct look *look, size_t len, uint64_t plain_max)
{
	ZSTD_inBuffer in = { look->in, len, 0 };
	ZSTD_outBuffer out = { look->out, sizeof(look->out), 0 };

	do {
		const size_t before = in.pos;

		out.pos = 0;
		if (ZSTD_isError(ZSTD_decompressStream(look->zstd, &out, &in)))
			return -EBADMSG;
		look->plain += out.pos;
		if (look->plain > plain_max || !tw_pcapng_walk__feed(&look->walk, look->out, out.pos) ||
		    (in.pos == before && !out.pos && in.pos < in.size))
			return -EBADMSG;
	} while (in.pos < in.size || out.pos == out.size);
	return 0;
}

/* The last block behind which no block of pcapng is in pieces. */
static int look__for_end(struct look *look, struct frame *f, struct tw_file_end *end)
{
	int code = 1;

	while (code > 0) {
		const struct block *block = &f->block;

		code = frame__read(f, block->at, look->in, block->len);
		if (code > 0)
			code = look__feed(look, block->len, PLAIN_MIN + RATIO_MAX * (block->at + block->len));
		if (code < 0)
			return code;
		if (block->last || (block->at && tw_pcapng_walk__is_between(&look->walk)))
			end__set(end, block);
		code = frame__next(f);
	}
	return code;
}

static int find_whole(struct frame *f, struct tw_file_end *end)
{
	struct look *look = calloc(1, sizeof(*look));
	int code = -ENOMEM;

	if (look)
		look->zstd = ZSTD_createDCtx();
	if (look && look->zstd) {
		ZSTD_DCtx_setParameter(look->zstd, ZSTD_d_windowLogMax, TW_ZSTD_WINDOW_LOG);
		code = look__for_end(look, f, end);
		ZSTD_freeDCtx(look->zstd);
	}
	free(look);
	return code;
}

int tw_zstd__find_end(int fd, uint64_t known, uint64_t size, struct tw_file_end *ret)
{
	struct tw_file_end end = { .size = 0 };
	struct frame f;
	int code = frame__begin(&f, fd, size);

	if (code > 0)
		code = known ? find_known(&f, known, &end) : find_whole(&f, &end);
	if (!code && end.size && !end.open && end.size < size)
		code = -EBADMSG;
	if (!code)
		*ret = end;
	return code;
}
