/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to filter/bpf. What is asked of an event, as its id says: rules one after the other, those left out that cannot match
 * and those behind one that always does. Chains that end alike share their ends.
 */
#ifndef TW_BPF_CHAIN_H
#define TW_BPF_CHAIN_H

#include "filter/rules.h"
#include "filter/tree.h"

/* Where one goes: a link, or the row that decides: rule i, or n for the default. */
#define TW_TO_ROW 0x80000000u

struct tw_chain_link {
	const struct tw_node *root; /* of the rule's tree for some event; a TEST, AND or OR */
	uint64_t hash;
	uint32_t matched, next; /* row and link or row, where it matches and where it doesn't */
	uint32_t extent;        /* bytes of the TLV that this and those behind it look at, at most */
};

/* Ids from the first on, up to the next range. */
struct tw_chain_range {
	uint32_t first;
	uint32_t to;
};

struct tw_chains {
	struct tw_chain_link *links; /* each only goes on to those before it */
	struct tw_chain_range *ranges;
	uint32_t n_links, n_ranges;
	uint32_t *table; /* of links, by hash */
	uint32_t table_size;
	uint32_t extent; /* largest of all */
};

/** tw_chains__make() - @ret: tw_chains__fini(). Return: 0, -ENOMEM, -E2BIG */
int tw_chains__make(const struct tw_rules *rules, struct tw_chains *ret);
void tw_chains__fini(struct tw_chains *chains);

#endif
