/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of an event's filter is done where: in the kernel, by the producer, by whoever gets the frames. */
#ifndef TW_STAGES_H
#define TW_STAGES_H

#include "filter/tree.h"

/* A record of the event is wanted if all three are true of it. Each is TRUE where the stage has nothing to do. */
struct tw_stages {
	const struct tw_node *kernel, *producer, *later;
};

/**
 * tw_stages__split() - divide an event's tree
 * @with_kernel: else the kernel gets nothing
 * @arena: takes the parts
 *
 * Return: 0 or -ENOMEM.
 */
int tw_stages__split(const struct tw_node *root, bool with_kernel, struct tw_arena *arena, struct tw_stages *ret);

#endif
