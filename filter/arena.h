/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An arena: an allocator with a limit, which frees all its allocations together. Most memory of a parsed or bound filter is in an arena. */
#ifndef TW_ARENA_H
#define TW_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct tw_arena;

/** tw_arena__new() - make an arena. @max: limit of the sum of all allocations, bytes. Return: NULL if out of memory */
struct tw_arena *tw_arena__new(size_t max);

/** tw_arena__free() - free an arena and all its allocations; @arena may be NULL */
void tw_arena__free(struct tw_arena *arena);

/** tw_arena__take() - allocate @size zeroed bytes, aligned for any type. Return: NULL if out of memory or beyond the arena's limit */
void *tw_arena__take(struct tw_arena *arena, size_t size);

/** tw_arena__copy() - allocate a copy of @len bytes, followed by a NUL. Return: NULL if out of memory or beyond the arena's limit */
void *tw_arena__copy(struct tw_arena *arena, const void *bytes, size_t len);

/** tw_arena__is_full() - whether an allocation failed because of the arena's limit */
bool tw_arena__is_full(const struct tw_arena *arena);

/** tw_arena__taken() - Return: sum of the sizes of all allocations, bytes; each size is rounded up for alignment */
size_t tw_arena__taken(const struct tw_arena *arena);

#endif
