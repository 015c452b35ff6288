/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames lent to a merge, each in separate memory, so that a sanitizer finds a read after the loan. */
#ifndef TESTS_LENT_H
#define TESTS_LENT_H

#include <stdlib.h>
#include <string.h>

#include "pcap-tools/merge/merge.h"

struct lent {
	struct tw_borrowed_buffer loan;
	uint8_t bytes[];
};

static inline void lent__over(struct tw_borrowed_buffer *loan)
{
	free((uint8_t *)loan - offsetof(struct lent, loan));
}

typedef void lent_taker(void *ctx, const uint8_t *frame, size_t len, const struct tw_arrival *arrival);

/** lend() - pass a copy of a frame to @take with @arrival; the copy exists while it has users */
static inline void lend(lent_taker *take, void *ctx, const void *frame, size_t len, struct tw_arrival arrival)
{
	struct lent *lent = malloc(sizeof(*lent) + len + TW_MERGE_SLACK);

	if (!lent)
		abort();
	lent->loan = (struct tw_borrowed_buffer){ .users = 1, .released = lent__over };
	memcpy(lent->bytes, frame, len);
	memset(lent->bytes + len, 0, TW_MERGE_SLACK);
	arrival.buffer = &lent->loan;
	take(ctx, lent->bytes, len, &arrival);
	tw_borrowed_buffer__return(&lent->loan);
}

#endif
