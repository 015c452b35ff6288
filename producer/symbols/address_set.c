/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/symbols/address_set.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_BITS 12

static void put(struct tw_address_set *set, uint64_t address)
{
	size_t i = tw_address_set__slot(set, address);

	while (set->slots[i])
		i = (i + 1) & set->mask;
	set->slots[i] = address;
	set->n++;
}

static int grow(struct tw_address_set *set)
{
	const unsigned int bits = set->slots ? 65 - set->shift : FIRST_BITS;
	struct tw_address_set larger = { .shift = 64 - bits, .mask = ((size_t)1 << bits) - 1 };

	larger.slots = calloc(larger.mask + 1, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; set->slots && i <= set->mask; i++)
		if (set->slots[i])
			put(&larger, set->slots[i]);
	free(set->slots);
	*set = larger;
	return 0;
}

int tw_address_set__add(struct tw_address_set *set, uint64_t address)
{
	int rc;

	if (!address || tw_address_set__has(set, address))
		return 0;
	if (set->n >= TW_ADDRESS_SET_MAX)
		return -E2BIG;
	if (!set->slots || (set->n + 1) * 4 > (set->mask + 1) * 3) {
		rc = grow(set);
		if (rc)
			return rc;
	}
	put(set, address);
	return 0;
}

void tw_address_set__fini(struct tw_address_set *set)
{
	free(set->slots);
	*set = (struct tw_address_set){ 0 };
}
