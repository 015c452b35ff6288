/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides which events of a capture match a filter. The filter is bound to each schema of each stream at the first event with that
 * schema. If a format arrives later, the filter is bound again at the first event with this format. A comparison with a name that a schema
 * does not have is FALSE for all events of this schema. Such a comparison is no error, because a later schema may have the name. At the
 * end, tw_capture_filter__undecided_predicates() reports the comparisons whose names no schema had.
 *
 * Captures are untrusted, so memory and work of binding are limited. An event that cannot be decided because of a limit counts as
 * matching, and as undecided.
 */
#ifndef TW_CAPTURE_FILTER_H
#define TW_CAPTURE_FILTER_H

#include "filter/filter.h"
#include "stream/streams.h"

/* Limits of the bound filters. Beyond a limit, bound filters are freed; they are bound again when they are needed. */
#define TW_CAPTURE_FILTER_MEMORY_MAX ((size_t)128 << 20) /* bytes of all bound filters */
#define TW_CAPTURE_FILTER_BOUND_MAX  256                 /* number of bound filters */
/*
 * Limit of the work of binding. The unit is the work of binding one comparison to one format. WORK_FREE units are allowed initially, and
 * each event allows WORK_EVENT more. That is enough for a new schema from time to time, but not for a new schema with each event.
 */
#define TW_CAPTURE_FILTER_WORK_FREE  ((uint64_t)8 << 20)
#define TW_CAPTURE_FILTER_WORK_EVENT 16
#define TW_UNDECIDED_PREDICATES_MAX  8

struct tw_capture_filter_stats {
	uint64_t rejected;  /* events that do not match */
	uint64_t unknown;   /* rejected events without a format: only keys that all events have were compared */
	uint64_t undecided; /* events that count as matching, because a limit of memory or work was reached */
	uint64_t given_up;  /* events for which a `matches` search exceeded its limit; such a search finds no match */
};

/* Comparisons with names that no format of a capture has: mistyped names, or names of events whose formats were not captured. */
struct tw_undecided_predicates {
	unsigned int n; /* number of all such comparisons, which may exceed TW_UNDECIDED_PREDICATES_MAX */
	/* Texts about the first of these comparisons: "column N: no event has ...; did you mean ..." */
	struct tw_error text[TW_UNDECIDED_PREDICATES_MAX];
};

struct tw_capture_filter;

/**
 * tw_capture_filter__check() - check a filter without a capture
 * Return: 0; -EINVAL if a comparison is impossible for every event, with @error filled as by tw_filter__bind(); -ENOMEM
 */
int tw_capture_filter__check(const struct tw_filter *filter, struct tw_error *error);

/**
 * tw_capture_filter__new() - make the state of a filter for a capture
 * @filter: borrowed until tw_capture_filter__free()
 * @streams: the table of the events' streams, which is also borrowed. When a stream leaves the table, the filters that were bound to the
 * stream's schemas are freed. The names in these schemas still count for tw_capture_filter__undecided_predicates()
 * Return: as tw_capture_filter__check().
 */
int tw_capture_filter__new(const struct tw_filter *filter, struct tw_streams *streams, struct tw_capture_filter **ret,
			   struct tw_error *error);

/** tw_capture_filter__free() - call it before the table of streams is freed; NULL is fine */
void tw_capture_filter__free(struct tw_capture_filter *filter);

/**
 * tw_capture_filter__wants() - whether an event matches, according to the current state of its stream
 * @stream: stream of the event, in the filter's table
 * @frame: header of the frame that contains the event
 */
bool tw_capture_filter__wants(struct tw_capture_filter *filter, struct tw_stream *stream,
			      const struct tw_frame_info *frame, const struct tw_event_view *event);

/** tw_capture_filter__stats() - get the counters so far */
void tw_capture_filter__stats(const struct tw_capture_filter *filter, struct tw_capture_filter_stats *ret);

/**
 * tw_capture_filter__undecided_predicates() - at the end of the capture, get the comparisons with names that no schema of the
 * capture has. @ret is empty if no formats arrived
 */
void tw_capture_filter__undecided_predicates(struct tw_capture_filter *filter, struct tw_undecided_predicates *ret);

#endif
