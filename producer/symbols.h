/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the symbols of addresses in events. Each reader has a set of the addresses that it has seen, so a known address costs one look-up
 * in the set. A new address is noted for the control thread, which is the first reader. At the end of its round, the control thread looks
 * up the symbols of the noted addresses in the table of /proc/kallsyms.
 *
 * A symbol is sent when an event contains an address in it for the first time. Some addresses are in no symbol of the table, for example
 * those of a module or BPF program that was loaded later. Such addresses are kept, up to a limit. For a new address of this kind, kallsyms
 * is read again, and all kept addresses are looked up again. While none of them is found, the intervals between reads grow.
 */
#ifndef TW_PRODUCER_SYMBOLS_H
#define TW_PRODUCER_SYMBOLS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "producer/field_offsets.h"
#include "producer/hashed_pointers.h"
#include "producer/kallsyms.h"
#include "producer/native_ring.h"
#include "schema/format.h"
#include "schema/symbols.h"
#include "wire/decode.h"

#define TW_ADDRESS_SET_MAX (3u << 18) /* limit of addresses in a set; a set of this size takes 8 MiB */

/* A set of addresses other than 0: open addressing, at most three quarters full. All zero = empty. */
struct tw_address_set {
	uint64_t *slots; /* 0 = free slot */
	unsigned int shift;
	size_t mask, n;
};

static inline size_t tw_address_set__slot(const struct tw_address_set *set, uint64_t address)
{
	return (size_t)(address * 0x9e3779b97f4a7c15ull >> set->shift);
}

/** tw_address_set__has() - whether the set contains @address; in the hot path */
static inline bool tw_address_set__has(const struct tw_address_set *set, uint64_t address)
{
	if (!set->n)
		return false;
	for (size_t i = tw_address_set__slot(set, address);; i = (i + 1) & set->mask)
		if (!set->slots[i] || set->slots[i] == address)
			return set->slots[i];
}

/* The fields that contain addresses, and the noted addresses; shared by the readers and the control thread. */
struct tw_addresses {
	struct tw_field_offset_table table;
	/*
	 * Some event other than ftrace:print has fields with addresses. ftrace:print does not count, because only writes to trace_marker
	 * record it, and these are rare.
	 */
	bool likely;
	pthread_mutex_t lock; /* protects the members below */
	struct tw_address_set known;
	uint64_t *noted; /* addresses that tw_addresses__take() has not returned yet */
	size_t n_noted, cap_noted;
};

/* The addresses that one reader thread has seen. */
struct tw_seen_addresses {
	struct tw_addresses *shared;
	struct tw_address_set seen;
	bool full;                  /* a set is full: new addresses are not noted */
	_Atomic uint64_t forgotten; /* new addresses not noted because a set was full; each occurrence counts */
};

/**
 * tw_addresses__set_fields() - set which fields of an event contain addresses to look up
 * Called by the control thread, also while readers run.
 * @fields: the fields of @format that are printed as symbols, as from tw_print__addresses()
 * Return: 0 or -ENOMEM.
 */
int tw_addresses__set_fields(struct tw_addresses *addresses, const struct tw_format *format,
			     const struct tw_field *const *fields, size_t n);

/** tw_addresses__look() - note those addresses in the record that the reader has not seen before */
void tw_addresses__look(struct tw_seen_addresses *seen, const struct tw_field_offsets *offsets, const uint8_t *record,
			uint32_t len);

/** tw_addresses__table() - get the table of fields for tw_addresses__see(); NULL if no event has fields with addresses */
static inline const tw_field_offsets_ref *tw_addresses__table(const struct tw_seen_addresses *seen)
{
	if (!seen || !atomic_load_explicit(&seen->shared->table.any, memory_order_relaxed))
		return NULL;
	return seen->shared->table.by_id;
}

/**
 * tw_addresses__see() - note the new addresses in an event
 * @table: from tw_addresses__table(), which was called after the read() of the sub-buffer
 */
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

/** tw_addresses__take() - get the addresses noted since the last call; caller frees. Return: number of addresses */
size_t tw_addresses__take(struct tw_addresses *addresses, uint64_t **ret);

/** tw_seen_addresses__fini() - free the set; all-zero is fine */
void tw_seen_addresses__fini(struct tw_seen_addresses *seen);

struct tw_symbolizer {
	struct tw_addresses addresses; /* set up by tw_symbolizer__init() */
	struct tw_kallsyms kallsyms;
	/* Replaces the addresses of the symbols that are sent; NULL = send them unchanged */
	const struct tw_pointer_key *key;
	struct tw_symbol *symbols; /* the symbols found so far, in the order of finding; the names are owned */
	size_t n, cap;
	size_t taken;                /* number of symbols returned by tw_symbolizer__take() */
	size_t repeated;             /* number of symbols returned in the current repetition of all symbols */
	struct tw_address_set known; /* key_of() of each found symbol */
	uint64_t *nameless;          /* kept addresses without a symbol, to be looked up again */
	size_t n_nameless;
	uint64_t next_read;       /* earliest time of the next read of kallsyms, CLOCK_MONOTONIC */
	uint64_t interval;        /* shortest time between two reads of kallsyms, ns */
	bool wanted;              /* a nameless address was added since the last read of kallsyms */
	_Atomic uint64_t found;   /* number of symbols found */
	_Atomic uint64_t unfound; /* number of addresses without a symbol */
	_Atomic bool blind;       /* kallsyms has no addresses or cannot be read */
};

/** tw_symbolizer__init() - initialise. Return: 0 or -ENOMEM */
int tw_symbolizer__init(struct tw_symbolizer *symbolizer, const char *kallsyms_path);

/** tw_symbolizer__prepare() - start to read kallsyms if an event has fields with addresses; tw_symbolizer__await() - wait for this read */
void tw_symbolizer__prepare(struct tw_symbolizer *symbolizer);
void tw_symbolizer__await(struct tw_symbolizer *symbolizer);

/**
 * tw_symbolizer__settle() - find symbols for the noted addresses
 * @wait: wait for the first read of kallsyms. False: if kallsyms was not read yet, the addresses stay noted for a later call
 */
void tw_symbolizer__settle(struct tw_symbolizer *symbolizer, bool wait);

/** tw_symbolizer__waits() - whether noted addresses wait for the first read of kallsyms */
bool tw_symbolizer__waits(const struct tw_symbolizer *symbolizer);

/** tw_symbolizer__take() - get the next new symbol, borrowed. Return: false if there is no new symbol */
bool tw_symbolizer__take(struct tw_symbolizer *symbolizer, struct tw_symbol_view *ret);

/**
 * tw_symbolizer__repeat() - get the next one of the symbols already taken; after the last one, begin again with the first
 * Return: false if no symbol was taken
 */
bool tw_symbolizer__repeat(struct tw_symbolizer *symbolizer, struct tw_symbol_view *ret);

/** tw_symbolizer__fini() - free all members; all-zero is fine */
void tw_symbolizer__fini(struct tw_symbolizer *symbolizer);

#endif
