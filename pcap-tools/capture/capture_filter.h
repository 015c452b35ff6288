/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events of a capture a filter wants. The filter is bound to each schema of each stream when the first event of it comes, and
 * again as more of its formats come. Names that a schema does not have match nothing there, for what will come nobody knows
 * before; tw_sieve__doubts() tells at the end which of them no schema had.
 *
 * Captures come from strangers. Memory and the work of binding are bounded; an event that can therefore not be decided is wanted,
 * and counted.
 */
#ifndef TW_SIEVE_H
#define TW_SIEVE_H

#include "filter/filter.h"
#include "stream/streams.h"

/* Of the bound filters. Beyond it they are thrown away, and made again when they are needed. */
#define TW_SIEVE_MEMORY_MAX ((size_t)128 << 20) /* bytes */
#define TW_SIEVE_BOUND_MAX  256                 /* schemas */
/*
 * Binding one comparison to one format is a unit of work. So many are free, and so many more with each event: enough for a new
 * schema now and then for ever, not for one with each event.
 */
#define TW_SIEVE_WORK_FREE  ((uint64_t)8 << 20)
#define TW_SIEVE_WORK_EVENT 16
#define TW_DOUBTS_MAX       8

struct tw_sieve_stats {
	uint64_t rejected;  /* events that do not match */
	uint64_t unknown;   /* of these, events whose format had not come: only what all events have was compared */
	uint64_t undecided; /* events that are wanted because memory or work are used up */
	uint64_t given_up; /* events of which a search of MATCHES took more than one may, and counts as nothing found */
};

/* Comparisons that mean no event of a capture: names mistyped, or of events that did not come. */
struct tw_doubts {
	unsigned int n;
	struct tw_error text[TW_DOUBTS_MAX]; /* of the first: "column N: no event has ...; did you mean ..." */
};

struct tw_sieve;

/** tw_sieve__check() - Return: 0; -EINVAL if no event whatsoever can be compared so, with @err as of tw_filter__bind(); -ENOMEM */
int tw_sieve__check(const struct tw_filter *filter, struct tw_error *err);

/**
 * tw_sieve__new() - @filter and @streams: borrowed until tw_sieve__free()
 *
 * The streams of the table are those of the events that it is asked about. Of one that leaves the filter keeps what it had no meaning for.
 *
 * Return: as tw_sieve__check().
 */
int tw_sieve__new(const struct tw_filter *filter, struct tw_streams *streams, struct tw_sieve **ret,
		  struct tw_error *err);

/** tw_sieve__free() - before the table of streams; NULL is fine */
void tw_sieve__free(struct tw_sieve *sieve);

/**
 * tw_sieve__wants() - whether an event matches, by what is known of its stream now
 * @stream: of the table
 * @frame: that it came in
 */
bool tw_sieve__wants(struct tw_sieve *sieve, struct tw_stream *stream, const struct tw_frame_info *frame,
		     const struct tw_event_view *event);

void tw_sieve__stats(const struct tw_sieve *sieve, struct tw_sieve_stats *ret);

/** tw_sieve__doubts() - what of the filter no schema of the capture has: at its end. None where no format came */
void tw_sieve__doubts(struct tw_sieve *sieve, struct tw_doubts *ret);

#endif
