/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that is freed all at once: the content of a parsed or bound filter. Bounded. */
#ifndef TW_ARENA_H
#define TW_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct tw_arena;

/** tw_arena__new() - @max: limit of all allocations, bytes. Return: NULL without memory */
struct tw_arena *tw_arena__new(size_t max);

/** tw_arena__free() - free it with all allocations; NULL is fine */
void tw_arena__free(struct tw_arena *arena);

/** tw_arena__take() - zeroed bytes, aligned for any type. Return: NULL without memory or beyond the limit */
void *tw_arena__take(struct tw_arena *arena, size_t size);

/** tw_arena__copy() - a copy of @len bytes with a NUL after them. Return: as tw_arena__take() */
void *tw_arena__copy(struct tw_arena *arena, const void *bytes, size_t len);

/** tw_arena__is_full() - whether an allocation failed because of the limit */
bool tw_arena__is_full(const struct tw_arena *arena);

/** tw_arena__taken() - bytes allocated */
size_t tw_arena__taken(const struct tw_arena *arena);

#endif
