/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Things by a 64-bit number that strangers choose: ids of streams. Each table has secrets of its own, so hardly any ids fall on
 * one place, whatever they are. What is found does not depend on the secrets.
 */
#ifndef TW_ID_TABLE_H
#define TW_ID_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct tw_id_slot {
	uint64_t id;
	void *value; /* NULL = free */
};

/* Empty if zeroed. It grows as it must: how much is put into it is for its user to bound. */
struct tw_id_table {
	struct tw_id_slot *slots; /* open addressing, at most a quarter full; NULL until there was something in it */
	size_t n;
	unsigned int bits;  /* there are 1 << bits slots */
	uint64_t secret[2]; /* of the hash */
};

/*
 * Internal, as the next two: where the search for an id begins.
 *
 * The upper bits of a product with an unknown odd number: two ids, whatever they are, fall on one slot with a probability of
 * 2 / slots at most. Before that splitmix64's first step breaks up rows of ids, which would else come to stand in rows.
 */
static inline size_t tw_id_table__home(const struct tw_id_table *table, uint64_t id)
{
	uint64_t hash = id + table->secret[0];

	hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
	hash = (hash ^ hash >> 27) * table->secret[1];
	return (size_t)(hash >> (64 - table->bits));
}

static inline size_t tw_id_table__last(const struct tw_id_table *table)
{
	return ((size_t)1 << table->bits) - 1;
}

/* The slot of that id, or the free one where it belongs; once there are slots. */
static inline struct tw_id_slot *tw_id_table__slot(const struct tw_id_table *table, uint64_t id)
{
	size_t at = tw_id_table__home(table, id);

	while (table->slots[at].value && table->slots[at].id != id)
		at = (at + 1) & tw_id_table__last(table);
	return &table->slots[at];
}

/** tw_id_table__find() - what was put there for that id; NULL if nothing was */
static inline void *tw_id_table__find(const struct tw_id_table *table, uint64_t id)
{
	return table->slots ? tw_id_table__slot(table, id)->value : NULL;
}

/**
 * tw_id_table__put() - from now on that is what the id stands for
 * @value: borrowed, not NULL
 *
 * Return: 0; -ENOMEM, the table as before. Not that in the place of one that was removed.
 */
int tw_id_table__put(struct tw_id_table *table, uint64_t id, void *value);

/** tw_id_table__remove() - nothing stands for the id any more, if something did */
void tw_id_table__remove(struct tw_id_table *table, uint64_t id);

/** tw_id_table__fini() - empty again */
void tw_id_table__fini(struct tw_id_table *table);

#endif
