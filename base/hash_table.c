/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/hash_table.h"

#include <errno.h>
#include <sys/random.h>

#define FIRST_BITS   6
#define INDEX_FACTOR 4 /* minimum number of index slots per entry, so that few searches compare more than one entry */

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* Compute the hash of a key. For a key of 8 bytes, the result equals that of tw_hash_table__hash_u64(). */
static uint64_t hash_of(const struct tw_hash_table *table, const void *key)
{
	uint64_t hash = table->secret[0];

	for (size_t at = 0; at < table->key_size; at += sizeof(uint64_t)) {
		const size_t left = table->key_size - at;
		uint64_t word = 0;

		memcpy(&word, (const char *)key + at, left < sizeof(word) ? left : sizeof(word));
		hash = tw_hash_table__mix(table, hash + word);
	}
	return hash;
}

static size_t search(const struct tw_hash_table *table, const void *key)
{
	return tw_hash_table__search(table, key, table->key_size, hash_of(table, key));
}

void *tw_hash_table__find(const struct tw_hash_table *table, const void *key)
{
	const uint32_t number = table->n ? table->index[search(table, key)] : 0;

	return number ? tw_hash_table__value(table, number - 1) : NULL;
}

/* Shortly after boot, getrandom() may have no random bytes yet. The secrets are then made from an address. */
static void make_secret(struct tw_hash_table *table)
{
	if (getrandom(table->secret, sizeof(table->secret), GRND_NONBLOCK) < 0)
		table->secret[0] = table->secret[1] = (uintptr_t)table->index;
	table->secret[1] |= 1;
}

static size_t index_size(const struct tw_hash_table *table)
{
	return table->index ? sizeof(*table->index) << table->bits : 0;
}

static size_t entries_size(const struct tw_hash_table *table)
{
	return (size_t)table->room * table->stride;
}

static int grow(struct tw_hash_table *table)
{
	struct tw_hash_table larger = *table;

	larger.bits = table->index ? table->bits + 1 : FIRST_BITS;
	larger.room = (uint32_t)(((uint64_t)1 << larger.bits) / INDEX_FACTOR);
	larger.stride = (uint32_t)(padded(table->key_size) + padded(table->value_size));
	if (larger.bits > 31)
		return -ENOMEM;
	larger.index = tw_alloc__new(table->alloc, sizeof(*larger.index) << larger.bits);
	if (!larger.index)
		return -ENOMEM;
	larger.entries = tw_alloc__resize(table->alloc, table->entries, entries_size(table), entries_size(&larger));
	if (!larger.entries) {
		tw_alloc__free(table->alloc, larger.index, index_size(&larger));
		return -ENOMEM;
	}
	if (!table->index)
		make_secret(&larger);
	for (uint32_t i = 0; i < table->n; i++)
		larger.index[search(&larger, tw_hash_table__key(&larger, i))] = i + 1;
	tw_alloc__free(table->alloc, table->index, index_size(table));
	*table = larger;
	return 0;
}

static void add(struct tw_hash_table *table, const void *key)
{
	char *entry = table->entries + table->n * (size_t)table->stride;

	table->index[search(table, key)] = ++table->n;
	memset(entry, 0, table->stride);
	memcpy(entry, key, table->key_size);
}

int tw_hash_table__put(struct tw_hash_table *table, const void *key, void **ret)
{
	uint32_t number = table->n ? table->index[search(table, key)] : 0;
	const bool is_new = !number;

	if (is_new) {
		if (table->max && table->n >= table->max)
			return -E2BIG;
		if (table->n == table->room && grow(table))
			return -ENOMEM;
		add(table, key);
		number = table->n;
	}
	if (ret)
		*ret = tw_hash_table__value(table, number - 1);
	return is_new;
}

/*
 * Free the slot @hole of the index. A search stops at a free slot: a search that passes @hole would no longer find an entry in a later
 * slot. The first entry whose search passes @hole is therefore moved into @hole, and the slot that this entry leaves is the new @hole.
 */
static void free_slot(struct tw_hash_table *table, size_t hole)
{
	const size_t last = ((size_t)1 << table->bits) - 1;

	for (size_t at = (hole + 1) & last; table->index[at]; at = (at + 1) & last) {
		const uint64_t hash = hash_of(table, tw_hash_table__key(table, table->index[at] - 1));
		const size_t from_home = (at - (size_t)(hash >> (64 - table->bits))) & last;

		if (from_home < ((at - hole) & last))
			continue;
		table->index[hole] = table->index[at];
		hole = at;
	}
	table->index[hole] = 0;
}

bool tw_hash_table__remove(struct tw_hash_table *table, const void *key)
{
	const size_t slot = table->n ? search(table, key) : 0;
	const uint32_t number = table->n ? table->index[slot] : 0, last = table->n;

	if (!number)
		return false;
	if (number != last) {
		table->index[search(table, tw_hash_table__key(table, last - 1))] = number;
		memcpy(table->entries + (number - 1) * (size_t)table->stride,
		       table->entries + (last - 1) * (size_t)table->stride, table->stride);
	}
	free_slot(table, slot);
	table->n--;
	return true;
}

size_t tw_hash_table__memory(const struct tw_hash_table *table)
{
	return index_size(table) + entries_size(table);
}

size_t tw_hash_table__growth(const struct tw_hash_table *table)
{
	const size_t entry = padded(table->key_size) + padded(table->value_size);

	if (table->n < table->room)
		return 0;
	if (table->room)
		return tw_hash_table__memory(table);
	return (sizeof(*table->index) + entry / INDEX_FACTOR) << FIRST_BITS;
}

void tw_hash_table__fini(struct tw_hash_table *table)
{
	tw_alloc__free(table->alloc, table->index, index_size(table));
	tw_alloc__free(table->alloc, table->entries, entries_size(table));
	*table = (struct tw_hash_table){
		.alloc = table->alloc,
		.key_size = table->key_size,
		.value_size = table->value_size,
		.max = table->max,
	};
}

int tw_hash_table__set_pointer(struct tw_hash_table *table, uint64_t key, void *pointer)
{
	void *value;
	int err;

	table->key_size = sizeof(key);
	table->value_size = sizeof(pointer);
	err = tw_hash_table__put_u64(table, key, &value);
	if (err < 0)
		return err;
	memcpy(value, &pointer, sizeof(pointer));
	return 0;
}
