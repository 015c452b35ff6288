/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides which events of a capture match a filter. The filter is bound to each schema of each stream when its first event arrives, and
 * again when more of its formats arrive. Names that a schema does not have match nothing there, because later schemas are unknown;
 * tw_capture_filter__undecided_predicates() reports at the end which names no schema had.
 *
 * Captures are untrusted. Memory and work of binding are limited; an event that cannot be decided because of that matches, and is
 * counted.
 */
#ifndef TW_CAPTURE_FILTER_H
#define TW_CAPTURE_FILTER_H

#include "filter/filter.h"
#include "stream/streams.h"

/* Limits of the bound filters. Beyond them they are freed, and made again when needed. */
#define TW_CAPTURE_FILTER_MEMORY_MAX ((size_t)128 << 20) /* bytes */
#define TW_CAPTURE_FILTER_BOUND_MAX  256                 /* schemas */
/*
 * Binding one comparison to one format is a unit of work. A fixed number is free, and each event adds some. That is enough for a new
 * schema from time to time, and not enough for a new one with each event.
 */
#define TW_CAPTURE_FILTER_WORK_FREE  ((uint64_t)8 << 20)
#define TW_CAPTURE_FILTER_WORK_EVENT 16
#define TW_UNDECIDED_PREDICATES_MAX  8

struct tw_capture_filter_stats {
	uint64_t rejected;  /* events that do not match */
	uint64_t unknown;   /* of these, events without a format: only common fields were compared */
	uint64_t undecided; /* events that match because memory or work are used up */
	uint64_t given_up;  /* events whose `matches` search exceeded its limit; it counts as no match */
};

/* Comparisons that apply to no event of a capture: mistyped names, or names of events that did not occur. */
struct tw_undecided_predicates {
	unsigned int n;
	struct tw_error
		text[TW_UNDECIDED_PREDICATES_MAX]; /* about the first: "column N: no event has ...; did you mean ..." */
};

struct tw_capture_filter;

/**
 * tw_capture_filter__check() - Return: 0; -EINVAL if no event at all can be compared like that, with @error as of tw_filter__bind();
 * -ENOMEM
 */
int tw_capture_filter__check(const struct tw_filter *filter, struct tw_error *error);

/**
 * tw_capture_filter__new() - @filter and @streams: borrowed until tw_capture_filter__free()
 *
 * The table has the streams of the events to be decided. For a stream that leaves, the filter keeps the undecided predicates.
 *
 * Return: as tw_capture_filter__check().
 */
int tw_capture_filter__new(const struct tw_filter *filter, struct tw_streams *streams, struct tw_capture_filter **ret,
			   struct tw_error *error);

/** tw_capture_filter__free() - call it before the table of streams is freed; NULL is fine */
void tw_capture_filter__free(struct tw_capture_filter *filter);

/**
 * tw_capture_filter__wants() - whether an event matches, with the current state of its stream
 * @stream: of the table
 * @frame: the frame with the event
 */
bool tw_capture_filter__wants(struct tw_capture_filter *filter, struct tw_stream *stream,
			      const struct tw_frame_info *frame, const struct tw_event_view *event);

void tw_capture_filter__stats(const struct tw_capture_filter *filter, struct tw_capture_filter_stats *ret);

/**
 * tw_capture_filter__undecided_predicates() - the comparisons with names that no schema of the capture has; called at its end. None if
 * no formats arrived
 */
void tw_capture_filter__undecided_predicates(struct tw_capture_filter *filter, struct tw_undecided_predicates *ret);

#endif
