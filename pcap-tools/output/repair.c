/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/output/repair.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/bytes.h"
#include "pcap-tools/output/output_impl.h"
#include "pcap-tools/pcapng/blocks.h"

#define PIECE     ((size_t)64 << 10)   /* bytes of one read */
#define BLOCK_CAP ((uint32_t)16 << 20) /* largest block length accepted, as in Wireshark */

/*
 * Real captures compress to no less than a hundredth. Data that decompresses to more than RATIO_MAX times its size plus PLAIN_MIN bytes
 * is refused: it may be an attack on the reader's time.
 */
#define RATIO_MAX ((uint64_t)1024)
#define PLAIN_MIN ((uint64_t)256 << 10)

/* An offset at which a file can be cut so that it is valid. */
struct file_end {
	uint64_t size; /* the offset */
	bool open;     /* the zstd frame must be ended there, by a bit in the block header at `last` */
	uint64_t last;
};

/*
 * Finds the end of the last whole pcapng block, in bytes that arrive in pieces of any length. Only types, lengths and byte-order magics are
 * read. The struct is all zero at the beginning of a file.
 */
struct block_walk {
	uint64_t whole; /* bytes in whole blocks */
	bool continued; /* set by the caller: the walk begins inside a section with this host's byte order */
	bool bad;       /* the bytes at `whole` are no block; stays true */
	bool swapped;
	uint32_t len, seen; /* of the current block; len 0 = unknown yet */
	uint8_t head[TW_PCAPNG_BLOCK_MIN], tail[4];
};

static uint32_t load(const struct block_walk *walk, const uint8_t *at)
{
	return tw_load32(at, TW_HOST_BE != walk->swapped);
}

/* Copies the part of @bytes that belongs to the length at the end of the block. @seen: offset of @bytes in the block */
static void take_tail(struct block_walk *walk, uint32_t seen, const uint8_t *bytes, size_t len)
{
	const uint32_t tail = walk->len - (uint32_t)sizeof(walk->tail);
	const size_t skip = tail > seen ? tail - seen : 0;

	if (skip < len)
		memcpy(walk->tail + (seen + skip - tail), bytes + skip, len - skip);
}

static void block__begin(struct block_walk *walk)
{
	if (load(walk, walk->head) == TW_PCAPNG_SHB) {
		walk->swapped = tw_load32(walk->head + 8, TW_HOST_BE) != TW_PCAPNG_BYTE_ORDER_MAGIC;
		walk->bad = load(walk, walk->head + 8) != TW_PCAPNG_BYTE_ORDER_MAGIC;
	} else {
		walk->bad = !walk->whole && !walk->continued;
	}
	walk->len = load(walk, walk->head + 4);
	if (walk->len < TW_PCAPNG_BLOCK_MIN || walk->len % 4 || walk->len > BLOCK_CAP)
		walk->bad = true;
	else
		take_tail(walk, 0, walk->head, sizeof(walk->head));
}

static void block__end(struct block_walk *walk)
{
	if (load(walk, walk->tail) != walk->len) {
		walk->bad = true;
		return;
	}
	walk->whole += walk->len;
	walk->len = walk->seen = 0;
}

/* Consumes bytes up to the end of a block's head, or of a block. Return: number of consumed bytes, at least one */
static size_t walk__step(struct block_walk *walk, const uint8_t *bytes, size_t len)
{
	const uint32_t end = walk->len ? walk->len : TW_PCAPNG_BLOCK_MIN;
	const size_t n = len < end - walk->seen ? len : end - walk->seen;

	if (walk->len)
		take_tail(walk, walk->seen, bytes, n);
	else
		memcpy(walk->head + walk->seen, bytes, n);
	walk->seen += (uint32_t)n;
	if (walk->seen < end)
		return n;
	if (!walk->len)
		block__begin(walk);
	if (!walk->bad && walk->seen == walk->len)
		block__end(walk);
	return n;
}

/* Return: false if the bytes are not pcapng */
static bool walk__feed(struct block_walk *walk, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	while (len && !walk->bad) {
		const size_t n = walk__step(walk, at, len);

		at += n;
		len -= n;
	}
	return !walk->bad;
}

enum { BLOCK_RAW, BLOCK_RLE, BLOCK_COMPRESSED, BLOCK_RESERVED };

struct zstd_block {
	uint64_t at;
	uint32_t len; /* including its header */
	bool last;
};

/* A zstd frame in a file, which is read block by block. The first "block" is the header of the frame. */
struct zstd_frame {
	int fd;
	uint64_t size;
	struct zstd_block block;
};

/* Return: 1; 0 if the file ends before @at + @len; errors of pread() */
static int frame__read(const struct zstd_frame *f, uint64_t at, void *to, size_t len)
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

/* Return: 1 if a frame written by Tracewire begins; 0 if the file ends in its head; -EBADMSG; errors of pread() */
static int frame__begin(struct zstd_frame *f, int fd, uint64_t size)
{
	static const uint8_t ours[TW_ZSTD_HEAD - 1] = { 0x28, 0xb5, 0x2f, 0xfd, 0 };
	uint8_t head[TW_ZSTD_HEAD];
	const size_t n = size < sizeof(head) ? (size_t)size : sizeof(head);
	int got;

	*f = (struct zstd_frame){ fd, size, { .at = 0, .len = TW_ZSTD_HEAD } };
	got = frame__read(f, 0, head, n);
	if (got <= 0)
		return got;
	if (memcmp(head, ours, n < sizeof(ours) ? n : sizeof(ours)) != 0)
		return -EBADMSG;
	return n == sizeof(head);
}

/* Return: 1 if a whole block follows; 0 if the frame or the file has ended; -EBADMSG; errors of pread() */
static int frame__next(struct zstd_frame *f)
{
	const uint64_t at = f->block.at + f->block.len;
	uint8_t head[TW_ZSTD_BLOCK_HEAD];
	uint32_t word, len;
	const int got = f->block.last ? 0 : frame__read(f, at, head, sizeof(head));

	if (got <= 0)
		return got;
	word = head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16;
	len = word >> 3;
	if (len > TW_ZSTD_BLOCK_MAX || (word >> 1 & 3) == BLOCK_RESERVED)
		return -EBADMSG;
	if ((word >> 1 & 3) == BLOCK_RLE)
		len = 1;
	if (TW_ZSTD_BLOCK_HEAD + len > f->size - at)
		return 0;
	f->block = (struct zstd_block){ at, TW_ZSTD_BLOCK_HEAD + len, word & 1 };
	return 1;
}

static void end__set(struct file_end *end, const struct zstd_block *block)
{
	*end = (struct file_end){ .size = block->at + block->len, .open = !block->last, .last = block->at };
}

/* Finds the end of the zstd block that ends at @known. If the next block is whole and the last of the frame, finds its end instead. */
static int find_known(struct zstd_frame *f, uint64_t known, struct file_end *end)
{
	int more;

	while ((more = frame__next(f)) > 0 && !f->block.last && f->block.at + f->block.len <= known)
		end__set(end, &f->block);
	if (more > 0 && f->block.last)
		end__set(end, &f->block);
	return more < 0 ? more : end->size < known ? -EBADMSG : 0;
}

struct zstd_walk {
	ZSTD_DCtx *zstd;
	struct block_walk blocks;
	uint64_t plain;
	uint8_t in[TW_ZSTD_BLOCK_HEAD + TW_ZSTD_BLOCK_MAX], out[TW_ZSTD_BLOCK_MAX];
};

/* Return: 0; -EBADMSG */
static int zstd_walk__feed(struct zstd_walk *walk, size_t len, uint64_t plain_max)
{
	ZSTD_inBuffer in = { walk->in, len, 0 };
	ZSTD_outBuffer out = { walk->out, sizeof(walk->out), 0 };

	do {
		const size_t before = in.pos;

		out.pos = 0;
		if (ZSTD_isError(ZSTD_decompressStream(walk->zstd, &out, &in)))
			return -EBADMSG;
		walk->plain += out.pos;
		if (walk->plain > plain_max || !walk__feed(&walk->blocks, walk->out, out.pos) ||
		    (in.pos == before && !out.pos && in.pos < in.size))
			return -EBADMSG;
	} while (in.pos < in.size || out.pos == out.size);
	return 0;
}

/* Finds the end of the last zstd block after which no pcapng block is incomplete. */
static int zstd_walk__find_end(struct zstd_walk *walk, struct zstd_frame *f, struct file_end *end)
{
	const struct zstd_block *block = &f->block;
	int more;

	do {
		int err = frame__read(f, block->at, walk->in, block->len);

		if (err > 0)
			err = zstd_walk__feed(walk, block->len, PLAIN_MIN + RATIO_MAX * (block->at + block->len));
		if (err < 0)
			return err;
		if (block->last || (block->at && !walk->blocks.seen))
			end__set(end, block);
		more = frame__next(f);
	} while (more > 0);
	return more;
}

static int find_whole(struct zstd_frame *f, struct file_end *end)
{
	struct zstd_walk *walk = calloc(1, sizeof(*walk));
	int err = -ENOMEM;

	if (walk)
		walk->zstd = ZSTD_createDCtx();
	if (walk && walk->zstd) {
		ZSTD_DCtx_setParameter(walk->zstd, ZSTD_d_windowLogMax, TW_ZSTD_WINDOW_LOG);
		err = zstd_walk__find_end(walk, f, end);
		ZSTD_freeDCtx(walk->zstd);
	}
	free(walk);
	return err;
}

/*
 * @known: an offset up to which the file is whole; 0 = unknown, so the frame is decompressed
 * Return: 0; -EBADMSG: not written by Tracewire, or damaged before the end; -ENOMEM; errors of pread().
 */
static int find_end_of_frame(int fd, uint64_t known, uint64_t size, struct file_end *ret)
{
	struct file_end end = { .size = 0 };
	struct zstd_frame f;
	int err = frame__begin(&f, fd, size);

	if (err > 0)
		err = known ? find_known(&f, known, &end) : find_whole(&f, &end);
	if (!err && end.size && !end.open && end.size < size)
		err = -EBADMSG;
	if (!err)
		*ret = end;
	return err;
}

static int find_end_of_blocks(int fd, uint64_t known, struct file_end *ret)
{
	struct block_walk walk = { .continued = known > 0 };
	uint8_t piece[PIECE];
	ssize_t n;

	for (uint64_t at = known; (n = pread(fd, piece, sizeof(piece), (off_t)at)); at += (uint64_t)n) {
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n < 0)
			return -errno;
		if (!walk__feed(&walk, piece, (size_t)n))
			return -EBADMSG;
	}
	ret->size = known + walk.whole;
	return 0;
}

/* Finds the end of a plain or a compressed file, according to its first bytes. */
static int find_end(int fd, uint64_t known, uint64_t size, struct file_end *ret)
{
	static const uint8_t zstd[4] = { 0x28, 0xb5, 0x2f, 0xfd }, section[4] = { 0x0a, 0x0d, 0x0d, 0x0a };
	uint8_t head[4];
	const ssize_t n = pread(fd, head, sizeof(head), 0);

	*ret = (struct file_end){ .size = size };
	if (n < 0)
		return -errno;
	if (!memcmp(head, section, (size_t)n))
		return find_end_of_blocks(fd, known, ret);
	return memcmp(head, zstd, (size_t)n) ? -EBADMSG : find_end_of_frame(fd, known, size, ret);
}

/* Truncates the file before it ends the zstd frame: if the process is killed in between, a later repair can end the frame. */
static int apply(int fd, uint64_t size, const struct file_end *end)
{
	uint8_t head;

	if (end->size < size && ftruncate(fd, (off_t)end->size))
		return -errno;
	if (!end->open)
		return 0;
	if (pread(fd, &head, 1, (off_t)end->last) != 1)
		return -EIO;
	head |= 1;
	return pwrite(fd, &head, 1, (off_t)end->last) == 1 ? 0 : -EIO;
}

int tw_output__repair_fd(int fd, uint64_t known, bool dry_run, struct tw_repair *ret)
{
	struct file_end end;
	struct stat st;
	uint64_t size;
	int err;

	if (fstat(fd, &st))
		return -errno;
	size = (uint64_t)st.st_size;
	if (!S_ISREG(st.st_mode) || known > size)
		return -EBADMSG;
	err = find_end(fd, known, size, &end);
	if (!err && !dry_run)
		err = apply(fd, size, &end);
	if (!err)
		*ret = (struct tw_repair){ .size = end.size, .cut = size - end.size, .closed = end.open };
	return err;
}

static int open_file(const char *path, bool dry_run)
{
	return open(path, (dry_run ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

static int explain(int err, const char *path, struct tw_error *error)
{
	if (err == -EBADMSG)
		return tw_error__set(
			error, err,
			"repairing %s: the file is damaged before its end, or was not written by Tracewire; it stays unchanged",
			path);
	return tw_error__set(error, err, "repairing %s: %s", path, strerror(-err));
}

int tw_output__repair(const char *path, uint64_t known, bool dry_run, struct tw_repair *ret, struct tw_error *error)
{
	const int fd = open_file(path, dry_run);
	int err;

	if (fd < 0)
		return explain(-errno, path, error);
	err = tw_output__repair_fd(fd, known, dry_run, ret);
	close(fd);
	return err ? explain(err, path, error) : 0;
}

/* If another file has the noted name by now, it is not changed. Return: 0; -ENOENT if the noted file is gone */
static int repair_noted(const struct tw_noted *noted, bool dry_run, struct tw_repair *ret)
{
	const int fd = open_file(noted->path, dry_run);
	struct stat st;
	int err = -ENOENT;

	if (fd < 0)
		return errno == ELOOP || errno == ENOTDIR ? -ENOENT : -errno;
	if (!fstat(fd, &st) && st.st_dev == noted->device && st.st_ino == noted->inode)
		err = tw_output__repair_fd(fd, noted->whole, dry_run, ret);
	close(fd);
	return err;
}

static void tell_repaired(tw_repair_tell *tell, void *ctx, const char *path, const struct tw_repair *repair, int err)
{
	struct tw_error why;

	if (err && err != -ENOENT) {
		explain(err, path, &why);
		tell(ctx, path, repair, why.text);
	} else if (!err && (repair->cut || repair->closed)) {
		tell(ctx, path, repair, NULL);
	}
}

struct repair_job {
	bool dry_run;
	tw_repair_tell *tell;
	void *ctx;
};

/* A note is removed even if its file could not be repaired: that was reported, and the next attempt would give the same result. */
static int look_at_note(struct tw_state_file *file, void *ctx, struct tw_error *error)
{
	const struct repair_job *job = ctx;
	struct tw_repair repair = { .size = 0 };
	struct tw_noted noted;
	int err;

	(void)error;
	if (tw_state_file__try_lock(file))
		return 0;
	err = tw_note__read(file, &noted);
	if (!err)
		tell_repaired(job->tell, job->ctx, noted.path, &repair, repair_noted(&noted, job->dry_run, &repair));
	if (!job->dry_run && (!err || err == -ENODATA))
		tw_state_file__remove(file);
	return 0;
}

int tw_output__repair_left(bool dry_run, tw_repair_tell *tell, void *ctx, struct tw_error *error)
{
	struct repair_job job = { dry_run, tell, ctx };

	return tw_state_file__each(TW_NOTES, look_at_note, &job, error);
}

/* Repairs a file unless another process has locked it to write it. Return: 0; -ENOENT if it is locked; another -errno */
static int repair_unlocked(const char *path, struct tw_repair *ret)
{
	const int fd = open_file(path, false);
	int err = -ENOENT;

	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		err = tw_output__repair_fd(fd, 0, false, ret);
	close(fd);
	return err;
}

void tw_output__repair_newest(const char *path, tw_repair_tell *tell, void *ctx)
{
	struct tw_repair repair = { .size = 0 };
	char newest[PATH_MAX];

	if (!tw_file_names__newest(path, newest, sizeof(newest)))
		tell_repaired(tell, ctx, newest, &repair, repair_unlocked(newest, &repair));
}
