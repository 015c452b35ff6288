/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An allocator that the caller chooses, for code that stores untrusted data. It takes memory from the heap or from a memory scope of
 * Wireshark. It may have a budget: a limit of allocated bytes. The caller also passes the size of freed memory, so that an allocator with a
 * budget need not store the size. A NULL allocator means malloc().
 */
#ifndef TW_ALLOC_H
#define TW_ALLOC_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct tw_alloc {
	/*
	 * Like realloc(3), but the caller also passes the old size. To allocate, pass @memory NULL and @old_size 0. To free @memory, pass
	 * @new_size 0.
	 * Return: NULL, with the old memory unchanged, if out of memory or if the budget is exceeded.
	 */
	void *(*resize)(void *ctx, void *memory, size_t old_size, size_t new_size);
	void *ctx;
};

/** tw_alloc__resize() - resize @memory; added bytes are not zeroed. Return: NULL if out of memory, with @memory unchanged */
static inline void *tw_alloc__resize(const struct tw_alloc *alloc, void *memory, size_t old_size, size_t new_size)
{
	return alloc ? alloc->resize(alloc->ctx, memory, old_size, new_size) : realloc(memory, new_size);
}

/** tw_alloc__new() - allocate zeroed memory. Return: NULL if out of memory */
static inline void *tw_alloc__new(const struct tw_alloc *alloc, size_t size)
{
	void *memory = alloc ? alloc->resize(alloc->ctx, NULL, 0, size) : calloc(1, size);

	if (alloc && memory)
		memset(memory, 0, size);
	return memory;
}

/** tw_alloc__free() - free @memory, which may be NULL; @size: its allocated size, bytes */
static inline void tw_alloc__free(const struct tw_alloc *alloc, void *memory, size_t size)
{
	if (!alloc)
		free(memory);
	else if (memory)
		alloc->resize(alloc->ctx, memory, size, 0);
}

#endif
