/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compressions that trace-cmd writes: zstd and zlib. */
#ifndef TW_TRACEDAT_UNPACK_H
#define TW_TRACEDAT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tw_unpack;

/** tw_unpack__new() - Return: 0; -ENOTSUP for a name that is neither "zstd" nor "zlib"; -ENOMEM */
int tw_unpack__new(const char *codec, struct tw_unpack **ret);

/** tw_unpack__free() - NULL is fine */
void tw_unpack__free(struct tw_unpack *unpack);

/** tw_unpack__run() - expand; never writes more than @to_len bytes. Return: whether it came to exactly as many */
bool tw_unpack__run(struct tw_unpack *unpack, const void *from, size_t from_len, void *to, size_t to_len);

#endif
