/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses in events that are printed as symbols: where each kind of event has them, and which are new. Each reader
 * remembers what it has seen, so that an address costs a look-up in a table of its own; a new one is noted for
 * all readers, and the thread that sends the control channel takes the notes at the end of its round.
 */
#ifndef TW_ADDRESSES_H
#define TW_ADDRESSES_H

#include <pthread.h>
#include <stdatomic.h>

#include "producer/field_offsets.h"
#include "producer/native_ring.h"
#include "schema/format.h"

#define TW_ADDRESS_SET_MAX (3u << 18) /* addresses; the table then takes 8 MiB */

/* A set of addresses other than 0: open addressing, at most three quarters full. All zero = empty. */
struct tw_address_set {
	uint64_t *slots; /* 0 = free */
	unsigned int shift;
	size_t mask, n;
};

static inline size_t tw_address_set__slot(const struct tw_address_set *set, uint64_t address)
{
	return (size_t)(address * 0x9e3779b97f4a7c15ull >> set->shift);
}

/** tw_address_set__has() - the hot path's look-up */
static inline bool tw_address_set__has(const struct tw_address_set *set, uint64_t address)
{
	if (!set->n)
		return false;
	for (size_t i = tw_address_set__slot(set, address);; i = (i + 1) & set->mask)
		if (!set->slots[i] || set->slots[i] == address)
			return set->slots[i];
}

/** tw_address_set__add() - Return: 0, also if it was there; -E2BIG beyond the limit; -ENOMEM */
int tw_address_set__add(struct tw_address_set *set, uint64_t address);

void tw_address_set__fini(struct tw_address_set *set);

/* Shared by the readers. */
struct tw_addresses {
	struct tw_field_offset_table table;
	bool likely; /* an event that comes by itself has some: not ftrace:print, which only trace_marker makes */
	pthread_mutex_t lock; /* of what follows */
	struct tw_address_set known;
	uint64_t *noted; /* not taken yet */
	size_t n_noted, cap_noted;
};

/* A reader's own. */
struct tw_seen_addresses {
	struct tw_addresses *shared;
	struct tw_address_set seen;
	bool full;                  /* what is new is no longer noted */
	_Atomic uint64_t forgotten; /* addresses met for which there was no room */
};

/** tw_addresses__init() - of no events yet. Return: 0 or -ENOMEM */
int tw_addresses__init(struct tw_addresses *addresses);

/**
 * tw_addresses__set_fields() - look up this event's addresses from now on; the thread that takes, while readers run
 * @fields: those of @format that are printed as symbols, as tw_print__addresses() tells
 *
 * Return: whether it has any.
 */
bool tw_addresses__set_fields(struct tw_addresses *addresses, const struct tw_format *format,
			      const struct tw_field *const *fields, size_t n);

/** tw_addresses__look() - note what the event has that was not seen before */
void tw_addresses__look(struct tw_seen_addresses *seen, const struct tw_field_offsets *offsets, const uint8_t *record,
			uint32_t len);

/** tw_addresses__table() - for tw_addresses__see(); NULL if nothing needs to be looked at */
static inline const tw_field_offsets_ref *tw_addresses__table(const struct tw_seen_addresses *seen)
{
	if (!seen || !atomic_load_explicit(&seen->shared->table.any, memory_order_relaxed))
		return NULL;
	return seen->shared->table.by_id;
}

/** tw_addresses__see() - for every event read; @table from tw_addresses__table(), not older than the sub-buffer's read() */
static inline void tw_addresses__see(struct tw_seen_addresses *seen, const tw_field_offsets_ref *table,
				     const struct tw_ring_event *event)
{
	const struct tw_field_offsets *offsets;

	if (!table)
		return;
	offsets = tw_field_offset_table__find(table, tw_native_event__id(event));
	if (offsets)
		tw_addresses__look(seen, offsets, event->record, event->len);
}

/** tw_addresses__any_noted() - whether there is something to take */
bool tw_addresses__any_noted(struct tw_addresses *addresses);

/** tw_addresses__take() - what was noted since the last time; free() it. Return: how many */
size_t tw_addresses__take(struct tw_addresses *addresses, uint64_t **ret);

/** tw_addresses__fini(), tw_seen_addresses__fini() - all-zero ones are fine */
void tw_addresses__fini(struct tw_addresses *addresses);
void tw_seen_addresses__fini(struct tw_seen_addresses *seen);

#endif
