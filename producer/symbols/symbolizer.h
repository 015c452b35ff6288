/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for the addresses that readers met: each symbol once, when the first address in it was seen. What kallsyms does not
 * have yet (a module or BPF program that is loaded later) is looked for again when kallsyms is read anew, more and more rarely while
 * nothing is found.
 *
 * One thread does all of it; any may read the counters.
 */
#ifndef TW_SYMBOLIZER_H
#define TW_SYMBOLIZER_H

#include "producer/hashed_pointers.h"
#include "producer/symbols/addresses.h"
#include "producer/symbols/kallsyms.h"
#include "wire/decode.h"

struct tw_symbolizer {
	struct tw_addresses addresses; /* init it before use */
	struct tw_kallsyms kallsyms;
	const struct tw_pointer_key *key; /* symbols are sent with the addresses that it makes; NULL = with their own */
	struct tw_symbol *symbols;        /* found, in the order in which they were; their names are our own */
	size_t n, cap;
	size_t taken;                /* of them */
	size_t repeated;             /* of those taken, in the current turn */
	struct tw_address_set known; /* their keys */
	uint64_t *nameless;          /* addresses without a symbol */
	size_t n_nameless;
	uint64_t next_read;       /* CLOCK_MONOTONIC; not before that */
	uint64_t interval;        /* between two reads, ns */
	bool wanted;              /* there are addresses that were not looked up in the table read last */
	_Atomic uint64_t found;   /* symbols */
	_Atomic uint64_t unfound; /* addresses */
	_Atomic bool blind;       /* the kernel tells no addresses */
};

/** tw_symbolizer__init() - Return: 0 or -ENOMEM */
int tw_symbolizer__init(struct tw_symbolizer *symbolizer, const char *kallsyms_path);

/** tw_symbolizer__prepare() - begin to read kallsyms if events will have addresses, and __await() - wait until it is read */
void tw_symbolizer__prepare(struct tw_symbolizer *symbolizer);
void tw_symbolizer__await(struct tw_symbolizer *symbolizer);

/**
 * tw_symbolizer__settle() - find symbols for the noted addresses
 * @wait: if kallsyms has to be read before any can be found; else that is done by the next times
 */
void tw_symbolizer__settle(struct tw_symbolizer *symbolizer, bool wait);

/** tw_symbolizer__waits() - symbols for the noted addresses will be found when kallsyms has been read for the first time */
bool tw_symbolizer__waits(const struct tw_symbolizer *symbolizer);

/** tw_symbolizer__take() - the next symbol found. Return: false if there is none; borrowed */
bool tw_symbolizer__take(struct tw_symbolizer *symbolizer, struct tw_symbol_view *ret);

/** tw_symbolizer__repeat() - the next of those taken already, and after the last the first again. Return: false if none was; borrowed */
bool tw_symbolizer__repeat(struct tw_symbolizer *symbolizer, struct tw_symbol_view *ret);

/** tw_symbolizer__fini() - an all-zero one is fine */
void tw_symbolizer__fini(struct tw_symbolizer *symbolizer);

#endif
