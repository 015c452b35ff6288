/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory through which much data goes. */
#ifndef TW_LARGE_H
#define TW_LARGE_H

#include <stddef.h>

#define TW_LARGE_ALIGN ((size_t)4096)

/**
 * tw_large__alloc() - memory that begins in huge pages, where the kernel has some and it is large enough for that: what goes through
 * it once, by a copy or to a disk, then costs few look-ups of pages
 * @size: bytes
 * @hot: of them those that are used all the time; the others stay in small pages, of which only those that are touched cost memory
 *
 * Return: at a multiple of TW_LARGE_ALIGN, not zeroed, to be freed with free(); NULL without memory.
 */
void *tw_large__alloc(size_t size, size_t hot);

/**
 * tw_large__copy() - copy what this CPU does not read again: past its caches, where it can
 * @to: at a multiple of 16; @from at any
 *
 * Memory that a device or another CPU has just read is slow to write to piece by piece; this writes whole lines, and waits for none.
 */
void tw_large__copy(void *to, const void *from, size_t len);

#endif
