/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A binary heap of channels by the time of their first waiting item; equal times by channel number. */
#ifndef TW_MERGE_HEAP_H
#define TW_MERGE_HEAP_H

#include "pcap-tools/merge/channel.h"

struct tw_heap_entry {
	uint64_t time;
	struct tw_channel *channel;
};

struct tw_heap {
	struct tw_heap_entry *entries;
	size_t n, cap;
};

/** tw_heap__grow() - room for @n entries. Return: false without memory */
bool tw_heap__grow(struct tw_heap *h, size_t n);

/** tw_heap__fini() - frees the entries, not the channels */
void tw_heap__fini(struct tw_heap *h);

/** tw_heap__update() - put a channel where its head belongs: in, out or elsewhere */
void tw_heap__update(struct tw_heap *h, struct tw_channel *c);

/* Of two entries, the one to go out first. */
static inline bool tw_heap_entry__before(const struct tw_heap_entry *a, const struct tw_heap_entry *b)
{
	return a->time < b->time || (a->time == b->time && a->channel->id < b->channel->id);
}

/** tw_heap__second() - the entry that is next after the top; NULL if there is none */
static inline const struct tw_heap_entry *tw_heap__second(const struct tw_heap *h)
{
	if (h->n < 2)
		return NULL;
	return &h->entries[h->n > 2 && tw_heap_entry__before(&h->entries[2], &h->entries[1]) ? 2 : 1];
}

#endif
