/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A binary heap, ordered by time, of structures with a node: channels of a stream, or streams of a merge. Equal times are ordered by the
 * nodes' ids.
 */
#ifndef TW_MERGE_HEAP_H
#define TW_MERGE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_MERGE_HEAP_OUT SIZE_MAX /* value of `at` in a node that is in no heap */

struct tw_merge_heap_node {
	uint64_t id;
	size_t at; /* index in the heap, or TW_MERGE_HEAP_OUT */
};

struct tw_merge_heap_entry {
	uint64_t time;
	struct tw_merge_heap_node *node;
};

struct tw_merge_heap {
	struct tw_merge_heap_entry *entries;
	size_t n, cap;
};

/** tw_merge_heap__grow() - make sure that memory for @n entries is allocated. Return: false without memory */
bool tw_merge_heap__grow(struct tw_merge_heap *h, size_t n);

/** tw_merge_heap__fini() - free the entries; the nodes are the caller's */
void tw_merge_heap__fini(struct tw_merge_heap *h);

/** tw_merge_heap__put() - set the time of a node, and insert the node if needed; tw_merge_heap__grow() must have made room for it */
void tw_merge_heap__put(struct tw_merge_heap *h, struct tw_merge_heap_node *node, uint64_t time);

/** tw_merge_heap__remove() - remove a node; no effect if it is not in the heap */
void tw_merge_heap__remove(struct tw_merge_heap *h, struct tw_merge_heap_node *node);

/* Whether @a comes before @b; entries of the same time are ordered by id. */
static inline bool tw_merge_heap_entry__before(const struct tw_merge_heap_entry *a, const struct tw_merge_heap_entry *b)
{
	return a->time < b->time || (a->time == b->time && a->node->id < b->node->id);
}

/** tw_merge_heap__second() - the entry after the top; NULL if there is none */
static inline const struct tw_merge_heap_entry *tw_merge_heap__second(const struct tw_merge_heap *h)
{
	if (h->n < 2)
		return NULL;
	return &h->entries[h->n > 2 && tw_merge_heap_entry__before(&h->entries[2], &h->entries[1]) ? 2 : 1];
}

#endif
