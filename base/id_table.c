/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/id_table.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#define FIRST_BITS 9

/* Early after boot an address is better than nothing. */
static void make_secret(struct tw_id_table *table)
{
	if (getrandom(table->secret, sizeof(table->secret), GRND_NONBLOCK) < 0)
		table->secret[0] = table->secret[1] = (uintptr_t)table->slots;
	table->secret[1] |= 1;
}

static int grow(struct tw_id_table *table)
{
	struct tw_id_table larger = *table;

	larger.bits = table->slots ? table->bits + 1 : FIRST_BITS;
	larger.slots = calloc((size_t)1 << larger.bits, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	if (!table->slots)
		make_secret(&larger);
	for (size_t i = 0; table->slots && i <= tw_id_table__last(table); i++) {
		if (table->slots[i].value)
			*tw_id_table__slot(&larger, table->slots[i].id) = table->slots[i];
	}
	free(table->slots);
	*table = larger;
	return 0;
}

int tw_id_table__put(struct tw_id_table *table, uint64_t id, void *value)
{
	const int code = !table->slots || table->n > tw_id_table__last(table) / 4 ? grow(table) : 0;
	struct tw_id_slot *slot;

	if (code)
		return code;
	slot = tw_id_table__slot(table, id);
	table->n += !slot->value;
	*slot = (struct tw_id_slot){ .id = id, .value = value };
	return 0;
}

/* Searches go past what is there: what was found over the slot that becomes free moves up, and leaves another. */
void tw_id_table__remove(struct tw_id_table *table, uint64_t id)
{
	struct tw_id_slot *slots = table->slots;
	const size_t last = slots ? tw_id_table__last(table) : 0;
	size_t hole = slots ? (size_t)(tw_id_table__slot(table, id) - slots) : 0;

	if (!slots || !slots[hole].value)
		return;
	for (size_t at = (hole + 1) & last; slots[at].value; at = (at + 1) & last) {
		const size_t way = (at - tw_id_table__home(table, slots[at].id)) & last; /* of a search for it */

		if (way < ((at - hole) & last))
			continue;
		slots[hole] = slots[at];
		hole = at;
	}
	slots[hole].value = NULL;
	table->n--;
}

void tw_id_table__fini(struct tw_id_table *table)
{
	free(table->slots);
	*table = (struct tw_id_table){ 0 };
}
