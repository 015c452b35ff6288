/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the pairs of events of one struct tw_pair. A beginning is open until an event with an equal key ends or cancels it. The caller's
 * allocator gives the memory: if its budget is used up, old beginnings are evicted.
 *
 * The counters balance: begun = paired + across_loss + backwards + again + cancelled + evicted + open.
 */
#ifndef TW_PAIRING_H
#define TW_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "pairs/table.h"

/* What must be equal: the stream, and the values of the keys; unused values are 0. */
struct tw_pairing_key {
	uint64_t stream;
	uint64_t values[TW_PAIR_KEYS_MAX];
};

/* When an event begins or ends a pair. */
struct tw_pairing_moment {
	uint64_t time;   /* ns by the clock of the stream */
	uint64_t losses; /* number of known losses of the stream before this event */
};

struct tw_pairing_stats {
	uint64_t begun;  /* events that begin */
	uint64_t paired; /* ends with a beginning: the samples */
	uint64_t
		across_loss; /* the same, but the stream lost events between the two; such a time may be wrong, and is no sample */
	uint64_t backwards; /* the same, but the end has an earlier time than the beginning */
	uint64_t again;     /* beginnings that do not count, because the key began again */
	uint64_t cancelled;
	uint64_t evicted;  /* beginnings for which there was no memory until their end */
	uint64_t open;     /* beginnings without an end so far */
	uint64_t no_begin; /* ends without a beginning; not part of the balance */
};

struct tw_pairing;

/**
 * tw_pairing__new() - make an empty set of beginnings
 * @n_keys: number of values in each key
 * @extra: number of bytes that the caller keeps with each beginning
 * @keeps_first: as in struct tw_pair
 * @alloc: for the beginnings; NULL = malloc(); must outlive them. If its budget has no room for the first beginning, none is kept
 * Return: NULL if out of memory.
 */
struct tw_pairing *tw_pairing__new(size_t n_keys, size_t extra, bool keeps_first, const struct tw_alloc *alloc);

/** tw_pairing__free() - free @pairing, which may be NULL */
void tw_pairing__free(struct tw_pairing *pairing);

/**
 * tw_pairing__begin() - an event begins a pair. Without memory, an old beginning is evicted, or this one if no other is open
 * @extra: the caller's bytes, which are copied; NULL if there are none
 * Return: whether the beginning is kept; false also if an earlier one stays
 */
bool tw_pairing__begin(struct tw_pairing *pairing, const struct tw_pairing_key *key,
		       const struct tw_pairing_moment *begin, const void *extra);

/**
 * tw_pairing__end() - an event ends a pair
 * @ret: the beginning, if it is a sample; the time between is @end->time - @ret->time
 * @ret_extra: gets the caller's bytes of the beginning; NULL if there are none
 * Return: whether it is a sample.
 */
bool tw_pairing__end(struct tw_pairing *pairing, const struct tw_pairing_key *key, const struct tw_pairing_moment *end,
		     struct tw_pairing_moment *ret, void *ret_extra);

/** tw_pairing__begun() - the caller's bytes of the open beginning of @key, valid until the next call; NULL if there is none */
void *tw_pairing__begun(struct tw_pairing *pairing, const struct tw_pairing_key *key);

/** tw_pairing__cancel() - an event cancels what has begun, if anything */
void tw_pairing__cancel(struct tw_pairing *pairing, const struct tw_pairing_key *key);

/**
 * tw_pairing__pass() - let time pass for all that has begun
 * @begun: gets the caller's bytes of each beginning, and the time from the beginning, or from the last call, to @now
 */
void tw_pairing__pass(struct tw_pairing *pairing, uint64_t now,
		      void (*begun)(void *ctx, const void *extra, uint64_t ns), void *ctx);

/** tw_pairing__stats() - copy the counters */
void tw_pairing__stats(const struct tw_pairing *pairing, struct tw_pairing_stats *ret);

#endif
