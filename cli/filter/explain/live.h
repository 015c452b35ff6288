/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A filter at work: two runs of the producer at the same time, under the machine's own load, one with the filter pushed down and
 * one without, whose events are all put to the evaluator. So both say how many match.
 */
#ifndef CLI_FILTER_LIVE_H
#define CLI_FILTER_LIVE_H

#include <stdatomic.h>

#include "cli/filter/expression.h"
#include "cli/selection.h"
#include "producer/producer.h"
#include "transport/sink.h"

/*
 * A stream's events counted as they come, within a window of time: the number that match an expression, and for each of its comparisons
 * alone the numbers asked and matched. The frames go nowhere else.
 */
/* Of one comparison. */
struct predicate_hits {
	struct tw_bound *bound; /* NULL = not counted alone */
	uint64_t asked;         /* events that it is about */
	uint64_t matched;
};

struct filter_hits;

struct filter_hits_counts {
	uint64_t events;  /* that came within the window, whatever became of them */
	uint64_t matched; /* of them, says the evaluator */
	uint64_t lost;    /* at any time, as LOST tells */
};

/** filter_hits__counts() - so far; any thread */
struct filter_hits_counts filter_hits__counts(const struct filter_hits *hits);

/** filter_hits__predicate() - of one comparison; when the stream has ended */
const struct predicate_hits *filter_hits__predicate(const struct filter_hits *hits, unsigned int i);

struct filter_live {
	double seconds;                                        /* of the window in which events were counted */
	struct filter_hits *all, *filtered;                    /* of the run without and with the filter */
	struct tw_producer_counters all_books, filtered_books; /* from start to stop: longer than the window */
	struct tw_filter_places places;
	bool own_seen; /* threads of this program are in the trace: counts may differ by what they do */
};

/**
 * filter_live__run() - count until @seconds are over or somebody asks to stop
 * @seconds: 0 = until then
 * @ret: filter_live__fini()
 *
 * Tells its progress on standard error, where that is a terminal.
 *
 * Return: 0, or -errno of a producer with @error filled.
 */
int filter_live__run(const struct filter_expression *expression, const struct cli_selection *selection,
		     uint64_t seconds, struct filter_live *ret, struct tw_error *error);

/** filter_live__fini() - an all-zero one is fine */
void filter_live__fini(struct filter_live *live);

#endif
