/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for large amounts of data. */
#ifndef TW_LARGE_H
#define TW_LARGE_H

#include <stddef.h>

#define TW_LARGE_ALIGN ((size_t)4096)

/**
 * tw_large__alloc() - allocate memory, with huge pages for the first @hot bytes if @hot is at least 1 MiB and the kernel has huge pages.
 * Accesses to these bytes then need few TLB entries
 * @size: bytes
 * @hot: number of bytes at the beginning that are used all the time; the other bytes are in small pages, which use memory only after an
 * access
 *
 * Return: memory at a multiple of TW_LARGE_ALIGN, not zeroed, to be freed with free(); NULL without memory.
 */
void *tw_large__alloc(size_t size, size_t hot);

#endif
