/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/symbols/addresses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	int err;

	if (!address || tw_address_set__has(set, address))
		return 0;
	if (set->n >= TW_ADDRESS_SET_MAX)
		return -E2BIG;
	if (!set->slots || (set->n + 1) * 4 > (set->mask + 1) * 3) {
		err = grow(set);
		if (err)
			return err;
	}
	put(set, address);
	return 0;
}

void tw_address_set__fini(struct tw_address_set *set)
{
	free(set->slots);
	*set = (struct tw_address_set){ 0 };
}

int tw_addresses__init(struct tw_addresses *a)
{
	*a = (struct tw_addresses){ 0 };
	pthread_mutex_init(&a->lock, NULL);
	return tw_field_offset_table__init(&a->table);
}

bool tw_addresses__set_fields(struct tw_addresses *a, const struct tw_format *format,
			      const struct tw_field *const *fields, size_t n)
{
	struct tw_field_offsets *offsets = n ? tw_field_offsets__new(n) : NULL;

	for (size_t i = 0; offsets && i < n; i++)
		tw_field_offsets__add(offsets, format, fields[i], 0);
	if (!tw_field_offset_table__set(&a->table, format->id, offsets))
		return false;
	a->likely |= strcmp(format->system, "ftrace") != 0 || strcmp(format->name, "print") != 0;
	return true;
}

/* For all readers. Return: false if there is no room. */
static bool note_for_all(struct tw_addresses *a, uint64_t address)
{
	bool noted = true;

	pthread_mutex_lock(&a->lock);
	if (!tw_address_set__has(&a->known, address)) {
		if (a->n_noted == a->cap_noted) {
			const size_t cap = a->cap_noted ? a->cap_noted * 2 : 256;
			uint64_t *larger = realloc(a->noted, cap * sizeof(*larger));

			if (larger) {
				a->noted = larger;
				a->cap_noted = cap;
			}
		}
		noted = a->n_noted < a->cap_noted && !tw_address_set__add(&a->known, address);
		if (noted)
			a->noted[a->n_noted++] = address;
	}
	pthread_mutex_unlock(&a->lock);
	return noted;
}

/* A new address; rare, but for garbage. */
static __attribute__((noinline)) void note(struct tw_seen_addresses *seen, uint64_t address)
{
	if (!address)
		return;
	if (!seen->full && note_for_all(seen->shared, address) && !tw_address_set__add(&seen->seen, address))
		return;
	seen->full = true;
	atomic_fetch_add_explicit(&seen->forgotten, 1, memory_order_relaxed);
}

static inline void look_at(struct tw_seen_addresses *seen, uint64_t address)
{
	if (__builtin_expect(!tw_address_set__has(&seen->seen, address), 0))
		note(seen, address);
}

void tw_addresses__look(struct tw_seen_addresses *seen, const struct tw_field_offsets *offsets, const uint8_t *record,
			uint32_t len)
{
	for (size_t i = 0; i < offsets->n; i++) {
		const struct tw_field_offset *entry = &offsets->entries[i];
		uint32_t offset, size = tw_field_offset__locate(entry, record, len, &offset);

		for (; size >= entry->width; size -= entry->width, offset += entry->width)
			look_at(seen, tw_field_offset__load(record + offset, entry->width));
	}
}

bool tw_addresses__any_noted(struct tw_addresses *a)
{
	bool any;

	pthread_mutex_lock(&a->lock);
	any = a->n_noted;
	pthread_mutex_unlock(&a->lock);
	return any;
}

size_t tw_addresses__take(struct tw_addresses *a, uint64_t **ret)
{
	size_t n;

	pthread_mutex_lock(&a->lock);
	n = a->n_noted;
	*ret = a->noted;
	a->noted = NULL;
	a->n_noted = a->cap_noted = 0;
	pthread_mutex_unlock(&a->lock);
	return n;
}

void tw_addresses__fini(struct tw_addresses *a)
{
	const bool made = a->table.by_id != NULL;

	tw_field_offset_table__fini(&a->table);
	free(a->noted);
	tw_address_set__fini(&a->known);
	if (made)
		pthread_mutex_destroy(&a->lock);
	*a = (struct tw_addresses){ 0 };
}

void tw_seen_addresses__fini(struct tw_seen_addresses *seen)
{
	tw_address_set__fini(&seen->seen);
}
