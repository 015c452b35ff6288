/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/symbols/addresses.h"

#include <stdlib.h>
#include <string.h>

int tw_addresses__init(struct tw_addresses *a)
{
	*a = (struct tw_addresses){ 0 };
	pthread_mutex_init(&a->lock, NULL);
	return tw_field_offset_table__init(&a->table);
}

bool tw_addresses__set_fields(struct tw_addresses *a, const struct tw_format *format,
			      const struct tw_field *const *fields, size_t n)
{
	struct tw_field_offsets *spots = n ? tw_field_offsets__new(n) : NULL;

	for (size_t i = 0; spots && i < n; i++)
		tw_field_offsets__add(spots, format, fields[i], 0);
	if (!tw_field_offset_table__set(&a->table, format->id, spots))
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

/* At first sight; rare, but for garbage. */
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

void tw_addresses__look(struct tw_seen_addresses *seen, const struct tw_field_offsets *spots, const uint8_t *record,
			uint32_t len)
{
	for (size_t i = 0; i < spots->n; i++) {
		const struct tw_field_offset *spot = &spots->spots[i];
		uint32_t offset, size = tw_field_offset__locate(spot, record, len, &offset);

		for (; size >= spot->width; size -= spot->width, offset += spot->width)
			look_at(seen, tw_field_offset__load(record + offset, spot->width));
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
