/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests a filter under the current load. Two producers run at the same time: one with the filter, which the kernel and the producer
 * evaluate, and one without the filter. The evaluator (filter/evaluate.h) then tests all events that arrive from each producer, and the
 * matching events are counted.
 */
#ifndef CLI_FILTER_LIVE_H
#define CLI_FILTER_LIVE_H

#include "cli/filter/expression.h"
#include "cli/selection.h"
#include "producer/producer.h"

/* The counts of one comparison. */
struct predicate_hits {
	struct tw_bound *bound; /* the comparison alone */
	uint64_t asked;         /* number of tested events; events whose type rules out a match are not tested */
	uint64_t matched;
};

/* The counts of one producer. */
struct filter_hits {
	uint64_t events;  /* events received with a time in the window */
	uint64_t matched; /* number of these events that match according to the evaluator */
	uint64_t lost;    /* events lost at any time, from LOST records; a loss of unknown size counts as 1 */
};

struct filter_live {
	double seconds;                       /* length of the window in which events were counted */
	struct filter_hits all, filtered;     /* counts of the producers without and with the filter */
	struct predicate_hits *predicates;    /* counts of the unfiltered producer, in the order of the expression */
	unsigned int n;                       /* number of @predicates */
	struct tw_producer_counters counters; /* counters of the producer with the filter, for its whole run */
	struct tw_filter_places places;
	bool own_seen; /* a thread of this process could not be excluded from both traces, so the counts may differ */
};

/**
 * filter_live__run() - run both producers and count events, for @seconds or until a request to stop
 * @seconds: 0 = no limit
 * @ret: filled if 0 is returned; freed by filter_live__fini()
 *
 * Requires events in @selection, and privileges to trace. Shows progress on standard error, if that is a terminal.
 *
 * Return: 0, or -errno with @error filled.
 */
int filter_live__run(const struct filter_expression *expression, const struct cli_selection *selection,
		     uint64_t seconds, struct filter_live *ret, struct tw_error *error);

/** filter_live__fini() - free the members of @live, which may be all-zero */
void filter_live__fini(struct filter_live *live);

#endif
