/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that is given back all at once: what a parsed or bound filter consists of. Bounded. */
#ifndef TW_ARENA_H
#define TW_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct tw_arena;

/** tw_arena__new() - @max: bytes it gives out at most. Return: NULL without memory */
struct tw_arena *tw_arena__new(size_t max);

/** tw_arena__free() - and everything from it; NULL is fine */
void tw_arena__free(struct tw_arena *arena);

/** tw_arena__take() - zeroed bytes, aligned for anything. Return: NULL without memory or beyond the bound */
void *tw_arena__take(struct tw_arena *arena, size_t size);

/** tw_arena__copy() - @len bytes with a NUL behind them. Return: as tw_arena__take() */
void *tw_arena__copy(struct tw_arena *arena, const void *bytes, size_t len);

/** tw_arena__is_full() - whether a take failed because of the bound */
bool tw_arena__is_full(const struct tw_arena *arena);

/** tw_arena__taken() - bytes given out */
size_t tw_arena__taken(const struct tw_arena *arena);

#endif
