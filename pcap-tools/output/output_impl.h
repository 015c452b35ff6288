/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of output/ share: output.c writes, disk.c places the bytes of a file on its disk. Used inside output/ only. */
#ifndef TW_OUTPUT_IMPL_H
#define TW_OUTPUT_IMPL_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <time.h>

#include "base/state_file.h"
#include "pcap-tools/output/output.h"
#include "pcap-tools/output/pipe.h"

/*
 * The note below /run/tracewire about a file that is being written: its path, and up to where it is whole. It is named after the
 * file's device and inode, so that two processes cannot write one file.
 */
#define TW_NOTES "output-" /* how their names begin */

/* All zero: there is none, and nothing is noted. */
struct tw_note {
	struct tw_state_file file;
	bool open;
};

/** tw_note__busy() - the sentence for a file that another process writes. Return: -EBUSY */
int tw_note__busy(const char *path, struct tw_error *error);

/** tw_note__open() - for an open file. Return: 0, also if there can be none; -EBUSY if another process has one */
int tw_note__open(struct tw_note *note, int fd, const char *path, struct tw_error *error);

/** tw_note__move() - the file is whole up to there, and can be looked at from there */
void tw_note__move(const struct tw_note *note, uint64_t whole);

/** tw_note__close() - the file is as it should be */
void tw_note__close(struct tw_note *note);

/* What stands in one. */
struct tw_noted {
	uint64_t whole, device, inode;
	char path[PATH_MAX];
};

/** tw_note__read() - Return: 0; -ENODATA if nothing of use stands in it; another -errno */
int tw_note__read(const struct tw_state_file *file, struct tw_noted *ret);

/**
 * tw_file_names__make() - of one of several files, as dumpcap makes it of the path: number and local time before the ending; .zst and
 * what is before it are one
 * Return: 0; -ENAMETOOLONG
 */
int tw_file_names__make(const char *path, uint64_t number, time_t time, char *ret, size_t size);

/**
 * tw_file_names__newest() - of the files that have such names for that path, the one that was written last; links are none
 * Return: 0; -ENOENT if there is none; -ENAMETOOLONG; what opendir() said
 */
int tw_file_names__newest(const char *path, char *ret, size_t size);

/*
 * A zstd frame (RFC 8878) that can be ended after any of its blocks: it has no checksum and no content size, and the mark of a last
 * block is a bit of its header, which can be set in place. A file is one frame: Wireshark 4.0 looks for the magic number of the next
 * frame where its read buffer begins, and so reads a second one only if that begins there.
 */
#define TW_ZSTD_HEAD       6                   /* bytes: magic number, descriptor, window */
#define TW_ZSTD_BLOCK_HEAD 3                   /* bytes */
#define TW_ZSTD_BLOCK_MAX  ((size_t)128 << 10) /* bytes of a block, compressed or not */
#define TW_ZSTD_WINDOW_LOG 20                  /* how far back a reader has to remember: 1 MiB */

struct tw_zstd_stream;

/* Takes what is compressed. Return: 0 or -errno, which is handed through */
typedef int tw_zstd_put(void *ctx, const void *bytes, size_t len);

/** tw_zstd_stream__new() - Return: 0, -ENOMEM */
int tw_zstd_stream__new(tw_zstd_put *put, void *ctx, struct tw_zstd_stream **ret);

void tw_zstd_stream__free(struct tw_zstd_stream *z);

/** tw_zstd_stream__write() - compress and put all of it, in whole zstd blocks. Return: 0, -ENOMEM, what put said: all is over then */
int tw_zstd_stream__write(struct tw_zstd_stream *z, const void *bytes, size_t len);

/** tw_zstd_stream__end() - end the frame, if one is begun; what is written next begins another */
int tw_zstd_stream__end(struct tw_zstd_stream *z);

/**
 * tw_zstd_stream__last_head() - what stands before bytes that are not compressed and end a frame, which needs nothing of what was before
 * @begins: there is no frame yet
 * @len: of these bytes, at most TW_ZSTD_BLOCK_MAX
 * @ret: TW_ZSTD_HEAD + TW_ZSTD_BLOCK_HEAD bytes at most
 * Return: the number of bytes written.
 */
size_t tw_zstd_stream__last_head(bool begins, size_t len, uint8_t *ret);

/* Files that were ended, the oldest first. */
struct tw_output_ring {
	char **names;
	uint32_t first, n, max; /* max 0: none is kept in mind */
};

struct tw_output {
	struct tw_output_options options; /* but for its texts */
	char path[PATH_MAX], name[PATH_MAX];
	int fd;              /* -1 = none is open */
	int again;           /* the same file, to be read too; -1 = it is none, or may not be */
	bool own;            /* opened and closed here */
	bool rotates;        /* there are several files */
	bool is_pipe;        /* see tw_output__is_pipe() */
	struct tw_pipe pipe; /* if so */

	bool ending;                 /* the reserve may be used */
	bool ended;                  /* its last blocks are there, and a zstd frame has its end */
	bool broken;                 /* the file has to be cut after o->bytes */
	int err;                     /* the first failure */
	uint64_t late;               /* ns that writing to a file took after the deadline */
	uint64_t gone, gone_bytes;   /* files that somebody else removed while they were written; bytes in them */
	uint64_t bytes;              /* in the file */
	uint64_t put;                /* of them by this call */
	uint64_t next_at;            /* CLOCK_MONOTONIC, when the next file begins; UINT64_MAX = no time is set */
	struct tw_zstd_stream *zstd; /* NULL = not compressed */
	struct tw_output_ring ring;
	struct tw_note note;
	struct tw_output_stats stats;    /* its bytes: in files that were ended */
	struct tw_output_stats reported; /* all bytes, as of the last call */
	void (*begin)(void *ctx);        /* see tw_output__watch() */
	void (*done)(void *ctx);
	void *ctx;

	/* disk.c */
	uint64_t base;        /* offset in the file where our bytes begin */
	uint64_t reserved;    /* the disk is ours up to this offset; 0 = not known */
	uint64_t limit;       /* the largest size that the file may have */
	bool reserves;        /* the file system can reserve */
	bool direct;          /* the file takes O_DIRECT */
	uint64_t direct_from; /* CLOCK_MONOTONIC: no O_DIRECT before, as the disk was slow */
	uint64_t cached_for;  /* ns without O_DIRECT, the next time that the disk is slow; 0 = it never was */
	uint8_t *area;        /* that direct writes go from; NULL until the first */
};

static inline bool tw_output__is_no_space(int err)
{
	return err == -ENOSPC || err == -EDQUOT;
}

/* The offset in the file where our bytes end. */
static inline uint64_t tw_output__file_end(const struct tw_output *o)
{
	return o->base + o->bytes;
}

/** tw_output__put() - write all of it where the file stands; frees space where it can. Return: 0, or what write() said */
int tw_output__put(void *ctx, const void *bytes, size_t len);

/** tw_output__was_late() - a write to a file took from @begun, CLOCK_MONOTONIC in ns, until now */
void tw_output__was_late(struct tw_output *o, uint64_t begun);

/** tw_disk__begin() - for a file that was just opened */
void tw_disk__begin(struct tw_output *o);

/**
 * tw_disk__reserve() - the disk is ours for @len bytes more, and for what is kept back after them
 * Return: 0, also where the file system cannot promise that; -ENOSPC, -EDQUOT, -EFBIG
 */
int tw_disk__reserve(struct tw_output *o, size_t len);

/** tw_disk__release() - the file ends here */
void tw_disk__release(struct tw_output *o);

/**
 * tw_disk__put_direct() - of a large batch, all that is in whole blocks of the disk, past the page cache
 * @ret_put: bytes of it that need no tw_output__put() any more; any failure is left for that to find
 * Return: 0, or what tw_output__put() said
 */
int tw_disk__put_direct(struct tw_output *o, const uint8_t *bytes, size_t len, size_t *ret_put);

#endif
