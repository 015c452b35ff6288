/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/symbols/addresses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/print.h"

int tw_addresses__init(struct tw_addresses *a)
{
	*a = (struct tw_addresses){ 0 };
	pthread_mutex_init(&a->lock, NULL);
	a->by_id = calloc(UINT16_MAX + 1, sizeof(*a->by_id)); /* pages of ids that no event has are never touched */
	return a->by_id ? 0 : -ENOMEM;
}

/* The stack traces say eight callers; the kernel writes as many as there were. */
static bool goes_to_the_end(const struct tw_format *format, const struct tw_field *field)
{
	return field->place == TW_PLACE_REST ||
	       (field->place == TW_PLACE_FIXED && field->kind == TW_FIELD_ARRAY && !strcmp(format->system, "ftrace") &&
		field == &format->fields[format->n_fields - 1]);
}

/* Return: false for a field that cannot be an address, or an array of them. */
static bool locate(const struct tw_format *format, const struct tw_field *field, struct tw_address_field *ret)
{
	if (field->elem_size != 4 && field->elem_size != 8)
		return false;
	memset(ret, 0, sizeof(*ret)); /* its padding too: is_same() compares bytes */
	ret->offset = field->offset;
	ret->size = goes_to_the_end(format, field) ? UINT32_MAX : field->size;
	ret->width = (uint8_t)field->elem_size;
	ret->place = field->place;
	return true;
}

static struct tw_address_fields *make_fields(const struct tw_format *format, const struct tw_field *const *fields,
					     size_t n)
{
	struct tw_address_fields *ret = calloc(1, sizeof(*ret) + n * sizeof(ret->fields[0]));

	for (size_t i = 0; ret && i < n; i++)
		ret->n += locate(format, fields[i], &ret->fields[ret->n]);
	if (!ret || ret->n)
		return ret;
	free(ret);
	return NULL;
}

static bool is_same(const struct tw_address_fields *a, const struct tw_address_fields *b)
{
	return a && b && a->n == b->n && !memcmp(a->fields, b->fields, a->n * sizeof(a->fields[0]));
}

bool tw_addresses__set_fields(struct tw_addresses *a, const struct tw_format *format,
			      const struct tw_field *const *fields, size_t n)
{
	struct tw_address_fields *made = n ? make_fields(format, fields, n) : NULL;

	if (is_same(atomic_load(&a->by_id[format->id]), made)) {
		free(made);
		return true;
	}
	atomic_store_explicit(&a->by_id[format->id], made, memory_order_release);
	if (!made)
		return false;
	made->next = a->all;
	a->all = made;
	atomic_store(&a->any, true);
	a->likely |= strcmp(format->system, "ftrace") != 0 || strcmp(format->name, "print") != 0;
	return true;
}

bool tw_addresses__set_format(struct tw_addresses *a, const struct tw_format *format)
{
	struct tw_print *print = tw_print__new(format);
	const struct tw_field *const *fields = NULL;
	size_t n = 0;
	bool any;

	if (print)
		fields = tw_print__addresses(print, &n);
	any = tw_addresses__set_fields(a, format, fields, n);
	tw_print__free(print);
	return any;
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

static inline void look_at(struct tw_seen_addresses *seen, const uint8_t *at, uint8_t width)
{
	uint64_t address;
	uint32_t narrow;

	if (width == sizeof(address)) {
		memcpy(&address, at, sizeof(address));
	} else {
		memcpy(&narrow, at, sizeof(narrow));
		address = narrow;
	}
	if (__builtin_expect(!tw_address_set__has(&seen->seen, address), 0))
		note(seen, address);
}

/* Where the record says that the bytes are: a u32, its low half the offset, its high half the length. */
static void follow(const struct tw_address_field *field, const uint8_t *record, uint32_t len, uint32_t *offset,
		   uint32_t *size)
{
	uint32_t word;

	*size = 0;
	if (*offset > len || len - *offset < sizeof(word))
		return;
	memcpy(&word, record + *offset, sizeof(word));
	*offset = (word & 0xffff) + (field->place == TW_PLACE_REL_LOC ? *offset + (uint32_t)sizeof(word) : 0);
	*size = word >> 16;
}

void tw_addresses__look(struct tw_seen_addresses *seen, const struct tw_address_fields *fields, const uint8_t *record,
			uint32_t len)
{
	for (size_t i = 0; i < fields->n; i++) {
		const struct tw_address_field *field = &fields->fields[i];
		uint32_t offset = field->offset, size = field->size;

		if (field->place == TW_PLACE_DATA_LOC || field->place == TW_PLACE_REL_LOC)
			follow(field, record, len, &offset, &size);
		if (offset > len)
			continue;
		if (size > len - offset)
			size = len - offset;
		for (; size >= field->width; size -= field->width, offset += field->width)
			look_at(seen, record + offset, field->width);
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
	while (a->all) {
		struct tw_address_fields *next = a->all->next;

		free(a->all);
		a->all = next;
	}
	free((void *)a->by_id);
	free(a->noted);
	tw_address_set__fini(&a->known);
	if (a->by_id)
		pthread_mutex_destroy(&a->lock);
	*a = (struct tw_addresses){ 0 };
}

void tw_seen_addresses__fini(struct tw_seen_addresses *seen)
{
	tw_address_set__fini(&seen->seen);
}
