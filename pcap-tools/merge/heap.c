/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/heap.h"

#include <stdlib.h>

bool tw_heap__grow(struct tw_heap *h, size_t n)
{
	const size_t cap = h->cap ? 2 * h->cap : 16;
	struct tw_heap_entry *entries;

	if (n <= h->cap)
		return true;
	entries = realloc(h->entries, cap * sizeof(*entries));
	if (!entries)
		return false;
	h->entries = entries;
	h->cap = cap;
	return true;
}

void tw_heap__fini(struct tw_heap *h)
{
	free(h->entries);
}

static void heap__put(struct tw_heap *h, size_t at, struct tw_heap_entry entry)
{
	h->entries[at] = entry;
	entry.channel->heap_at = at;
}

static size_t heap__up(struct tw_heap *h, size_t at, struct tw_heap_entry entry)
{
	while (at && tw_heap_entry__before(&entry, &h->entries[(at - 1) / 2])) {
		heap__put(h, at, h->entries[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	return at;
}

static size_t heap__down(struct tw_heap *h, size_t at, struct tw_heap_entry entry)
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= h->n)
			return at;
		if (child + 1 < h->n && tw_heap_entry__before(&h->entries[child + 1], &h->entries[child]))
			child++;
		if (!tw_heap_entry__before(&h->entries[child], &entry))
			return at;
		heap__put(h, at, h->entries[child]);
		at = child;
	}
}

static void heap__settle(struct tw_heap *h, size_t at, struct tw_heap_entry entry)
{
	heap__put(h, heap__down(h, heap__up(h, at, entry), entry), entry);
}

static void heap__remove(struct tw_heap *h, struct tw_channel *c)
{
	const size_t at = c->heap_at;
	const struct tw_heap_entry last = h->entries[--h->n];

	c->heap_at = SIZE_MAX;
	if (at < h->n)
		heap__settle(h, at, last);
}

void tw_heap__update(struct tw_heap *h, struct tw_channel *c)
{
	if (c->head)
		heap__settle(h, c->heap_at == SIZE_MAX ? h->n++ : c->heap_at,
			     (struct tw_heap_entry){ .time = c->head->item.time, .channel = c });
	else if (c->heap_at != SIZE_MAX)
		heap__remove(h, c);
}
