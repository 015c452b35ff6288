/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of addresses in events. Each reader remembers the addresses that it has seen, so a known address costs one look-up in the
 * reader's own table; a new one is noted for the control thread. At the end of its round, this thread looks up the noted addresses in
 * /proc/kallsyms.
 *
 * Each symbol is sent once, after the first address in it was seen. Addresses that kallsyms does not have yet (of a module or BPF
 * program loaded later) are looked up again whenever kallsyms is read again, at growing intervals while nothing is found.
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

#define TW_ADDRESS_SET_MAX (3u << 18) /* addresses; the table then takes 8 MiB */

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

/** tw_address_set__has() - the hot path's look-up */
static inline bool tw_address_set__has(const struct tw_address_set *set, uint64_t address)
{
	if (!set->n)
		return false;
	for (size_t i = tw_address_set__slot(set, address);; i = (i + 1) & set->mask)
		if (!set->slots[i] || set->slots[i] == address)
			return set->slots[i];
}

/* Shared by the readers. */
struct tw_addresses {
	struct tw_field_offset_table table;
	bool likely; /* some event has such fields; ftrace:print does not count, because only trace_marker records it */
	pthread_mutex_t lock; /* protects the members below */
	struct tw_address_set known;
	uint64_t *noted; /* not taken yet */
	size_t n_noted, cap_noted;
};

/* The addresses that one reader thread has noted. */
struct tw_seen_addresses {
	struct tw_addresses *shared;
	struct tw_address_set seen;
	bool full;                  /* the table is full: new addresses are no longer noted */
	_Atomic uint64_t forgotten; /* addresses for which there was no room */
};

/**
 * tw_addresses__set_fields() - look up the addresses of this event from now on; called by the control thread, while readers run
 * @fields: the fields of @format that are printed as symbols, as from tw_print__addresses()
 *
 * Return: whether it has any.
 */
bool tw_addresses__set_fields(struct tw_addresses *addresses, const struct tw_format *format,
			      const struct tw_field *const *fields, size_t n);

/** tw_addresses__look() - note the addresses of the event that were not seen before */
void tw_addresses__look(struct tw_seen_addresses *seen, const struct tw_field_offsets *offsets, const uint8_t *record,
			uint32_t len);

/** tw_addresses__table() - for tw_addresses__see(); NULL if no event has addresses */
static inline const tw_field_offsets_ref *tw_addresses__table(const struct tw_seen_addresses *seen)
{
	if (!seen || !atomic_load_explicit(&seen->shared->table.any, memory_order_relaxed))
		return NULL;
	return seen->shared->table.by_id;
}

/** tw_addresses__see() - called for every event; @table from tw_addresses__table(), not older than the sub-buffer's read() */
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

/** tw_addresses__take() - the addresses noted since the last call; caller frees. Return: number of addresses */
size_t tw_addresses__take(struct tw_addresses *addresses, uint64_t **ret);

/** tw_seen_addresses__fini() - free it; all-zero is fine */
void tw_seen_addresses__fini(struct tw_seen_addresses *seen);

struct tw_symbolizer {
	struct tw_addresses addresses; /* initialise it before use */
	struct tw_kallsyms kallsyms;
	const struct tw_pointer_key
		*key;              /* replaces the addresses of symbols that are sent; NULL = send them unchanged */
	struct tw_symbol *symbols; /* symbols found, in the order of finding; the names are owned */
	size_t n, cap;
	size_t taken;                /* capacity of the array */
	size_t repeated;             /* number of those taken, in the current repetition */
	struct tw_address_set known; /* their hash keys */
	uint64_t *nameless;          /* addresses without a symbol */
	size_t n_nameless;
	uint64_t next_read;       /* CLOCK_MONOTONIC; next read not before this */
	uint64_t interval;        /* between two reads, ns */
	bool wanted;              /* some addresses were not looked up in the last table */
	_Atomic uint64_t found;   /* symbols */
	_Atomic uint64_t unfound; /* addresses */
	_Atomic bool blind;       /* the kernel hides addresses */
};

/** tw_symbolizer__init() - Return: 0 or -ENOMEM */
int tw_symbolizer__init(struct tw_symbolizer *symbolizer, const char *kallsyms_path);

/** tw_symbolizer__prepare() - start to read kallsyms if events have addresses; __await() - wait until it is read */
void tw_symbolizer__prepare(struct tw_symbolizer *symbolizer);
void tw_symbolizer__await(struct tw_symbolizer *symbolizer);

/**
 * tw_symbolizer__settle() - find symbols for the noted addresses
 * @wait: wait if kallsyms has to be read first; otherwise a later call finds them
 */
void tw_symbolizer__settle(struct tw_symbolizer *symbolizer, bool wait);

/** tw_symbolizer__waits() - whether noted addresses wait for the first read of kallsyms */
bool tw_symbolizer__waits(const struct tw_symbolizer *symbolizer);

/** tw_symbolizer__take() - the next symbol found, borrowed. Return: false if there is none */
bool tw_symbolizer__take(struct tw_symbolizer *symbolizer, struct tw_symbol_view *ret);

/**
 * tw_symbolizer__repeat() - the next of the symbols already taken, borrowed; begins again after the last. Return: false if none was
 * taken
 */
bool tw_symbolizer__repeat(struct tw_symbolizer *symbolizer, struct tw_symbol_view *ret);

/** tw_symbolizer__fini() - free it; all-zero is fine */
void tw_symbolizer__fini(struct tw_symbolizer *symbolizer);

#endif
