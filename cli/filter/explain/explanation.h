/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of `filter explain` for an expression: which stages can evaluate each predicate (filter/capability.h), and the route of each
 * event type through the stages of a command. A route states which predicates each stage evaluates, and which ones no stage evaluates.
 * The result is printed as text or as JSON.
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
	bool whole; /* the stage evaluates either the whole expression or nothing; false: it can evaluate a part */
};

extern const struct filter_stage_info filter_stages[FILTER_STAGES];

/* Largest number of stages of a command. */
#define FILTER_PIPELINE_MAX 4

struct filter_pipeline {
	const char *name;                              /* name of the command; NULL ends the list */
	enum filter_stage stages[FILTER_PIPELINE_MAX]; /* in order */
	unsigned int n;
	bool has_wire; /* events pass an interface, so a classifier may be inserted in @stages, at index wire_at */
	unsigned int wire_at;
	const char *then; /* end of the sentence about predicates that no stage evaluates; NULL = there are never any */
};

enum filter_can {
	FILTER_CERTAIN,    /* for each event type, the type alone decides the predicate: nothing must be evaluated */
	FILTER_CAN,        /* the stage can evaluate the predicate for all event types for which it must be evaluated */
	FILTER_CAN_PARTLY, /* the stage can evaluate it only for some of these event types */
	FILTER_CANNOT,     /* the stage can evaluate it for none of these event types */
};

struct filter_ability {
	enum filter_can can;
	const char *why;               /* why the stage cannot evaluate it for @event; NULL = @event is NULL */
	const struct tw_format *event; /* the first event type for which the stage cannot evaluate the predicate */
};

/* The abilities of all stages for one predicate. */
typedef struct filter_ability filter_abilities[FILTER_STAGES];

/** filter_can__name() - text of an ability: "yes", "part", "no", "known" */
const char *filter_can__name(enum filter_can can);

/* A set of predicates: bit i is set for predicate i. */
struct predicate_set {
	uint64_t bits[TW_FILTER_PREDICATES_MAX / 64];
};

struct filter_step {
	struct predicate_set does; /* predicates that the stage evaluates */
	bool is_whole;             /* the stage evaluates everything that earlier stages have left */
	bool is_idle;              /* earlier stages have left nothing */
	const char *entangled;     /* why the stage evaluates nothing; NULL = unused, or see filter_routes.refusals */
};

enum filter_fate {
	FILTER_MATCHES_NEVER,
	FILTER_MATCHES_ALWAYS,
	FILTER_DEPENDS,
	FILTER_TURNED_AWAY, /* marks (ftrace:print): the producer discards them, because it lacks the task names that the filter needs */
};

struct filter_route {
	enum filter_fate fate;
	struct filter_step steps[FILTER_PIPELINE_MAX]; /* one for each stage */
	struct predicate_set left;                     /* predicates that no stage evaluates */
	char *kernel;                                  /* the tracefs filter of the event type; NULL = none */
};

/* The routes of all events: items[i] is the route of the events in groups.items[i]. */
struct filter_routes {
	struct event_groups groups;
	struct filter_route *items;
	/*
	 * For each stage that evaluates only whole expressions: why it cannot evaluate the filter expression. "" = it can, or the stage
	 * also evaluates parts of expressions.
	 */
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
	const struct filter_live *live; /* results of --live; NULL = not given */
};

/** filter_explanation__print(), filter_explanation__print_json() - print an explanation as text, or as one JSON object */
void filter_explanation__print(const struct filter_explanation *explanation, FILE *out);
void filter_explanation__print_json(const struct filter_explanation *explanation, FILE *out);

#endif
