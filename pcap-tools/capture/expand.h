/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the room. What zstd (RFC 8878) made smaller, read as it was; one frame or several behind each other. */
#ifndef TW_EXPAND_H
#define TW_EXPAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TW_EXPAND_MAGIC 4 /* bytes that tell */

struct tw_expand;

/** tw_expand__is_needed() - by the first bytes of a file, TW_EXPAND_MAGIC of them */
bool tw_expand__is_needed(const uint8_t *first);

/**
 * tw_expand__new() - @first: @len bytes that were read already; copied
 *
 * Memory is bounded: a frame that needs more than zstd's usual 128 MiB to be read is refused as if it were damaged.
 *
 * Return: 0, -ENOMEM
 */
int tw_expand__new(int fd, const uint8_t *first, size_t len, struct tw_expand **ret);

/** tw_expand__free() - NULL is fine */
void tw_expand__free(struct tw_expand *e);

/**
 * tw_expand__read() - as read(2)
 * Return: bytes; 0 at the end; -EBADMSG if it is damaged, or ends before its end; -errno of read().
 */
ssize_t tw_expand__read(struct tw_expand *e, uint8_t *buf, size_t size);

#endif
