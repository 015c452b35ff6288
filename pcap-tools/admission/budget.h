/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A rate limit (token bucket): it has at most `most` units, and is refilled with `a_second` units per second. */
#ifndef TW_BUDGET_H
#define TW_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"

struct tw_budget {
	uint64_t a_second, most;
	uint64_t left; /* units that may be spent */
	uint64_t at;   /* time up to which `left` is refilled, ns */
};

/** tw_budget__full() - make a full budget of @most units */
static inline struct tw_budget tw_budget__full(uint64_t a_second, uint64_t most)
{
	return (struct tw_budget){ .a_second = a_second, .most = most, .left = most };
}

/** tw_budget__refill() - add the units for the time up to @now (ns); a fraction of a unit is added by a later call */
static inline void tw_budget__refill(struct tw_budget *b, uint64_t now)
{
	const double one = (double)TW_NS_PER_SECOND / (double)b->a_second;
	const uint64_t passed = now > b->at ? now - b->at : 0;
	const uint64_t more = passed >= 3600 * TW_NS_PER_SECOND ? b->most : (uint64_t)((double)passed / one);

	if (!more)
		return;
	if (b->most - b->left <= more) {
		b->left = b->most;
		b->at = now;
	} else {
		b->left += more;
		b->at += (uint64_t)((double)more * one);
	}
}

/** tw_budget__spend() - spend @n units. Return: false, with nothing spent, if fewer units are left */
static inline bool tw_budget__spend(struct tw_budget *b, uint64_t n)
{
	if (b->left < n)
		return false;
	b->left -= n;
	return true;
}

#endif
