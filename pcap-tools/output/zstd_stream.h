/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A zstd frame (RFC 8878) that can be ended behind any of its blocks: it has no checksum and no content size, and the mark of a last
 * block is a bit of its header, which can be set in place. A file is one frame: Wireshark 4.0 looks for the magic number of the next
 * frame where its read buffer begins, and so reads a second one only if that begins there. Used inside output/ only.
 */
#ifndef TW_OUTPUT_ZSTD_STREAM_H
#define TW_OUTPUT_ZSTD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
 * Return: how many.
 */
size_t tw_zstd_stream__last_head(bool begins, size_t len, uint8_t *ret);

#endif
