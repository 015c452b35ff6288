/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table with keys and values of fixed sizes. The entries are in an array, in order of insertion; a removal changes this order. An
 * index with open addressing finds the entry of a key. Keys are untrusted: each table has random secrets, so that an attacker cannot choose
 * colliding keys. The secrets determine only positions in the index, not the results of the functions.
 */
#ifndef TW_HASH_TABLE_H
#define TW_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

struct tw_hash_table {
	/* Set by the caller before the first put. */
	const struct tw_alloc *alloc; /* NULL = malloc(); must outlive the table */
	uint32_t key_size;            /* bytes, at least 1; padding in a key must be zeroed */
	uint32_t value_size;          /* bytes; 0 = a set: keys without values */
	uint32_t max;                 /* largest number of entries; 0 = 1 << 29, if memory permits */

	uint32_t n;         /* number of entries; the caller may read this and the members below, but not change them */
	uint32_t room;      /* number of entries for which memory is allocated */
	uint32_t stride;    /* size of an entry, bytes: key and value, each padded to a multiple of 8 */
	char *entries;      /* array of @n entries, @stride bytes each */
	uint32_t *index;    /* each slot has the position of an entry in @entries, plus 1; 0 = free slot */
	unsigned int bits;  /* @index has 1 << bits slots, which is 4 * @room */
	uint64_t secret[2]; /* random secrets of the hash function */
};

/*
 * Compute one round of the hash. This function, tw_hash_table__hash_u64() and tw_hash_table__search() are internal.
 *
 * After multiplication with a secret odd number, two different words have the same n upper bits with a probability of at most 2 / 2^n.
 * Before the multiplication, the first step of splitmix64 breaks up sequences of keys, which would otherwise fill neighbouring slots.
 */
static inline uint64_t tw_hash_table__mix(const struct tw_hash_table *table, uint64_t word)
{
	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
	return (word ^ word >> 27) * table->secret[1];
}

static inline uint64_t tw_hash_table__hash_u64(const struct tw_hash_table *table, uint64_t key)
{
	return tw_hash_table__mix(table, key + table->secret[0]);
}

/* Return: the index slot of @key, or the free slot where it would be added. table->index must not be NULL. */
static inline size_t tw_hash_table__search(const struct tw_hash_table *table, const void *key, size_t key_size,
					   uint64_t hash)
{
	const size_t last = ((size_t)1 << table->bits) - 1;
	size_t at = (size_t)(hash >> (64 - table->bits));

	while (table->index[at] &&
	       memcmp(table->entries + (table->index[at] - 1) * (size_t)table->stride, key, key_size) != 0)
		at = (at + 1) & last;
	return at;
}

/** tw_hash_table__find_u64() - find the value of a key of 8 bytes. Return: NULL if not found; in a set, do not dereference the result */
static inline void *tw_hash_table__find_u64(const struct tw_hash_table *table, uint64_t key)
{
	size_t at;

	if (!table->n)
		return NULL;
	at = tw_hash_table__search(table, &key, sizeof(key), tw_hash_table__hash_u64(table, key));
	return table->index[at] ? table->entries + (table->index[at] - 1) * (size_t)table->stride + sizeof(key) : NULL;
}

/**
 * tw_hash_table__find() - like tw_hash_table__find_u64(), for a key of key_size bytes
 * The results of both functions are valid until the next put or remove.
 */
void *tw_hash_table__find(const struct tw_hash_table *table, const void *key);

/**
 * tw_hash_table__put() - find the entry of @key, or add it
 * @ret: the entry's value, zeroed if the entry is new; valid until the next put or remove; may be NULL
 * Return: 1 if the entry is new, 0 if it existed; -E2BIG if the table has max entries; -ENOMEM. After an error, the table is unchanged.
 */
int tw_hash_table__put(struct tw_hash_table *table, const void *key, void **ret);

/** tw_hash_table__put_u64() - like tw_hash_table__put(), for a key of 8 bytes */
static inline int tw_hash_table__put_u64(struct tw_hash_table *table, uint64_t key, void **ret)
{
	return tw_hash_table__put(table, &key, ret);
}

/**
 * tw_hash_table__remove() - remove the entry of @key, and move the last entry of the array to its position
 * After a removal, the next put allocates no memory. Return: whether the key existed.
 */
bool tw_hash_table__remove(struct tw_hash_table *table, const void *key);

static inline bool tw_hash_table__remove_u64(struct tw_hash_table *table, uint64_t key)
{
	return tw_hash_table__remove(table, &key);
}

/** tw_hash_table__value(), tw_hash_table__key() - the value and the key of entry number @i; @i < n */
static inline void *tw_hash_table__value(const struct tw_hash_table *table, uint32_t i)
{
	return table->entries + i * (size_t)table->stride + ((table->key_size + 7) & ~7u);
}

static inline const void *tw_hash_table__key(const struct tw_hash_table *table, uint32_t i)
{
	return table->entries + i * (size_t)table->stride;
}

/** tw_hash_table__memory() - memory that the table has allocated, bytes */
size_t tw_hash_table__memory(const struct tw_hash_table *table);

/** tw_hash_table__growth() - bytes by which tw_hash_table__memory() grows if one more key is put; 0 if the table has room */
size_t tw_hash_table__growth(const struct tw_hash_table *table);

/** tw_hash_table__fini() - free the memory; alloc, key_size, value_size and max stay, and the table can be used again */
void tw_hash_table__fini(struct tw_hash_table *table);

/* The next functions are for tables whose keys have 8 bytes and whose values are borrowed pointers. An empty table may be all zero. */

/** tw_hash_table__pointer() - the pointer set for @key; NULL if the key was not set */
static inline void *tw_hash_table__pointer(const struct tw_hash_table *table, uint64_t key)
{
	void *const *value = (void *const *)tw_hash_table__find_u64(table, key);

	return value ? *value : NULL;
}

/** tw_hash_table__set_pointer() - set or replace the pointer of @key. Return: 0, or an error of tw_hash_table__put() */
int tw_hash_table__set_pointer(struct tw_hash_table *table, uint64_t key, void *pointer);

#endif
