/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/filtering/event_filter.h"

#include <stdlib.h>

#include "filter/evaluate.h"
#include "producer/counter.h"

void tw_event_filter__free(struct tw_event_filter *filter)
{
	if (!filter)
		return;
	tw_bound__free(filter->bound);
	tw_schema__free(filter->schema);
	free(filter);
}

void tw_event_filters__add(struct tw_event_filters *filters, struct tw_event_filter_hazard *hazard)
{
	hazard->filters = filters;
	hazard->next = filters->hazards;
	filters->hazards = hazard;
}

static bool is_used(const struct tw_event_filters *filters, const struct tw_event_filter *filter)
{
	for (struct tw_event_filter_hazard *hazard = filters->hazards; hazard; hazard = hazard->next)
		if (atomic_load(&hazard->pointer) == filter)
			return true;
	return false;
}

static void free_retired(struct tw_event_filters *filters)
{
	for (struct tw_event_filter **at = &filters->retired; *at;) {
		struct tw_event_filter *filter = *at;

		if (is_used(filters, filter)) {
			at = &filter->next;
			continue;
		}
		*at = filter->next;
		tw_event_filter__free(filter);
	}
}

void tw_event_filters__replace(struct tw_event_filters *filters, struct tw_event_filter *filter)
{
	struct tw_event_filter *old = (struct tw_event_filter *)(uintptr_t)atomic_exchange(&filters->current, filter);

	if (old) {
		old->next = filters->retired;
		filters->retired = old;
	}
	free_retired(filters);
}

void tw_event_filters__fini(struct tw_event_filters *filters)
{
	filters->hazards = NULL;
	tw_event_filters__replace(filters, NULL);
}

/*
 * Whether the evaluator passes a record. A `matches` search that exceeds its limit counts as no match, and the record is counted in
 * cpu->given_up.
 */
static bool evaluate(const struct tw_event_filter *filter, struct tw_event_filter_cpu *cpu,
		     const struct tw_ring_event *event)
{
	const struct tw_filter_event look = {
		.record = event->record,
		.len = event->len,
		.id = tw_native_event__id(event),
		.flags = event->record[2],
		.preempt = event->record[3],
		.pid = tw_native_event__pid(event),
		.cpu = cpu->cpu,
		.time = event->time,
		.host = filter->host,
		.host_len = filter->host_len,
	};
	const uint64_t given_up = tw_filter__given_up();
	const bool passes = tw_bound__matches(filter->bound, &look);

	if (tw_filter__given_up() != given_up)
		tw_counter__add(&cpu->given_up, 1);
	return passes;
}

/*
 * Return: the index in passed[]. The bits used are those of the kernel's enum trace_flag_type for hardirq (0x08), softirq (0x10) and NMI
 * (0x40).
 */
static size_t context(const struct tw_ring_event *event)
{
	return (event->record[2] >> 3) & (TW_EVENT_FILTER_CONTEXTS - 1) & ~4u;
}

bool tw_event_filter__evaluate(const struct tw_event_filter *filter, struct tw_event_filter_cpu *cpu,
			       const struct tw_ring_event *event)
{
	const uint8_t verdict = filter->verdicts[tw_native_event__id(event)];
	uint8_t *passed = &cpu->passed[context(event)];
	bool passes = verdict & TW_VERDICT_PASS;

	if (verdict == TW_VERDICT_STACK)
		return *passed;
	if (verdict & TW_VERDICT_EVALUATE)
		passes = evaluate(filter, cpu, event);
	*passed = passes;
	return passes;
}
