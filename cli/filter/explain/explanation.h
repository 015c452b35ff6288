/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of `filter explain` for an expression: which stage can evaluate which predicate (filter/capability.h), and the route of
 * each event through a command: what each stage evaluates, and what is left for the next. Printed as text and as JSON.
 */
#ifndef CLI_FILTER_EXPLANATION_H
#define CLI_FILTER_EXPLANATION_H

#include <stdio.h>

#include "cli/filter/event_groups.h"
#include "cli/filter/explain/live.h"
#include "cli/filter/expression.h"
#include "filter/capability.h"

/* The stages that events pass. */
enum filter_stage {
	FILTER_IN_TRACEFS,
	FILTER_IN_PRODUCER,
	FILTER_IN_XDP,
	FILTER_IN_TC,
	FILTER_IN_U32,
	FILTER_IN_PCAP,
	FILTER_IN_DISPLAY,
	FILTER_IN_TOOLS,
	FILTER_STAGES,
};

struct filter_stage_info {
	const char *name;
	enum tw_back_end back_end;
	bool whole; /* it takes a whole expression or nothing */
};

extern const struct filter_stage_info filter_stages[FILTER_STAGES];

/* The stages of a command. */
#define FILTER_PIPELINE_MAX 4

struct filter_pipeline {
	const char *name;                              /* name of the command; NULL ends the list */
	enum filter_stage stages[FILTER_PIPELINE_MAX]; /* in order */
	unsigned int n;
	bool has_wire; /* a classifier may precede the stage with that index */
	unsigned int wire_at;
	const char *then; /* what happens to a rest after all stages; NULL = there is none */
};

enum filter_can {
	FILTER_CERTAIN,    /* decided by the event's name alone */
	FILTER_CAN,        /* for every event with its fields */
	FILTER_CAN_PARTLY, /* for some of these events */
	FILTER_CANNOT,
};

struct filter_ability {
	enum filter_can can;
	const char *why; /* about the first event for which it cannot: follows "because"; otherwise NULL */
	const struct tw_format *event; /* that event */
};

/* One row for each predicate. */
typedef struct filter_ability filter_abilities[FILTER_STAGES];

/** filter_can__name() - "yes", "part", "no", "known" */
const char *filter_can__name(enum filter_can can);

/* Predicates by index. */
struct predicate_set {
	uint64_t bits[TW_FILTER_PREDICATES_MAX / 64];
};

struct filter_step {
	struct predicate_set does; /* predicates it evaluates; with is_whole, the whole expression */
	bool is_whole;             /* it evaluates all of the rest */
	bool is_idle;              /* nothing was left for it */
	const char *entangled; /* it could evaluate some of the rest but does not get it: the reason; otherwise NULL */
};

enum filter_fate {
	FILTER_MATCHES_NEVER,
	FILTER_MATCHES_ALWAYS,
	FILTER_DEPENDS,
	FILTER_TURNED_AWAY, /* it is about marks, and task names decide: a producer does not evaluate that */
};

struct filter_route {
	enum filter_fate fate;
	struct filter_step steps[FILTER_PIPELINE_MAX]; /* one for each stage */
	struct predicate_set left;
	char *kernel; /* the event's tracefs filter; NULL = none */
};

/* Events with the same route are one group; the route has the index of its group. */
struct filter_routes {
	struct event_groups groups;
	struct filter_route *items;
	/* For stages that take whole expressions: why they do not take this one; "" if they do. */
	struct tw_error refusals[FILTER_PIPELINE_MAX];
};

static inline void predicate_set__add(struct predicate_set *set, unsigned int i)
{
	set->bits[i / 64] |= 1ull << i % 64;
}

static inline bool predicate_set__has(const struct predicate_set *set, unsigned int i)
{
	return set->bits[i / 64] >> i % 64 & 1;
}

static inline bool predicate_set__is_empty(const struct predicate_set *set)
{
	return !(set->bits[0] | set->bits[1] | set->bits[2] | set->bits[3]);
}

struct filter_explanation {
	const struct filter_expression *expression;
	const struct cli_formats_source *source;
	const struct filter_pipeline *pipeline;
	filter_abilities *abilities;
	struct filter_routes routes;
	const struct filter_live *live; /* NULL = it was not run */
};

/** filter_explanation__print() - print it as text, or as one JSON object */
void filter_explanation__print(const struct filter_explanation *explanation, FILE *out);
void filter_explanation__print_json(const struct filter_explanation *explanation, FILE *out);

#endif
