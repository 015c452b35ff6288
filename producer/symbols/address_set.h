/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of addresses other than 0: open addressing, never more than three quarters full. */
#ifndef TW_ADDRESS_SET_H
#define TW_ADDRESS_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_ADDRESS_SET_MAX (3u << 18) /* addresses; the table then takes 8 MiB */

/* All zero = empty. */
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

#endif
