/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses in events that are printed as symbols: where each kind of event has them, and those not met before. Each reader
 * remembers what it has seen, so that an address costs a look-up in a table of its own; the first sight of one is noted for
 * all readers, and the thread that keeps the control channel takes the notes at the end of its round.
 */
#ifndef TW_ADDRESSES_H
#define TW_ADDRESSES_H

#include <pthread.h>
#include <stdatomic.h>

#include "producer/subbuf.h"
#include "producer/symbols/address_set.h"
#include "schema/format.h"

/* One field: a scalar, or an array of addresses one after the other. */
struct tw_address_field {
	uint32_t offset; /* in the record, bytes */
	uint32_t size;   /* bytes; UINT32_MAX = to the record's end */
	uint8_t width;   /* of one address, bytes: 4 or 8 */
	uint8_t place;   /* enum tw_field_place */
};

struct tw_address_fields {
	struct tw_address_fields *next; /* in the list of all */
	size_t n;
	struct tw_address_field fields[];
};

typedef _Atomic(const struct tw_address_fields *) tw_address_fields_ref;

/* Shared by the readers. */
struct tw_addresses {
	tw_address_fields_ref *by_id;  /* UINT16_MAX + 1 of them; NULL = none of its fields */
	struct tw_address_fields *all; /* also of ids given to other events since */
	atomic_bool any;
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
 * tw_addresses__set_format() - look up this event's addresses from now on; the thread that takes, while readers run
 * @format: parsed; not kept
 *
 * Return: whether it has any.
 */
bool tw_addresses__set_format(struct tw_addresses *addresses, const struct tw_format *format);

/** tw_addresses__set_fields() - the same, given the fields that are printed as symbols */
bool tw_addresses__set_fields(struct tw_addresses *addresses, const struct tw_format *format,
			      const struct tw_field *const *fields, size_t n);

/** tw_addresses__look() - note what the event has that was not seen before */
void tw_addresses__look(struct tw_seen_addresses *seen, const struct tw_address_fields *fields, const uint8_t *record,
			uint32_t len);

/** tw_addresses__table() - for tw_addresses__see(); NULL if nothing needs to be looked at */
static inline tw_address_fields_ref *tw_addresses__table(const struct tw_seen_addresses *seen)
{
	return seen && atomic_load_explicit(&seen->shared->any, memory_order_relaxed) ? seen->shared->by_id : NULL;
}

/** tw_addresses__see() - for every event read; @table from tw_addresses__table(), not older than the sub-buffer's read() */
static inline void tw_addresses__see(struct tw_seen_addresses *seen, tw_address_fields_ref *table,
				     const struct tw_subbuf_event *event)
{
	const struct tw_address_fields *fields;

	if (!table)
		return;
	fields = atomic_load_explicit(&table[tw_subbuf_event__id(event)], memory_order_acquire);
	if (fields)
		tw_addresses__look(seen, fields, event->record, event->len);
}

/** tw_addresses__any_noted() - whether there is something to take */
bool tw_addresses__any_noted(struct tw_addresses *addresses);

/** tw_addresses__take() - what was noted since the last time; free() it. Return: how many */
size_t tw_addresses__take(struct tw_addresses *addresses, uint64_t **ret);

/** tw_addresses__fini(), tw_seen_addresses__fini() - all-zero ones are fine */
void tw_addresses__fini(struct tw_addresses *addresses);
void tw_seen_addresses__fini(struct tw_seen_addresses *seen);

#endif
