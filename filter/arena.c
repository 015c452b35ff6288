/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK 4096
#define BLOCK_MAX   (256 * 1024)

struct block {
	struct block *next;
	max_align_t data[];
};

struct tw_arena {
	struct block *blocks;
	uint8_t *at;  /* free bytes of the newest block */
	size_t left;  /* number of free bytes at `at` */
	size_t block; /* minimum size of the next block, bytes */
	size_t max;   /* limit of all allocations, bytes */
	size_t room;  /* bytes that may still be allocated */
	bool full;    /* an allocation exceeded the limit */
};

struct tw_arena *tw_arena__new(size_t max)
{
	struct tw_arena *arena = calloc(1, sizeof(*arena));

	if (arena) {
		arena->block = FIRST_BLOCK;
		arena->max = arena->room = max;
	}
	return arena;
}

void tw_arena__free(struct tw_arena *arena)
{
	struct block *next;

	if (!arena)
		return;
	for (struct block *block = arena->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	free(arena);
}

/*
 * Add a block of at least @size bytes. Each block doubles the minimum size of the next one, up to BLOCK_MAX. A small filter
 * therefore needs only one small block, and a large filter needs few malloc() calls.
 */
static bool grow(struct tw_arena *arena, size_t size)
{
	const size_t bytes = size > arena->block ? size : arena->block;
	struct block *block = malloc(sizeof(*block) + bytes);

	if (!block)
		return false;
	block->next = arena->blocks;
	arena->blocks = block;
	arena->at = (uint8_t *)block->data;
	arena->left = bytes;
	if (arena->block < BLOCK_MAX)
		arena->block *= 2;
	return true;
}

void *tw_arena__take(struct tw_arena *arena, size_t size)
{
	const size_t align = sizeof(max_align_t);
	void *p;

	if (size > arena->room || size > SIZE_MAX - align) {
		arena->full = true;
		return NULL;
	}
	size = (size + align - 1) / align * align;
	if (size > arena->left && !grow(arena, size))
		return NULL;
	p = memset(arena->at, 0, size);
	arena->at += size;
	arena->left -= size;
	arena->room -= size < arena->room ? size : arena->room;
	return p;
}

void *tw_arena__copy(struct tw_arena *arena, const void *bytes, size_t len)
{
	uint8_t *p = len < SIZE_MAX ? tw_arena__take(arena, len + 1) : NULL;

	if (p && len)
		memcpy(p, bytes, len);
	return p;
}

bool tw_arena__is_full(const struct tw_arena *arena)
{
	return arena->full;
}

size_t tw_arena__taken(const struct tw_arena *arena)
{
	return arena->max - arena->room;
}
