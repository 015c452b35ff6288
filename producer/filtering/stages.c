/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/filtering/stages.h"

#include <errno.h>

#include "filter/capability.h"

int tw_stages__split(const struct tw_node *root, bool with_kernel, struct tw_arena *arena, struct tw_stages *ret)
{
	static const struct tw_node all = { .kind = TW_NODE_TRUE };
	struct tw_stages stages = { .kernel = &all };
	const struct tw_node *rest = root;

	if (with_kernel) {
		stages.kernel = tw_node__weaken(root, TW_BACK_END_TRACEFS, arena, NULL);
		rest = tw_node__rest(root, TW_BACK_END_TRACEFS, arena);
	}
	if (!stages.kernel || !rest)
		return -ENOMEM;
	stages.producer = tw_node__weaken(rest, TW_BACK_END_PRODUCER, arena, NULL);
	stages.later = tw_node__rest(rest, TW_BACK_END_PRODUCER, arena);
	if (!stages.producer || !stages.later)
		return -ENOMEM;
	*ret = stages;
	return 0;
}
