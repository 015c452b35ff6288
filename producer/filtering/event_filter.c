/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/filtering/event_filter.h"

#include <stdlib.h>

#include "base/counter.h"
#include "filter/evaluate.h"

void tw_event_filter__free(struct tw_event_filter *gate)
{
	if (!gate)
		return;
	tw_bound__free(gate->bound);
	tw_schema__free(gate->schema);
	free(gate);
}

void tw_event_filters__add(struct tw_event_filters *gates, struct tw_event_filter_hazard *holder)
{
	holder->gates = gates;
	holder->next = gates->holders;
	gates->holders = holder;
}

static bool is_held(const struct tw_event_filters *gates, const struct tw_event_filter *gate)
{
	for (struct tw_event_filter_hazard *holder = gates->holders; holder; holder = holder->next)
		if (atomic_load(&holder->held) == gate)
			return true;
	return false;
}

static void free_retired(struct tw_event_filters *gates)
{
	for (struct tw_event_filter **at = &gates->retired; *at;) {
		struct tw_event_filter *gate = *at;

		if (is_held(gates, gate)) {
			at = &gate->next;
			continue;
		}
		*at = gate->next;
		tw_event_filter__free(gate);
	}
}

void tw_event_filters__replace(struct tw_event_filters *gates, struct tw_event_filter *gate)
{
	struct tw_event_filter *old = (struct tw_event_filter *)(uintptr_t)atomic_exchange(&gates->current, gate);

	if (old) {
		old->next = gates->retired;
		gates->retired = old;
	}
	free_retired(gates);
}

void tw_event_filters__fini(struct tw_event_filters *gates)
{
	gates->holders = NULL;
	tw_event_filters__replace(gates, NULL);
}

static bool evaluate(const struct tw_event_filter *gate, uint16_t cpu, const struct tw_subbuf_event *event)
{
	const struct tw_filter_event look = {
		.record = event->record,
		.len = event->len,
		.id = tw_subbuf_event__id(event),
		.flags = event->record[2],
		.preempt = event->record[3],
		.pid = tw_subbuf_event__pid(event),
		.cpu = cpu,
		.time = event->time,
		.host = gate->host,
		.host_len = gate->host_len,
	};

	return tw_bound__matches(gate->bound, &look);
}

/* A search that takes too long has found nothing: that is counted. */
static bool evaluate_counted(const struct tw_event_filter *gate, struct tw_event_filter_cpu *cpu,
			     const struct tw_subbuf_event *event)
{
	const uint64_t given_up = tw_filter__given_up();
	const bool passes = evaluate(gate, cpu->cpu, event);

	if (tw_filter__given_up() != given_up)
		tw_counter__add(&cpu->given_up, 1);
	return passes;
}

/* Kernel, include/linux/trace_events.h, enum trace_flag_type: hardirq 0x08, softirq 0x10, NMI 0x40. */
static size_t context(const struct tw_subbuf_event *event)
{
	return (event->record[2] >> 3) & (TW_EVENT_FILTER_CONTEXTS - 1) & ~4u;
}

bool tw_event_filter__evaluate(const struct tw_event_filter *gate, struct tw_event_filter_cpu *cpu,
			       const struct tw_subbuf_event *event)
{
	const uint8_t verdict = gate->verdicts[tw_subbuf_event__id(event)];
	uint8_t *passed = &cpu->passed[context(event)];
	bool passes = verdict & TW_VERDICT_PASS;

	if (verdict == TW_VERDICT_STACK)
		return *passed;
	if (verdict & TW_VERDICT_EVALUATE)
		passes = evaluate_counted(gate, cpu, event);
	*passed = passes;
	return passes;
}
