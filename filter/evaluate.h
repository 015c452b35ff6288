/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The evaluator decides whether an event matches. It is the reference for every back end, and runs in the producer and the tools. It
 * does not allocate for events.
 */
#ifndef TW_EVALUATE_H
#define TW_EVALUATE_H

#include "filter/filter.h"
#include "wire/decode.h"

/* An event as input of the evaluator. */
struct tw_filter_event {
	const uint8_t *record; /* from the kernel's common_type on; its first TW_RECORD_COMMON bytes are not used */
	uint32_t len;          /* size of the record, bytes */
	uint16_t id;
	uint8_t flags, preempt;
	int32_t pid;
	uint16_t cpu;
	uint64_t time;    /* ns by the stream's clock */
	const char *comm; /* needed if tw_bound__needs_comm(); NULL = unknown */
	size_t comm_len;
	const char *host; /* the same with tw_bound__needs_host() */
	size_t host_len;
};

/** tw_filter_event__of_view() - from an EVENT of a frame; without the names */
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
 * tw_bound__prepare() - make the evaluator's programs; call it before the first tw_bound__matches()
 * Return: 0, -E2BIG, -ENOMEM.
 */
int tw_bound__prepare(struct tw_bound *bound, struct tw_error *error);

/** tw_bound__matches() - whether the event matches; called by any number of threads */
bool tw_bound__matches(const struct tw_bound *bound, const struct tw_filter_event *event);

/**
 * tw_filter__given_up() - number of `matches` searches that exceeded their limit, in this thread since it began; each counts as no match
 *
 * If it grows during a call of tw_bound__matches(), the result of that call is uncertain.
 */
uint64_t tw_filter__given_up(void);

/** tw_bound__is_certain() - whether every event of that id matches (1), none does (0), or it depends on the event (-1) */
int tw_bound__is_certain(const struct tw_bound *bound, uint16_t id);

/** tw_bound__needs_comm() - whether the task's name is needed; tw_bound__needs_host(): the name of the host */
bool tw_bound__needs_comm(const struct tw_bound *bound);
bool tw_bound__needs_host(const struct tw_bound *bound);

#endif
