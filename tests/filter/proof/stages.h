/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The back ends that an expression is compiled for, each tested with the same frames. */
#ifndef STAGES_H
#define STAGES_H

#include "filter/rules.h"
#include "frames.h"

/* An expression with one rule: matching events are dropped. */
struct question {
	const struct expression *e;
	struct tw_bound *bound;
	struct tw_rule rule;
	struct tw_rules rules;
};

/* Results of a stage. */
struct stage_counts {
	const char *name;
	unsigned long expressions, refused, too_large; /* numbers of expressions */
	unsigned long pairs, matched;                  /* number of verdicts, and of matches */
};

enum stage_answer {
	STAGE_NOTHING, /* the stage does not take this frame */
	STAGE_AGREES,
	STAGE_DIFFERS,
};

/* A stage. Between begin and end, it keeps its own data. */
struct stage {
	struct stage_counts counts;
	/* Return: false if the stage cannot express the expression. If it should be able to, the program ends. */
	bool (*begin)(struct stage *stage, const struct question *question);
	/* @matches: the evaluator's result for a single frame */
	enum stage_answer (*ask)(struct stage *stage, const struct made_frame *frame, bool matches);
	/* Return: false if a counter is wrong */
	bool (*end)(struct stage *stage);
	void *own;
};

/** stage__refused() - count the error of a compiler; unless it is a refusal or a limit, end the program. Return: false */
bool stage__refused(struct stage *stage, const struct question *question, int error, const char *why);

extern struct stage stage_pushdown, stage_xdp, stage_tc, stage_pcap, stage_u32, stage_cls_u32;

#endif
