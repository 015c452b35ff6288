/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/convert/address_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 1024

static size_t slot(const struct tw_address_table *t, uint64_t address)
{
	size_t i = (size_t)((address * 0x9e3779b97f4a7c15u) >> 32) & (t->room - 1);

	while (t->slots[i] && t->slots[i] != address)
		i = (i + 1) & (t->room - 1);
	return i;
}

/* At most half of the room is taken. */
static int grow(struct tw_address_table *t)
{
	struct tw_address_table bigger = { .n = t->n, .has_zero = t->has_zero };

	if (t->n < t->room / 2)
		return 0;
	if (t->n >= TW_ADDRESS_TABLE_MAX) {
		memset(t->slots, 0, t->room * sizeof(*t->slots));
		t->n = 0;
		return 0;
	}
	bigger.room = t->room ? 2 * t->room : ROOM_FIRST;
	bigger.slots = calloc(bigger.room, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < t->room; i++)
		if (t->slots[i])
			bigger.slots[slot(&bigger, t->slots[i])] = t->slots[i];
	free(t->slots);
	*t = bigger;
	return 0;
}

int tw_address_table__add(struct tw_address_table *t, uint64_t address)
{
	size_t i;

	if (!address) {
		const bool had = t->has_zero;

		t->has_zero = true;
		return !had;
	}
	if (!t->room && grow(t))
		return -ENOMEM;
	i = slot(t, address);
	if (t->slots[i])
		return 0;
	if (grow(t))
		return -ENOMEM;
	t->slots[slot(t, address)] = address;
	t->n++;
	return 1;
}

void tw_address_table__fini(struct tw_address_table *t)
{
	free(t->slots);
	*t = (struct tw_address_table){ 0 };
}
