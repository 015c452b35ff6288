/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for large amounts of data. */
#ifndef TW_LARGE_H
#define TW_LARGE_H

#include <stddef.h>

#define TW_LARGE_ALIGN ((size_t)4096)

/**
 * tw_large__alloc() - allocate memory with huge pages for the first @hot bytes, if the kernel has huge pages and @hot is at least 1 MiB:
 * data that is copied through them needs few TLB entries
 * @size: bytes
 * @hot: number of bytes at the beginning that are used all the time; the other bytes stay in small pages, which use memory only when they
 * are touched
 *
 * Return: memory at a multiple of TW_LARGE_ALIGN, not zeroed, to be freed with free(); NULL without memory.
 */
void *tw_large__alloc(size_t size, size_t hot);

/**
 * tw_large__copy() - copy data that this CPU does not read again, bypassing its caches if possible
 * @to: aligned to 16 bytes; @from may have any alignment
 *
 * Small writes to memory that a device or another CPU has just read are slow. This function writes whole cache lines and does not wait
 * for them.
 */
void tw_large__copy(void *to, const void *from, size_t len);

#endif
