/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A filter at work: two runs of the producer at the same time, under the machine's own load, one with the filter pushed down and
 * one without, whose events are all put to the evaluator. So both say how many match.
 */
#ifndef CLI_FILTER_LIVE_H
#define CLI_FILTER_LIVE_H

#include "cli/filter/explain/hits.h"
#include "cli/selection.h"
#include "producer/producer.h"

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
 * Return: 0, or -errno of a producer with @err filled.
 */
int filter_live__run(const struct filter_expression *expression, const struct cli_selection *selection,
		     uint64_t seconds, struct filter_live *ret, struct tw_error *err);

/** filter_live__fini() - an all-zero one is fine */
void filter_live__fini(struct filter_live *live);

#endif
