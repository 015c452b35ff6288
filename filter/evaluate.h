/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The evaluator: whether an event matches. It is the reference for every back end, and what runs in the producer and the tools.
 * Nothing allocates per event.
 */
#ifndef TW_EVALUATE_H
#define TW_EVALUATE_H

#include "filter/filter.h"
#include "wire/decode.h"

/* An event as the evaluator looks at it. */
struct tw_filter_event {
	const uint8_t
		*record; /* from the kernel's common_type on; its first TW_RECORD_COMMON bytes are not looked at */
	uint32_t len;    /* of the record, bytes */
	uint16_t id;
	uint8_t flags, preempt;
	int32_t pid;
	uint16_t cpu;
	uint64_t time;    /* ns in the stream's clock */
	const char *comm; /* needed where tw_bound__needs_comm(); NULL = not known */
	size_t comm_len;
	const char *host; /* the same with tw_bound__needs_host() */
	size_t host_len;
};

/** tw_filter_event__of_view() - from an EVENT of a frame; the names are left out */
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
 * tw_bound__prepare() - make the evaluator's programs; before the first tw_bound__matches()
 * Return: 0, -E2BIG, -ENOMEM.
 */
int tw_bound__prepare(struct tw_bound *bound, struct tw_error *error);

/** tw_bound__matches() - whether the event matches; any number of threads may ask */
bool tw_bound__matches(const struct tw_bound *bound, const struct tw_filter_event *event);

/**
 * tw_filter__given_up() - searches of MATCHES that took more than one may, by this thread since it began; each has found nothing
 *
 * What this grows by between two calls of tw_bound__matches() says whether the answer was decided.
 */
uint64_t tw_filter__given_up(void);

/** tw_bound__is_certain() - whether every event of that id matches (1), none does (0), or it depends (-1) */
int tw_bound__is_certain(const struct tw_bound *bound, uint16_t id);

/** tw_bound__needs_comm() - whether the name of the task matters, and of the host */
bool tw_bound__needs_comm(const struct tw_bound *bound);
bool tw_bound__needs_host(const struct tw_bound *bound);

#endif
