/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The evaluator decides whether an event matches a bound filter. It is the reference for every back end, and runs in the producer and the
 * tools. While it evaluates an event, it allocates memory only for the operator `matches`.
 */
#ifndef TW_EVALUATE_H
#define TW_EVALUATE_H

#include "filter/filter.h"
#include "wire/decode.h"

/* An event as input of the evaluator. */
struct tw_filter_event {
	const uint8_t *record; /* begins with common_type; the first TW_RECORD_COMMON bytes are not read */
	uint32_t len;          /* size of the record, bytes */
	uint16_t id;
	uint8_t flags, preempt;
	int32_t pid;
	uint16_t cpu;
	uint64_t time;    /* ns by the stream's clock */
	const char *comm; /* the task's name, read only if bound->needs_comm; NULL = unknown */
	size_t comm_len;
	const char *host; /* name of the host, read only if bound->needs_host; NULL = unknown */
	size_t host_len;
};

/** tw_filter_event__of_view() - make the input from an EVENT TLV of a frame; comm and host remain NULL */
static inline struct tw_filter_event tw_filter_event__of_view(const struct tw_event_view *view, uint16_t cpu)
{
	return (struct tw_filter_event){
		.record = view->record,
		.len = view->len,
		.id = view->id,
		.flags = view->common_flags,
		.preempt = view->common_preempt_count,
		.pid = (int32_t)view->pid,
		.cpu = cpu,
		.time = view->time,
	};
}

/**
 * tw_bound__prepare() - make the evaluator's programs; call it before tw_bound__matches() and tw_bound__is_certain()
 * Return: 0, -E2BIG, -ENOMEM.
 */
int tw_bound__prepare(struct tw_bound *bound, struct tw_error *error);

/** tw_bound__matches() - whether the event matches; may be called by several threads at the same time */
bool tw_bound__matches(const struct tw_bound *bound, const struct tw_filter_event *event);

/**
 * tw_filter__given_up() - Return: number of searches of the operator `matches`, in the calling thread, that ended with an error or exceeded
 * a limit. Such a search counts as no match.
 *
 * If the number grows during a call of tw_bound__matches(), the result of that call is uncertain.
 */
uint64_t tw_filter__given_up(void);

/** tw_bound__is_certain() - Return: 1 if all events with the id @id match (the tree is TRUE); 0 if none match (FALSE); otherwise -1 */
int tw_bound__is_certain(const struct tw_bound *bound, uint16_t id);

#endif
