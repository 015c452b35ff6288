/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `filter explain` finds out of an expression: which stage can do which predicate (filter/capability.h), and which way each event goes
 * through a command: which stage asks what of it, and what is left for the next. Printed as text and as JSON.
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
	bool whole; /* it takes an expression whole or not at all */
};

extern const struct filter_stage_info filter_stages[FILTER_STAGES];

/* Which stages a command has. */
#define FILTER_PIPELINE_MAX 4

struct filter_pipeline {
	const char *name;                              /* of the command; NULL ends the list */
	enum filter_stage stages[FILTER_PIPELINE_MAX]; /* in order */
	unsigned int n;
	bool has_wire; /* a classifier may stand before the stage of that number */
	unsigned int wire_at;
	const char *then; /* what comes of what is left behind them; NULL = nothing is */
};

enum filter_can {
	FILTER_CERTAIN,    /* the kind of event decides already */
	FILTER_CAN,        /* for every event that it is about */
	FILTER_CAN_PARTLY, /* for some of them */
	FILTER_CANNOT,
};

struct filter_ability {
	enum filter_can can;
	const char *why;               /* of the first event that it cannot: goes on after "because"; else NULL */
	const struct tw_format *event; /* that event */
};

/* A row for each predicate. */
typedef struct filter_ability filter_abilities[FILTER_STAGES];

/** filter_can__name() - "yes", "part", "no", "known" */
const char *filter_can__name(enum filter_can can);

/* Of predicates, by index. */
struct predicate_set {
	uint64_t bits[TW_FILTER_PREDICATES_MAX / 64];
};

struct filter_step {
	struct predicate_set does; /* what it asks; with is_whole that is all there is */
	bool is_whole;             /* it does all that was left */
	bool is_idle;              /* nothing was left for it */
	const char *entangled;     /* it could do some of what is left, and cannot begin: why; else NULL */
};

enum filter_fate {
	FILTER_MATCHES_NEVER,
	FILTER_MATCHES_ALWAYS,
	FILTER_DEPENDS,
	FILTER_TURNED_AWAY, /* marks, where the names of tasks decide: a producer does not take them */
};

struct filter_route {
	enum filter_fate fate;
	struct filter_step steps[FILTER_PIPELINE_MAX]; /* by stage of the pipeline */
	struct predicate_set left;
	char *kernel; /* the event's filter in tracefs; NULL if there is none */
};

/* Events that go the same way are one group; its route has the group's index. */
struct filter_routes {
	struct event_groups groups;
	struct filter_route *items;
	/* Of stages that take an expression whole or not at all: why they do not take this one; "" if they do. */
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
	const struct filter_live *live; /* NULL = it was not put to work */
};

/** filter_explanation__print() - as text for people; and as one JSON object */
void filter_explanation__print(const struct filter_explanation *explanation, FILE *out);
void filter_explanation__print_json(const struct filter_explanation *explanation, FILE *out);

#endif
