/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/heap.h"

#include <stdlib.h>

#define CAP_MIN 16

bool tw_merge_heap__grow(struct tw_merge_heap *h, size_t n)
{
	size_t cap = h->cap ? h->cap : CAP_MIN;
	struct tw_merge_heap_entry *entries;

	while (cap < n)
		cap *= 2;
	if (cap == h->cap)
		return true;
	entries = realloc(h->entries, cap * sizeof(*entries));
	if (!entries)
		return false;
	h->entries = entries;
	h->cap = cap;
	return true;
}

void tw_merge_heap__fini(struct tw_merge_heap *h)
{
	free(h->entries);
}

static void heap__set(struct tw_merge_heap *h, size_t at, struct tw_merge_heap_entry entry)
{
	h->entries[at] = entry;
	entry.node->at = at;
}

static size_t heap__up(struct tw_merge_heap *h, size_t at, struct tw_merge_heap_entry entry)
{
	while (at && tw_merge_heap_entry__before(&entry, &h->entries[(at - 1) / 2])) {
		heap__set(h, at, h->entries[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	return at;
}

static size_t heap__down(struct tw_merge_heap *h, size_t at, struct tw_merge_heap_entry entry)
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= h->n)
			return at;
		if (child + 1 < h->n && tw_merge_heap_entry__before(&h->entries[child + 1], &h->entries[child]))
			child++;
		if (!tw_merge_heap_entry__before(&h->entries[child], &entry))
			return at;
		heap__set(h, at, h->entries[child]);
		at = child;
	}
}

static void heap__settle(struct tw_merge_heap *h, size_t at, struct tw_merge_heap_entry entry)
{
	heap__set(h, heap__down(h, heap__up(h, at, entry), entry), entry);
}

void tw_merge_heap__put(struct tw_merge_heap *h, struct tw_merge_heap_node *node, uint64_t time)
{
	heap__settle(h, node->at == TW_MERGE_HEAP_OUT ? h->n++ : node->at,
		     (struct tw_merge_heap_entry){ .time = time, .node = node });
}

void tw_merge_heap__remove(struct tw_merge_heap *h, struct tw_merge_heap_node *node)
{
	const size_t at = node->at;
	struct tw_merge_heap_entry last;

	if (at == TW_MERGE_HEAP_OUT)
		return;
	last = h->entries[--h->n];
	node->at = TW_MERGE_HEAP_OUT;
	if (at < h->n)
		heap__settle(h, at, last);
}
