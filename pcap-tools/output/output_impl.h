/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of output/: output.c writes files and pipes, disk.c reserves disk space and writes with O_DIRECT. */
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
 * The note below /run/tracewire about a file that is being written: the path of the file, and the offset up to which the file is whole. The
 * note is named after the file's device and inode, and locked. So two processes with notes cannot write one file.
 */
#define TW_NOTES "output-" /* beginning of the notes' names */

/** tw_note__busy() - set the error for a file that another process writes. Return: -EBUSY */
int tw_note__busy(const char *path, struct tw_error *error);

/** tw_note__open() - create the note of an open file. Return: 0, also if notes are impossible; -EBUSY if another process has the note */
int tw_note__open(struct tw_state_file *note, int fd, const char *path, struct tw_error *error);

/** tw_note__move() - write to the note that the file is whole up to the offset @whole; a repair begins there */
void tw_note__move(const struct tw_state_file *note, uint64_t whole);

/** tw_note__close() - remove the note, because the file was ended */
void tw_note__close(struct tw_state_file *note);

/* Content of a note. */
struct tw_noted {
	uint64_t whole, device, inode;
	char path[PATH_MAX];
};

/** tw_note__read() - read a note. Return: 0; -ENODATA if the note has no usable content; another -errno */
int tw_note__read(const struct tw_state_file *file, struct tw_noted *ret);

/** tw_file_names__is_compressed() - whether a name or path ends in .zst, after at least one other character */
bool tw_file_names__is_compressed(const char *name);

/**
 * tw_file_names__make() - make the name of one of several files, as dumpcap does: number and local time precede the suffix. A .zst and the
 * suffix before it count as one suffix
 * Return: 0; -ENAMETOOLONG
 */
int tw_file_names__make(const char *path, uint64_t number, time_t time, char *ret, size_t size);

/**
 * tw_file_names__newest() - find the file written last among those with names of tw_file_names__make(); ignores symbolic links
 * Return: 0; -ENOENT if there is none; -ENAMETOOLONG; errors of opendir()
 */
int tw_file_names__newest(const char *path, char *ret, size_t size);

/*
 * Makes zstd frames (RFC 8878) that can be ended after any block: they have no checksum and no content size, and the mark of the last block
 * is a bit in the block's header, which can be set in the file. A file is one frame, because Wireshark 4.0 looks for the magic number of
 * the next frame only at the beginning of its read buffer. It would miss a frame that begins elsewhere.
 */
#define TW_ZSTD_HEAD       6                   /* bytes: magic number, descriptor, window */
#define TW_ZSTD_BLOCK_HEAD 3                   /* bytes */
#define TW_ZSTD_BLOCK_MAX  ((size_t)128 << 10) /* bytes of a block, compressed or not */
#define TW_ZSTD_WINDOW_LOG 20                  /* window that a reader needs: 1 MiB */

struct tw_zstd_stream;

/** tw_zstd_stream__new() - make a compressor. @output: gets the compressed bytes, by tw_output__put(). Return: 0, -ENOMEM */
int tw_zstd_stream__new(struct tw_output *output, struct tw_zstd_stream **ret);

void tw_zstd_stream__free(struct tw_zstd_stream *z);

/** tw_zstd_stream__write() - compress and write all bytes, in whole zstd blocks. Return: 0; -ENOMEM, errors of tw_output__put() */
int tw_zstd_stream__write(struct tw_zstd_stream *z, const void *bytes, size_t len);

/** tw_zstd_stream__end() - end the frame, if one is open; the next write begins another */
int tw_zstd_stream__end(struct tw_zstd_stream *z);

/**
 * tw_zstd_stream__last_head() - make the header of an uncompressed last block, which can be read without the blocks before it
 * @begins: no frame is open yet, so the block is preceded by the head of a frame
 * @len: size of the block, at most TW_ZSTD_BLOCK_MAX
 * @ret: TW_ZSTD_HEAD + TW_ZSTD_BLOCK_HEAD bytes at most
 * Return: number of bytes of the header.
 */
size_t tw_zstd_stream__last_head(bool begins, size_t len, uint8_t *ret);

/* Files that were ended, oldest first. */
struct tw_output_ring {
	char **names;
	uint32_t first, n, max; /* max 0: no name is remembered */
};

struct tw_output {
	struct tw_output_options options; /* without its texts; its owner is the member below, or NULL */
	char path[PATH_MAX], name[PATH_MAX];
	int fd;    /* -1 = none is open */
	int again; /* another descriptor of the file, readable; -1 = no regular file, or not permitted */
	bool own;  /* the output opens and closes fd */
	struct tw_output_owner owner;
	bool rotates;        /* the output is several files */
	bool is_pipe;        /* see tw_output__is_pipe() */
	struct tw_pipe pipe; /* valid if is_pipe */

	bool ending;                 /* the file is being ended: the reserve may be used */
	bool ended;                  /* the file's last blocks are written, and its zstd frame has an end */
	bool broken;                 /* a write failed: the file must be truncated to `bytes` */
	int err;                     /* the first failure */
	uint64_t late;               /* ns that writes to a file took after the deadline */
	uint64_t gone, gone_bytes;   /* files that other programs removed during writing; bytes in these files */
	uint64_t bytes;              /* bytes in the file */
	uint64_t put;                /* those of `bytes` that the current call wrote */
	uint64_t next_at;            /* CLOCK_MONOTONIC, when the next file begins; UINT64_MAX = never */
	struct tw_zstd_stream *zstd; /* NULL = not compressed */
	struct tw_output_ring ring;
	struct tw_state_file note;       /* not open = the file has no note */
	struct tw_output_stats stats;    /* the member `bytes` counts only files that were ended */
	struct tw_output_stats reported; /* `stats` after the last call, with the bytes of the current file */
	void (*begin)(void *ctx);        /* see tw_output__watch() */
	void (*done)(void *ctx);
	void *ctx;

	/* disk.c */
	uint64_t base;        /* offset in the file at which the output began */
	uint64_t reserved;    /* the disk is reserved up to this offset; 0 = unknown */
	uint64_t limit;       /* the largest permitted size of the file */
	bool reserves;        /* the file system supports reserving */
	bool direct;          /* the file supports O_DIRECT */
	uint64_t direct_from; /* CLOCK_MONOTONIC, ns: no O_DIRECT before this time, because the disk was slow */
	uint64_t cached_for;  /* ns without O_DIRECT after the next slow write; 0 = no write was slow so far */
	uint8_t *area;        /* area for direct writes; NULL until the first */
};

static inline bool tw_output__is_no_space(int err)
{
	return err == -ENOSPC || err == -EDQUOT;
}

/* The offset in the file at which the output ends. */
static inline uint64_t tw_output__file_end(const struct tw_output *o)
{
	return o->base + o->bytes;
}

/** tw_output__put() - write all bytes at the current end. On a full disk, removes files of the ring. Return: 0, or errors of write() */
int tw_output__put(struct tw_output *o, const void *bytes, size_t len);

/** tw_output__was_late() - add to `late` the time that a write took after the deadline. @begun: its beginning, CLOCK_MONOTONIC, ns */
void tw_output__was_late(struct tw_output *o, uint64_t begun);

/** tw_disk__begin() - set `base`, `reserved`, `reserves` and `limit` for a file that was just opened */
void tw_disk__begin(struct tw_output *o);

/**
 * tw_disk__reserve() - allocate disk space for @len more bytes, and for the reserve after them
 * Return: 0, also if the file system does not support allocation; -ENOSPC, -EDQUOT, -EFBIG
 */
int tw_disk__reserve(struct tw_output *o, size_t len);

/** tw_disk__release() - free the disk space that is reserved after the end of the file; called when the file is ended */
void tw_disk__release(struct tw_output *o);

/**
 * tw_disk__put_direct() - write the part of a large batch that fills whole blocks of the disk, past the page cache
 * @ret_put: number of bytes that were written. The caller passes the rest to tw_output__put(), which also finds any failure
 * Return: 0, or errors of tw_output__put()
 */
int tw_disk__put_direct(struct tw_output *o, const uint8_t *bytes, size_t len, size_t *ret_put);

#endif
