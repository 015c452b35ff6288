/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events of a capture a filter wants. The filter is bound to each schema of each stream when the first event of it comes, and
 * again as more of its formats come. Names that a schema does not have match nothing there, for what will come nobody knows
 * before; tw_capture_filter__undecided_predicates() tells at the end which of them no schema had.
 *
 * Captures come from strangers. Memory and the work of binding are bounded; an event that can therefore not be decided is wanted,
 * and counted.
 */
#ifndef TW_CAPTURE_FILTER_H
#define TW_CAPTURE_FILTER_H

#include "filter/filter.h"
#include "stream/streams.h"

/* Of the bound filters. Beyond it they are thrown away, and made again when they are needed. */
#define TW_CAPTURE_FILTER_MEMORY_MAX ((size_t)128 << 20) /* bytes */
#define TW_CAPTURE_FILTER_BOUND_MAX  256                 /* schemas */
/*
 * Binding one comparison to one format is a unit of work. So many are free, and so many more with each event: enough for a new
 * schema now and then for ever, not for one with each event.
 */
#define TW_CAPTURE_FILTER_WORK_FREE  ((uint64_t)8 << 20)
#define TW_CAPTURE_FILTER_WORK_EVENT 16
#define TW_UNDECIDED_PREDICATES_MAX  8

struct tw_capture_filter_stats {
	uint64_t rejected;  /* events that do not match */
	uint64_t unknown;   /* of these, events whose format had not come: only what all events have was compared */
	uint64_t undecided; /* events that are wanted because memory or work are used up */
	uint64_t given_up; /* events of which a search of MATCHES took more than one may, and counts as nothing found */
};

/* Comparisons that mean no event of a capture: names mistyped, or of events that did not come. */
struct tw_undecided_predicates {
	unsigned int n;
	struct tw_error
		text[TW_UNDECIDED_PREDICATES_MAX]; /* of the first: "column N: no event has ...; did you mean ..." */
};

struct tw_capture_filter;

/** tw_capture_filter__check() - Return: 0; -EINVAL if no event whatsoever can be compared so, with @error as of tw_filter__bind(); -ENOMEM */
int tw_capture_filter__check(const struct tw_filter *filter, struct tw_error *error);

/**
 * tw_capture_filter__new() - @filter and @streams: borrowed until tw_capture_filter__free()
 *
 * The streams of the table are those of the events that it is asked about. Of one that leaves the filter keeps what it had no meaning for.
 *
 * Return: as tw_capture_filter__check().
 */
int tw_capture_filter__new(const struct tw_filter *filter, struct tw_streams *streams, struct tw_capture_filter **ret,
			   struct tw_error *error);

/** tw_capture_filter__free() - before the table of streams; NULL is fine */
void tw_capture_filter__free(struct tw_capture_filter *filter);

/**
 * tw_capture_filter__wants() - whether an event matches, by what is known of its stream now
 * @stream: of the table
 * @frame: that it came in
 */
bool tw_capture_filter__wants(struct tw_capture_filter *filter, struct tw_stream *stream,
			      const struct tw_frame_info *frame, const struct tw_event_view *event);

void tw_capture_filter__stats(const struct tw_capture_filter *filter, struct tw_capture_filter_stats *ret);

/** tw_capture_filter__undecided_predicates() - what of the filter no schema of the capture has: at its end. None where no format came */
void tw_capture_filter__undecided_predicates(struct tw_capture_filter *filter, struct tw_undecided_predicates *ret);

#endif
