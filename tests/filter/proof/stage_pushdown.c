/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For each back end, the part that it can evaluate and the rest together equal the whole expression. */
#include <stdio.h>
#include <stdlib.h>

#include "stages.h"
#include "tests/filter/pushdown.h"

/* The filter of the event that the expression is mostly about, split for each back end. */
static struct pushdown cut[TW_BACK_END_TOOLS];
static uint16_t id;

static bool begin(struct stage *stage, const struct question *question)
{
	(void)stage;
	id = question->e->format->id;
	for (enum tw_back_end i = 0; i < TW_BACK_END_TOOLS; i++)
		if (pushdown__init(&cut[i], question->bound, id, i)) {
			fprintf(stderr, "proof: %s cannot be cut in two\n", question->e->text);
			exit(1);
		}
	return true;
}

static enum stage_answer ask(struct stage *stage, const struct made_frame *frame, bool matches)
{
	const struct tw_filter_event event = frame__event(frame);

	if (event.id != id)
		return STAGE_NOTHING;
	stage->counts.matched += matches;
	for (enum tw_back_end i = 0; i < TW_BACK_END_TOOLS; i++) {
		if (pushdown__holds(&cut[i], &event))
			continue;
		fprintf(stderr, "the parts of %s and the rest are not the whole\n", tw_back_end__name(i));
		return STAGE_DIFFERS;
	}
	return STAGE_AGREES;
}

static bool end(struct stage *stage)
{
	(void)stage;
	for (enum tw_back_end i = 0; i < TW_BACK_END_TOOLS; i++)
		pushdown__fini(&cut[i]);
	return true;
}

struct stage stage_pushdown = { .counts.name = "push-down", .begin = begin, .ask = ask, .end = end };
