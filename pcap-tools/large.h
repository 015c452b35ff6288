/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for large amounts of data. */
#ifndef TW_LARGE_H
#define TW_LARGE_H

#include <stddef.h>

#define TW_LARGE_ALIGN ((size_t)4096)

/**
 * tw_large__alloc() - memory that begins with huge pages, if the kernel has them and the size is sufficient: data that is copied through
 * it once then needs few TLB entries
 * @size: bytes
 * @hot: number of bytes at the beginning that are used all the time; the others stay in small pages, which use memory only when they are
 * touched
 *
 * Return: address at a multiple of TW_LARGE_ALIGN, not zeroed, to be freed with free(); NULL without memory.
 */
void *tw_large__alloc(size_t size, size_t hot);

/**
 * tw_large__copy() - copy data that this CPU does not read again, bypassing its caches if possible
 * @to: at a multiple of 16; @from at any
 *
 * Memory that a device or another CPU has just read is slow to write in small pieces; this writes whole cache lines and does not wait
 * for any.
 */
void tw_large__copy(void *to, const void *from, size_t len);

#endif
