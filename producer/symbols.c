/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"

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

/* Adds an address. Return: 0, also if the set contains it already; -E2BIG if the set is full; -ENOMEM */
static int address_set__add(struct tw_address_set *set, uint64_t address)
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

static void address_set__fini(struct tw_address_set *set)
{
	free(set->slots);
	*set = (struct tw_address_set){ 0 };
}

int tw_addresses__set_fields(struct tw_addresses *a, const struct tw_format *format,
			     const struct tw_field *const *fields, size_t n)
{
	struct tw_field_offsets *offsets = n ? tw_field_offsets__new(n) : NULL;

	if (n && !offsets)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		tw_field_offsets__add(offsets, format, fields[i], 0);
	if (!tw_field_offset_table__set(&a->table, format->id, offsets))
		return 0;
	a->likely |= strcmp(format->system, "ftrace") != 0 || strcmp(format->name, "print") != 0;
	return 0;
}

/* Notes an address for the control thread, unless another reader has noted it. Return: false if there is no room */
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
		noted = a->n_noted < a->cap_noted && !address_set__add(&a->known, address);
		if (noted)
			a->noted[a->n_noted++] = address;
	}
	pthread_mutex_unlock(&a->lock);
	return noted;
}

/* Handles a value that is not in this reader's set. It is a new address, 0, or an address that was not noted because a set was full. */
static __attribute__((noinline)) void note(struct tw_seen_addresses *seen, uint64_t address)
{
	if (!address)
		return;
	if (!seen->full && note_for_all(seen->shared, address) && !address_set__add(&seen->seen, address))
		return;
	seen->full = true;
	atomic_fetch_add_explicit(&seen->forgotten, 1, memory_order_relaxed);
}

void tw_addresses__look(struct tw_seen_addresses *seen, const struct tw_field_offsets *offsets, const uint8_t *record,
			uint32_t len)
{
	for (size_t i = 0; i < offsets->n; i++) {
		const struct tw_field_offset *entry = &offsets->entries[i];
		uint32_t offset, size = tw_field_offset__locate(entry, record, len, &offset);

		for (; size >= entry->width; size -= entry->width, offset += entry->width) {
			const uint64_t address = tw_field_offset__load(record + offset, entry->width);

			if (__builtin_expect(!tw_address_set__has(&seen->seen, address), 0))
				note(seen, address);
		}
	}
}

static bool addresses__any_noted(struct tw_addresses *a)
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

void tw_seen_addresses__fini(struct tw_seen_addresses *seen)
{
	address_set__fini(&seen->seen);
}

#define INTERVAL_MIN TW_NS_PER_SECOND
#define INTERVAL_MAX (64 * TW_NS_PER_SECOND)
#define NAMELESS_MAX 4096u /* limit of kept addresses; further addresses without a symbol are not looked up again */

int tw_symbolizer__init(struct tw_symbolizer *s, const char *kallsyms_path)
{
	*s = (struct tw_symbolizer){ .kallsyms = { .path = kallsyms_path }, .interval = INTERVAL_MIN };
	s->nameless = calloc(NAMELESS_MAX, sizeof(*s->nameless));
	if (!s->nameless)
		return -ENOMEM;
	pthread_mutex_init(&s->addresses.lock, NULL);
	return tw_field_offset_table__init(&s->addresses.table);
}

static void read_kallsyms(struct tw_symbolizer *s)
{
	tw_kallsyms__read(&s->kallsyms);
	s->next_read = tw_time__now(CLOCK_MONOTONIC) + s->interval;
	s->wanted = false;
}

void tw_symbolizer__prepare(struct tw_symbolizer *s)
{
	if (!s->kallsyms.table && !s->blind && s->addresses.likely)
		read_kallsyms(s);
}

void tw_symbolizer__await(struct tw_symbolizer *s)
{
	if (tw_symbolizer__waits(s))
		s->blind = !tw_kallsyms__renew(&s->kallsyms, true);
}

/* Whether noted addresses can be handled, because there is a table or there will never be one. If false, the addresses stay noted. */
static bool is_ready(struct tw_symbolizer *s, bool wait)
{
	if (s->kallsyms.table || s->blind)
		return true;
	if (!s->kallsyms.reading) {
		if (!addresses__any_noted(&s->addresses))
			return false;
		read_kallsyms(s);
	}
	if (!tw_kallsyms__renew(&s->kallsyms, wait) && !s->kallsyms.reading)
		s->blind = true;
	return s->kallsyms.table || s->blind;
}

bool tw_symbolizer__waits(const struct tw_symbolizer *s)
{
	return s->kallsyms.reading && !s->kallsyms.table;
}

static bool make_room(struct tw_symbolizer *s)
{
	const size_t cap = s->cap ? s->cap * 2 : 256;
	struct tw_symbol *larger;

	if (s->n < s->cap)
		return true;
	larger = reallocarray(s->symbols, cap, sizeof(*larger));
	if (!larger)
		return false;
	s->symbols = larger;
	s->cap = cap;
	return true;
}

/*
 * Return: the key of a symbol in s->known. If two symbols have one address, tw_symbols__parse() sets the size of the first one to 1, so the
 * keys differ.
 */
static uint64_t key_of(const struct tw_symbol *symbol)
{
	return symbol->address << 1 | (symbol->size == 1);
}

/*
 * Adds a symbol that begins at @address, unless it is known. If the stream hashes addresses, hashes the address.
 * Return: false if there is no memory
 */
static bool add(struct tw_symbolizer *s, const struct tw_symbol *symbol, uint64_t address, uint64_t size)
{
	struct tw_symbol sent = {
		.address = s->key ? tw_pointer_key__hash(s->key, address, sizeof(long)) : address,
		.size = size,
	};

	if (tw_address_set__has(&s->known, key_of(&sent)))
		return true;
	if (!make_room(s))
		return false;
	sent.name = strdup(symbol->name);
	if (!sent.name || address_set__add(&s->known, key_of(&sent))) {
		free((char *)(uintptr_t)sent.name);
		return false;
	}
	s->symbols[s->n++] = sent;
	return true;
}

/*
 * Adds the symbol that contains an address. If no moved range contains the whole symbol, the addresses in the symbol are hashed one by one.
 * Each address then needs its own symbol, with a copy of the name. If the symbol's first address has another name too, that name is sent
 * first: a receiver keeps several names of one address in the order of arrival.
 * Return: whether the address now has a symbol
 */
static bool resolve(struct tw_symbolizer *s, uint64_t address)
{
	struct tw_symbol symbol, first;

	if (!tw_kallsyms__find(&s->kallsyms, address, &symbol))
		return false;
	if (s->key && !tw_pointer_key__keeps_distances(s->key, symbol.address, symbol.size))
		return add(s, &symbol, address, 1);
	return tw_kallsyms__find(&s->kallsyms, symbol.address, &first) && add(s, &first, first.address, first.size) &&
	       add(s, &symbol, symbol.address, symbol.size);
}

static void resolve_noted(struct tw_symbolizer *s)
{
	uint64_t *noted;
	const size_t n = tw_addresses__take(&s->addresses, &noted);

	for (size_t i = 0; i < n; i++) {
		if (resolve(s, noted[i]))
			continue;
		s->unfound++;
		if (s->n_nameless == NAMELESS_MAX)
			continue;
		s->nameless[s->n_nameless++] = noted[i];
		s->wanted = true;
	}
	free(noted);
}

/* Looks up the nameless addresses again, in a new table. If no symbol is found, doubles the interval until the next read. */
static void resolve_nameless(struct tw_symbolizer *s)
{
	const size_t before = s->n_nameless;
	size_t kept = 0;

	for (size_t i = 0; i < before; i++)
		if (!resolve(s, s->nameless[i]))
			s->nameless[kept++] = s->nameless[i];
	s->n_nameless = kept;
	s->unfound -= before - kept;
	if (kept < before)
		s->interval = INTERVAL_MIN;
	else if (s->interval < INTERVAL_MAX)
		s->interval *= 2;
}

void tw_symbolizer__settle(struct tw_symbolizer *s, bool wait)
{
	if (!atomic_load(&s->addresses.table.any) || !is_ready(s, wait))
		return;
	if (tw_kallsyms__renew(&s->kallsyms, false))
		resolve_nameless(s);
	resolve_noted(s);
	s->found = s->n;
	if (s->wanted && !s->blind && tw_time__now(CLOCK_MONOTONIC) >= s->next_read)
		read_kallsyms(s);
}

static bool view(const struct tw_symbolizer *s, size_t i, struct tw_symbol_view *ret)
{
	if (i >= s->n)
		return false;
	*ret = (struct tw_symbol_view){
		.address = s->symbols[i].address,
		.size = (uint32_t)s->symbols[i].size,
		.name = (const uint8_t *)s->symbols[i].name,
		.len = strlen(s->symbols[i].name),
	};
	return true;
}

bool tw_symbolizer__take(struct tw_symbolizer *s, struct tw_symbol_view *ret)
{
	if (!view(s, s->taken, ret))
		return false;
	s->taken++;
	return true;
}

bool tw_symbolizer__repeat(struct tw_symbolizer *s, struct tw_symbol_view *ret)
{
	if (s->repeated >= s->taken)
		s->repeated = 0;
	return s->taken && view(s, s->repeated++, ret);
}

void tw_symbolizer__fini(struct tw_symbolizer *s)
{
	tw_kallsyms__fini(&s->kallsyms);
	if (s->addresses.table.by_id)
		pthread_mutex_destroy(&s->addresses.lock);
	tw_field_offset_table__fini(&s->addresses.table);
	free(s->addresses.noted);
	address_set__fini(&s->addresses.known);
	for (size_t i = 0; i < s->n; i++)
		free((char *)(uintptr_t)s->symbols[i].name);
	free(s->symbols);
	free(s->nameless);
	address_set__fini(&s->known);
	*s = (struct tw_symbolizer){ 0 };
}
