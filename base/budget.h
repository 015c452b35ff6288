/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An allocator that takes memory from the heap, up to a limit. */
#ifndef TW_BUDGET_H
#define TW_BUDGET_H

#include "base/alloc.h"

struct tw_budget {
	struct tw_alloc alloc; /* for code that allocates; its context is this structure, which must not move */
	size_t max, used;      /* limit, and what is allocated now, bytes */
};

/** tw_budget__init() - begin with nothing allocated. @max: limit, bytes */
void tw_budget__init(struct tw_budget *budget, size_t max);

#endif
