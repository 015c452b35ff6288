/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/explain/ability.h"

#include <errno.h>
#include <stdlib.h>

/* One test more of a predicate: @first if none came before it. */
static void note(struct filter_ability *ability, bool first, const char *why, const struct tw_format *event)
{
	const enum filter_can can = why ? FILTER_CANNOT : FILTER_CAN;

	ability->can = (uint8_t)(first || ability->can == can ? can : FILTER_CAN_PARTLY);
	if (why && !ability->why) {
		ability->why = why;
		ability->event = event;
	}
}

static void ask_all(filter_abilities *row, const struct tw_test *test, const struct tw_format *event)
{
	for (int stage = 0; stage < FILTER_STAGES; stage++) {
		struct filter_ability *ability = &(*row)[stage];

		note(ability, ability->can == FILTER_CERTAIN, tw_test__refusal(test, filter_stages[stage].back_end),
		     event);
	}
}

static void ask_event(filter_abilities *rows, const struct tw_bound_event *event)
{
	struct tw_walk walk = tw_walk__on(event->root);
	enum tw_walk_at at;

	while ((at = tw_walk__next(&walk)) != TW_WALK_END)
		if (at == TW_WALK_LEAF && walk.node->kind == TW_NODE_TEST)
			ask_all(&rows[walk.node->test->predicate], walk.node->test, event->format);
}

int filter_abilities__find(const struct filter_expression *expression, filter_abilities **ret, struct tw_error *err)
{
	const unsigned int n = tw_filter__predicates(expression->filter);
	filter_abilities *rows = calloc(n ? n : 1, sizeof(*rows));

	if (!rows)
		return tw_error__set(err, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < n; i++)
		for (int stage = 0; stage < FILTER_STAGES; stage++)
			rows[i][stage].can = FILTER_CERTAIN;
	for (size_t i = 0; i < expression->bound->n_events; i++)
		ask_event(rows, &expression->bound->events[i]);
	*ret = rows;
	return 0;
}

const char *filter_can__name(enum filter_can can)
{
	static const char *const names[] = {
		[FILTER_CAN] = "yes",
		[FILTER_CAN_PARTLY] = "part",
		[FILTER_CANNOT] = "no",
		[FILTER_CERTAIN] = "known",
	};

	return names[can];
}
