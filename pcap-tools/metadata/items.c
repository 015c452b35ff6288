/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/metadata/items.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define SIZE_LEAST 64

/* Sizes wrap: what is given back is added as its complement. */
static void account(struct tw_items *items, size_t bytes)
{
	items->memory += bytes;
	if (items->room)
		items->room->taken += bytes;
}

int tw_items__init(struct tw_items *items, struct tw_metadata_room *room)
{
	*items = (struct tw_items){ .size = SIZE_LEAST, .room = room };
	items->table = calloc(items->size, sizeof(*items->table));
	if (!items->table)
		return -ENOMEM;
	account(items, items->size * sizeof(*items->table));
	if (getrandom(&items->seed, sizeof(items->seed), GRND_NONBLOCK) < 0)
		items->seed = (uintptr_t)items->table; /* better than nothing, early after boot */
	for (int i = 0; i < TW_ITEM_CLASSES; i++)
		TAILQ_INIT(&items->lists[i]);
	return 0;
}

void tw_items__fini(struct tw_items *items)
{
	for (int i = 0; items->table && i < TW_ITEM_CLASSES; i++) {
		struct tw_item *item;

		while ((item = TAILQ_FIRST(&items->lists[i]))) {
			TAILQ_REMOVE(&items->lists[i], item, order);
			free(item);
		}
	}
	free(items->table);
	account(items, -items->memory);
}

static uint64_t mix(uint64_t hash)
{
	hash *= 0x9e3779b97f4a7c15u;
	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
	return hash ^ hash >> 32;
}

static size_t place_of(const struct tw_items *items, const struct tw_item_key *key)
{
	const uint64_t hash = mix(mix(mix(key->first ^ items->seed) ^ key->second) + (uint64_t)key->class);

	return (size_t)hash & (items->size - 1);
}

static bool is_same(const struct tw_item_key *a, const struct tw_item_key *b)
{
	return a->first == b->first && a->second == b->second && a->class == b->class;
}

struct tw_item *tw_items__find(const struct tw_items *items, const struct tw_item_key *key)
{
	struct tw_item *item = items->table[place_of(items, key)];

	while (item && !is_same(&item->key, key))
		item = item->next;
	return item;
}

static void link_item(struct tw_items *items, struct tw_item *item)
{
	struct tw_item **place = &items->table[place_of(items, &item->key)];

	item->next = *place;
	*place = item;
}

static void unlink_item(struct tw_items *items, const struct tw_item *item)
{
	struct tw_item **place = &items->table[place_of(items, &item->key)];

	while (*place != item)
		place = &(*place)->next;
	*place = item->next;
}

/* Twice the places. Without memory chains get longer. */
static void grow(struct tw_items *items)
{
	struct tw_item **table = calloc(items->size * 2, sizeof(*table));
	struct tw_item *item;

	if (!table)
		return;
	free(items->table);
	items->table = table;
	account(items, items->size * sizeof(*table));
	items->size *= 2;
	for (int i = 0; i < TW_ITEM_CLASSES; i++) {
		TAILQ_FOREACH(item, &items->lists[i], order)
		link_item(items, item);
	}
}

static size_t item_size(size_t len)
{
	return sizeof(struct tw_item) + len;
}

size_t tw_items__cost(const struct tw_items *items, size_t len)
{
	return item_size(len) + (items->n == items->size ? items->size * sizeof(*items->table) : 0);
}

struct tw_item *tw_items__add(struct tw_items *items, const struct tw_item_key *key, const void *value, size_t len)
{
	struct tw_item *item = malloc(item_size(len));

	if (!item)
		return NULL;
	if (items->n == items->size)
		grow(items);
	*item = (struct tw_item){ .key = *key, .len = (uint32_t)len };
	if (len)
		memcpy(item->value, value, len);
	link_item(items, item);
	TAILQ_INSERT_TAIL(&items->lists[key->class], item, order);
	items->n++;
	account(items, item_size(len));
	return item;
}

void tw_items__remove(struct tw_items *items, struct tw_item *item)
{
	unlink_item(items, item);
	TAILQ_REMOVE(&items->lists[item->key.class], item, order);
	items->n--;
	account(items, -item_size(item->len));
	free(item);
}

void tw_items__rekey(struct tw_items *items, struct tw_item *item, const struct tw_item_key *key)
{
	unlink_item(items, item);
	TAILQ_REMOVE(&items->lists[item->key.class], item, order);
	item->key = *key;
	link_item(items, item);
	TAILQ_INSERT_TAIL(&items->lists[key->class], item, order);
}

void tw_items__touch(struct tw_items *items, struct tw_item *item)
{
	struct tw_item_list *list = &items->lists[item->key.class];

	TAILQ_REMOVE(list, item, order);
	TAILQ_INSERT_TAIL(list, item, order);
}
