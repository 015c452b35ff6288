/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table with keys and values of fixed sizes. Entries are in an array, in order of insertion; an index with open addressing finds
 * them. Keys are untrusted: each index has random secrets, so that colliding keys cannot be chosen. Results do not depend on the
 * secrets.
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
	uint32_t value_size;          /* bytes; 0 = a set */
	uint32_t max;                 /* limit of entries; 0 = only memory limits them */

	uint32_t n;         /* number of entries; read only, like the members below */
	uint32_t room;      /* number of entries for which memory is allocated */
	uint32_t stride;    /* of an entry, bytes: key and value, each padded to a multiple of 8 */
	char *entries;      /* of size stride */
	uint32_t *index;    /* number of an entry + 1; 0 = free */
	unsigned int bits;  /* the index has 1 << bits slots, four times @room */
	uint64_t secret[2]; /* of the hash */
};

/*
 * Internal, like the next two: one round of the hash.
 *
 * Two words have the same n upper bits after multiplication with an unknown odd number with a probability of at most 2 / 2^n. Before
 * that, the first step of splitmix64 breaks up sequences, which would otherwise fill neighbouring slots.
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

/* The slot of that key in the index, or the free slot for it; only if there is an index. */
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

/** tw_hash_table__find_u64() - the value of a key of 8 bytes; not to be read in a set. Return: NULL if there is no such key */
static inline void *tw_hash_table__find_u64(const struct tw_hash_table *table, uint64_t key)
{
	size_t at;

	if (!table->n)
		return NULL;
	at = tw_hash_table__search(table, &key, sizeof(key), tw_hash_table__hash_u64(table, key));
	return table->index[at] ? table->entries + (table->index[at] - 1) * (size_t)table->stride + sizeof(key) : NULL;
}

/** tw_hash_table__find() - the same for a key of key_size bytes. The value is valid until the next put or remove */
void *tw_hash_table__find(const struct tw_hash_table *table, const void *key);

/**
 * tw_hash_table__put() - the entry of that key, added if needed
 * @ret: its value, zeroed if it is new; valid until the next put or remove; may be NULL
 *
 * Return: 1 if it is new, 0 if it existed; -E2BIG beyond max, -ENOMEM, both with the table unchanged.
 */
int tw_hash_table__put(struct tw_hash_table *table, const void *key, void **ret);

/** tw_hash_table__put_u64() - the same for a key of 8 bytes */
static inline int tw_hash_table__put_u64(struct tw_hash_table *table, uint64_t key, void **ret)
{
	return tw_hash_table__put(table, &key, ret);
}

/** tw_hash_table__remove() - Return: whether it existed. The last entry moves to its place; the next put needs no memory */
bool tw_hash_table__remove(struct tw_hash_table *table, const void *key);

static inline bool tw_hash_table__remove_u64(struct tw_hash_table *table, uint64_t key)
{
	return tw_hash_table__remove(table, &key);
}

/** tw_hash_table__value() - of entry @i, which is below n; tw_hash_table__key(): its key */
static inline void *tw_hash_table__value(const struct tw_hash_table *table, uint32_t i)
{
	return table->entries + i * (size_t)table->stride + ((table->key_size + 7) & ~7u);
}

static inline const void *tw_hash_table__key(const struct tw_hash_table *table, uint32_t i)
{
	return table->entries + i * (size_t)table->stride;
}

/** tw_hash_table__memory() - memory of the table, bytes */
size_t tw_hash_table__memory(const struct tw_hash_table *table);

/** tw_hash_table__growth() - additional memory for one more key, bytes */
size_t tw_hash_table__growth(const struct tw_hash_table *table);

/** tw_hash_table__fini() - free all entries; the caller's settings stay */
void tw_hash_table__fini(struct tw_hash_table *table);

/* Borrowed pointers by keys of 8 bytes. The table may be all zero before the first one is set. */

/** tw_hash_table__pointer() - the pointer set for that key; NULL if none was */
static inline void *tw_hash_table__pointer(const struct tw_hash_table *table, uint64_t key)
{
	void *const *value = (void *const *)tw_hash_table__find_u64(table, key);

	return value ? *value : NULL;
}

/** tw_hash_table__set_pointer() - Return: 0, or as tw_hash_table__put() */
int tw_hash_table__set_pointer(struct tw_hash_table *table, uint64_t key, void *pointer);

#endif
