/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream's events counted as they come, within a window of time: how many match an expression, and of each of its comparisons
 * alone how many were asked and matched. The frames go nowhere else.
 */
#ifndef CLI_FILTER_HITS_H
#define CLI_FILTER_HITS_H

#include <stdatomic.h>

#include "cli/filter/expression.h"
#include "transport/sink.h"

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

/**
 * filter_hits__new() - @expression: borrowed until filter_hits__free()
 * @each: count the comparisons alone, too
 * Return: 0 or -errno with @err filled.
 */
int filter_hits__new(const struct filter_expression *expression, bool each, struct filter_hits **ret,
		     struct tw_error *err);

/** filter_hits__free() - after its sink is closed; NULL is fine */
void filter_hits__free(struct filter_hits *hits);

/** filter_hits__sink() - where the stream's frames go; one sink for all of them. Closing it leaves the counts */
struct tw_sink *filter_hits__sink(struct filter_hits *hits);

/** filter_hits__set_window() - count events of these times, ns of the stream's clock; any thread */
void filter_hits__set_window(struct filter_hits *hits, uint64_t from, uint64_t until);

/** filter_hits__counts() - so far; any thread */
struct filter_hits_counts filter_hits__counts(const struct filter_hits *hits);

/** filter_hits__predicate() - of one comparison; when the stream has ended */
const struct predicate_hits *filter_hits__predicate(const struct filter_hits *hits, unsigned int i);

#endif
