/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands for an address in a stream that leaves the host: the same for the same address, another in each stream. The
 * kernel's code is moved as a whole, so that distances in it stay and symbols go on working; all else is hashed (SipHash-2-4).
 */
#ifndef TW_POINTER_KEY_H
#define TW_POINTER_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define TW_POINTER_RANGES 2
#define TW_POINTER_SECRET 16 /* bytes */

/* Addresses that are moved together. */
struct tw_pointer_range {
	uint64_t start, size; /* bytes */
	uint64_t moved;       /* where start is to be */
};

struct tw_pointer_key {
	uint8_t secret[TW_POINTER_SECRET];
	struct tw_pointer_range ranges[TW_POINTER_RANGES];
	size_t n_ranges;
};

/** tw_pointer_key__init() - a new secret, nothing moved. Return: 0; -EIO if the kernel gives no random number */
int tw_pointer_key__init(struct tw_pointer_key *key, struct tw_error *err);

/**
 * tw_pointer_key__move() - move these addresses together, each range to a place of its own, before any is hidden
 * @end: behind the last; @start or less = no effect
 *
 * What cannot be moved, for want of a random number or because there are TW_POINTER_RANGES already, is hashed.
 */
void tw_pointer_key__move(struct tw_pointer_key *key, uint64_t start, uint64_t end);

/** tw_pointer_key__keeps_distances() - whether all of these bytes are moved together */
bool tw_pointer_key__keeps_distances(const struct tw_pointer_key *key, uint64_t start, uint64_t size);

/**
 * tw_pointer_key__hide() - what stands for an address
 * @width: of the field, bytes: 4 or 8
 *
 * It is for the caller to leave alone what is no address.
 */
uint64_t tw_pointer_key__hide(const struct tw_pointer_key *key, uint64_t address, uint8_t width);

#endif
