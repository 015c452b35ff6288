/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests a filter in use: two runs of the producer at the same time, under the current load, one with the filter pushed down and one
 * without. All events of the second are given to the evaluator. Both count the matching events.
 */
#ifndef CLI_FILTER_LIVE_H
#define CLI_FILTER_LIVE_H

#include <stdatomic.h>

#include "cli/filter/expression.h"
#include "cli/selection.h"
#include "producer/producer.h"
#include "transport/sink.h"

/*
 * Counts a stream's events in a window of time: the number that match an expression, and for each of its comparisons the numbers of
 * tests and matches. The frames go nowhere else.
 */
/* Numbers of one comparison. */
struct predicate_hits {
	struct tw_bound *bound; /* NULL = not counted separately */
	uint64_t asked;         /* events that have its fields */
	uint64_t matched;
};

struct filter_hits;

struct filter_hits_counts {
	uint64_t events;  /* events in the window, whether lost or not */
	uint64_t matched; /* of them, matching according to the evaluator */
	uint64_t lost;    /* at any time, from LOST records */
};

/** filter_hits__counts() - numbers so far; called by any thread */
struct filter_hits_counts filter_hits__counts(const struct filter_hits *hits);

/** filter_hits__predicate() - numbers of one comparison; called after the stream has ended */
const struct predicate_hits *filter_hits__predicate(const struct filter_hits *hits, unsigned int i);

struct filter_live {
	double seconds;                     /* length of the window in which events were counted */
	struct filter_hits *all, *filtered; /* of the run without and the run with the filter */
	struct tw_producer_counters all_counters, filtered_counters; /* from start to stop, longer than the window */
	struct tw_filter_places places;
	bool own_seen; /* threads of this program are in the trace: the counts may differ because of their activity */
};

/**
 * filter_live__run() - count until @seconds are over or a request to stop
 * @seconds: 0 = no limit
 * @ret: filter_live__fini()
 *
 * Shows progress on standard error, if that is a terminal.
 *
 * Return: 0, or -errno of a producer with @error filled.
 */
int filter_live__run(const struct filter_expression *expression, const struct cli_selection *selection,
		     uint64_t seconds, struct filter_live *ret, struct tw_error *error);

/** filter_live__fini() - free it; all-zero is fine */
void filter_live__fini(struct filter_live *live);

#endif
