/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel has of a set of u32's filters. Used inside xdp/ only. */
#ifndef TW_U32_LOOK_H
#define TW_U32_LOOK_H

#include "xdp/clsact.h"

/* Sets of filters take turns with two priorities. */
#define TW_U32_FIRST_PRIO  (TW_TC_PRIO + TW_PLACE_U32)
#define TW_U32_SECOND_PRIO (TW_TC_PRIO + TW_PLACES)

struct tw_u32_look {
	const struct tw_state *state; /* set by tw_u32__look() */
	struct tw_counter *rows;      /* added to; NULL = not asked for */
	unsigned int n, in_hw;        /* filters, and those that the kernel states to be in hardware */
};

/** tw_u32__look() - at the filters of that priority; @ret begins zeroed. Return: 0 or -errno */
int tw_u32__look(struct nl_sock *sk, const struct tw_state *state, uint32_t prio, struct tw_u32_look *ret);

/** tw_u32__remove_set() - the filters of that priority */
void tw_u32__remove_set(struct nl_sock *sk, const struct tw_state *state, uint32_t prio);

#endif
