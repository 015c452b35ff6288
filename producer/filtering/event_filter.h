/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event filter: the part of the filter that the reader threads evaluate for each record after reading it. For most records, a table
 * with the event id as index decides. The evaluator runs only if the decision depends on the content of the record. A new event filter
 * replaces the old one while readers run; each reader protects the event filter that it uses with a hazard pointer.
 *
 * The kernel records a stack trace directly after the event to which it belongs. The stack trace passes if the previous event of the same
 * CPU and context passed.
 */
#ifndef TW_EVENT_FILTER_H
#define TW_EVENT_FILTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filter/filter.h"
#include "producer/native_ring.h"

#define TW_EVENT_FILTER_IDS (UINT16_MAX + 1)
/*
 * Number of elements of passed[]. The index is made of the bits in common_flags that show the context: hardirq, softirq, NMI. Events of
 * different contexts can interleave.
 */
#define TW_EVENT_FILTER_CONTEXTS 16

enum tw_verdict {
	TW_VERDICT_REJECT,
	TW_VERDICT_PASS,
	TW_VERDICT_EVALUATE,  /* the evaluator decides */
	TW_VERDICT_STACK,     /* a stack trace: the same decision as for the event before it */
	TW_VERDICT_NOTED = 4, /* bit: store the decision for a stack trace that may follow */
};

struct tw_event_filter {
	struct tw_bound *bound;   /* for each event, the part that the readers evaluate; owned */
	struct tw_schema *schema; /* schema of the bound filter; owned */
	const char *host;         /* host name, borrowed */
	size_t host_len;
	struct tw_event_filter *next;          /* next in tw_event_filters.retired */
	uint8_t verdicts[TW_EVENT_FILTER_IDS]; /* enum tw_verdict by event id */
};

/* The current and the retired filters, shared by all readers. All zero = every event passes. */
struct tw_event_filters {
	_Atomic(const struct tw_event_filter *) current; /* NULL = every event passes */
	struct tw_event_filter *retired;                 /* replaced filters that a reader may still use */
	struct tw_event_filter_hazard *hazards;
};

/* A hazard pointer, one for each reader. It points to the event filter that the reader uses. */
struct tw_event_filter_hazard {
	struct tw_event_filters *filters;
	_Atomic(const struct tw_event_filter *) pointer;
	struct tw_event_filter_hazard *next;
};

/* The last decisions about the events of one CPU, one for each context. */
struct tw_event_filter_cpu {
	uint16_t cpu;
	uint8_t passed[TW_EVENT_FILTER_CONTEXTS];
	_Atomic uint64_t given_up; /* events with a `matches` search that exceeded its limit */
};

/** tw_event_filter__free() - free the filter and what it owns; NULL is fine */
void tw_event_filter__free(struct tw_event_filter *filter);

/** tw_event_filters__add() - add the hazard pointer of a reader; call it before any reader runs */
void tw_event_filters__add(struct tw_event_filters *filters, struct tw_event_filter_hazard *hazard);

/**
 * tw_event_filters__replace() - make @filter, which then belongs to @filters, the current filter; NULL = every event passes. Called by one
 * thread at a time
 */
void tw_event_filters__replace(struct tw_event_filters *filters, struct tw_event_filter *filter);

/** tw_event_filters__fini() - free all filters; call it after the readers have ended; all-zero is fine */
void tw_event_filters__fini(struct tw_event_filters *filters);

/**
 * tw_event_filter_hazard__acquire() - get the current filter, for the sub-buffer that was just read; valid until the next call
 * A new event is enabled only after the filter was replaced. So the returned filter covers each event that was read before this call.
 * Return: the filter; NULL if every event passes.
 */
static inline const struct tw_event_filter *tw_event_filter_hazard__acquire(struct tw_event_filter_hazard *hazard)
{
	const struct tw_event_filter *filter = atomic_load(&hazard->filters->current), *again;

	while (filter) {
		atomic_store(&hazard->pointer, filter);
		again = atomic_load(&hazard->filters->current);
		if (again == filter)
			break;
		filter = again;
	}
	return filter;
}

/** tw_event_filter__evaluate() - whether a record passes, if verdicts[] alone does not decide; called by tw_event_filter__passes() */
bool tw_event_filter__evaluate(const struct tw_event_filter *filter, struct tw_event_filter_cpu *cpu,
			       const struct tw_ring_event *event);

/** tw_event_filter__passes() - whether a record passes */
static inline bool tw_event_filter__passes(const struct tw_event_filter *filter, struct tw_event_filter_cpu *cpu,
					   const struct tw_ring_event *event)
{
	const uint8_t verdict = filter->verdicts[tw_native_event__id(event)];

	return __builtin_expect(verdict <= TW_VERDICT_PASS, 1) ? verdict
							       : tw_event_filter__evaluate(filter, cpu, event);
}

#endif
