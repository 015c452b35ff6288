/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/filtering/stages.h"

#include <errno.h>

#include "filter/tracefs.h"

const char *tw_producer__refuses(const struct tw_test *test)
{
	return test->operand == TW_ON_COMM ? "the task's name may become known only after the event" : NULL;
}

int tw_stages__split(const struct tw_node *root, bool with_kernel, struct tw_arena *arena, struct tw_stages *ret)
{
	static const struct tw_node all = { .kind = TW_NODE_TRUE };
	struct tw_stages stages = { .kernel = &all };
	const struct tw_node *rest = root;

	if (with_kernel) {
		stages.kernel = tw_node__weaken(root, tw_tracefs__refuses, arena, NULL);
		rest = tw_node__rest(root, tw_tracefs__refuses, arena);
	}
	if (!stages.kernel || !rest)
		return -ENOMEM;
	stages.producer = tw_node__weaken(rest, tw_producer__refuses, arena, NULL);
	stages.later = tw_node__rest(rest, tw_producer__refuses, arena);
	if (!stages.producer || !stages.later)
		return -ENOMEM;
	*ret = stages;
	return 0;
}
