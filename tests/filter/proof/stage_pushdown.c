/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each stage can do of an expression, and what is left for a later one, come to the whole. */
#include <stdio.h>
#include <stdlib.h>

#include "filter/bpf/program.h"
#include "filter/display.h"
#include "filter/pcap.h"
#include "filter/tracefs.h"
#include "filter/u32/u32.h"
#include "stages.h"
#include "tests/filter/pushdown.h"

static const struct {
	const char *name;
	tw_refuses *refuses;
} whom[] = { { "tracefs", tw_tracefs__refuses },
	     { "BPF", tw_bpf__refuses },
	     { "tshark", tw_display__refuses },
	     { "libpcap", tw_pcap__refuses },
	     { "u32", tw_u32__refuses } };
#define N_WHOM (sizeof(whom) / sizeof(whom[0]))

/* Cut in two for each of them, for the event that the expression is about most of all. */
static struct pushdown cut[N_WHOM];
static uint16_t id;

static bool begin(struct stage *stage, const struct question *question)
{
	(void)stage;
	id = question->e->format->id;
	for (size_t i = 0; i < N_WHOM; i++)
		if (pushdown__init(&cut[i], question->bound, id, whom[i].refuses)) {
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
	for (size_t i = 0; i < N_WHOM; i++) {
		if (pushdown__holds(&cut[i], &event))
			continue;
		fprintf(stderr, "what %s does and what is left is not the whole\n", whom[i].name);
		return STAGE_DIFFERS;
	}
	return STAGE_AGREES;
}

static bool end(struct stage *stage)
{
	(void)stage;
	for (size_t i = 0; i < N_WHOM; i++)
		pushdown__fini(&cut[i]);
	return true;
}

struct stage stage_pushdown = { .counts.name = "push-down", .begin = begin, .ask = ask, .end = end };
