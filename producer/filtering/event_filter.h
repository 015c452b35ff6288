/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event filter, the readers' stage of a filter: it decides whether a record that was read is sent. A table by event id decides most
 * records. The evaluator runs only if the decision depends on the content. A new filter replaces the old one while readers run; each
 * reader protects the filter that it uses with a hazard pointer.
 *
 * The kernel records a stack after its event. The stack gets the decision of the last event of the same CPU and context.
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
#define TW_EVENT_FILTER_CONTEXTS \
	16 /* task, softirq, hardirq, NMI: which context interrupts which, from the bits of common_flags */

enum tw_verdict {
	TW_VERDICT_REJECT,
	TW_VERDICT_PASS,
	TW_VERDICT_EVALUATE,  /* the evaluator decides */
	TW_VERDICT_STACK,     /* the same decision as the event before it */
	TW_VERDICT_NOTED = 4, /* bit: keep the decision for a stack that may follow */
};

struct tw_event_filter {
	struct tw_bound *bound;   /* for each event, the part that the readers test; owned */
	struct tw_schema *schema; /* schema that the trees are bound to; owned */
	const char *host;         /* borrowed */
	size_t host_len;
	struct tw_event_filter *next;          /* next in the list of retired filters */
	uint8_t verdicts[TW_EVENT_FILTER_IDS]; /* enum tw_verdict by event id */
};

/* Shared by the readers. All zero = every event passes. */
struct tw_event_filters {
	_Atomic(const struct tw_event_filter *) current; /* NULL = every event passes */
	struct tw_event_filter *retired;                 /* a reader may still use them */
	struct tw_event_filter_hazard *hazards;
};

/* One for each reader: the filter that it uses now. */
struct tw_event_filter_hazard {
	struct tw_event_filters *filters;
	_Atomic(const struct tw_event_filter *) pointer;
	struct tw_event_filter_hazard *next;
};

/* Last decision on a CPU, for each context. */
struct tw_event_filter_cpu {
	uint16_t cpu;
	uint8_t passed[TW_EVENT_FILTER_CONTEXTS];
	_Atomic uint64_t given_up; /* events whose search exceeded its limit */
};

/** tw_event_filter__free() - free it and what it owns; NULL is fine */
void tw_event_filter__free(struct tw_event_filter *filter);

/** tw_event_filters__add() - add a reader; call it before any reader runs */
void tw_event_filters__add(struct tw_event_filters *filters, struct tw_event_filter_hazard *hazard);

/** tw_event_filters__replace() - set the filter, NULL for none; takes it over. Called by one thread at a time */
void tw_event_filters__replace(struct tw_event_filters *filters, struct tw_event_filter *filter);

/** tw_event_filters__fini() - call it after the readers have ended; all-zero is fine */
void tw_event_filters__fini(struct tw_event_filters *filters);

/**
 * tw_event_filter_hazard__acquire() - the filter to use for a sub-buffer that has just been read, until the next call
 *
 * A new event is enabled after its filter was replaced. So the filter is not older than any record that was read before this call.
 *
 * Return: NULL if everything passes.
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

/** tw_event_filter__evaluate() - tw_event_filter__passes() for events that the table alone does not decide */
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
