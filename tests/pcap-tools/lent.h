/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames lent to a merge, in memory of their own: who reads on when the loan is over reads freed memory. */
#ifndef TESTS_LENT_H
#define TESTS_LENT_H

#include <stdlib.h>
#include <string.h>

#include "pcap-tools/merge/merge.h"

struct lent {
	struct tw_loan loan;
	uint8_t bytes[];
};

static inline void lent__over(struct tw_loan *loan)
{
	free((uint8_t *)loan - offsetof(struct lent, loan));
}

/** lent__new() - its one user so far is the caller, for whom tw_loan__end() is due */
static inline struct lent *lent__new(const void *data, size_t len)
{
	struct lent *lent = malloc(sizeof(*lent) + len + TW_MERGE_SLACK);

	if (!lent)
		abort();
	lent->loan = (struct tw_loan){ .users = 1, .over = lent__over };
	memcpy(lent->bytes, data, len);
	memset(lent->bytes + len, 0, TW_MERGE_SLACK);
	return lent;
}

#endif
