/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the room: records by key, and in the order in which they are told. */
#ifndef TW_METADATA_ITEMS_H
#define TW_METADATA_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "pcap-tools/metadata/metadata.h"

/* In the order of a replay. */
enum tw_item_class {
	TW_ITEM_HOST,
	TW_ITEM_FIRST_CLOCK, /* packet times come from it */
	TW_ITEM_CLOCK,
	TW_ITEM_SCHEMA,
	TW_ITEM_OLD_COMM, /* the name before the last one */
	TW_ITEM_COMM,
	TW_ITEM_SYMBOL,
	TW_ITEM_STATS,
	TW_ITEM_CLASSES,
};

struct tw_item_key {
	uint64_t first, second;
	enum tw_item_class class;
};

struct tw_item {
	struct tw_item *next; /* of its place in the table */
	TAILQ_ENTRY(tw_item) order;
	struct tw_item_key key;
	uint64_t schema_id; /* of the frame that it came in */
	uint8_t flags;      /* the same */
	uint16_t type;      /* of the TLV */
	uint32_t len;
	uint8_t value[];
};

TAILQ_HEAD(tw_item_list, tw_item);

struct tw_items {
	struct tw_item **table; /* chains; size is a power of two */
	size_t size, n;
	uint64_t seed;                 /* of the hash, so that nobody can choose keys that fall on one place */
	size_t memory;                 /* bytes, the table's included */
	struct tw_metadata_room *room; /* where they are counted too; NULL = nowhere */
	struct tw_item_list lists[TW_ITEM_CLASSES];
};

/** tw_items__init() - Return: 0, -ENOMEM */
int tw_items__init(struct tw_items *items, struct tw_metadata_room *room);

void tw_items__fini(struct tw_items *items);

/** tw_items__find() - Return: NULL if there is none */
struct tw_item *tw_items__find(const struct tw_items *items, const struct tw_item_key *key);

/** tw_items__cost() - what a record of @len bytes takes at most, the table's growth included */
size_t tw_items__cost(const struct tw_items *items, size_t len);

/** tw_items__add() - a new item at the end of its list, its key not there yet. Return: NULL without memory */
struct tw_item *tw_items__add(struct tw_items *items, const struct tw_item_key *key, const void *value, size_t len);

/** tw_items__remove() - and free it */
void tw_items__remove(struct tw_items *items, struct tw_item *item);

/** tw_items__rekey() - the same record under another key, at the end of its list; that key is not there yet */
void tw_items__rekey(struct tw_items *items, struct tw_item *item, const struct tw_item_key *key);

/** tw_items__touch() - to the end of its list */
void tw_items__touch(struct tw_items *items, struct tw_item *item);

#endif
