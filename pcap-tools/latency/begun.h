/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to latency. What is kept of an event that begins a pair, until the pair ends: the names of its groups and, if samples are
 * described (--top, --stacks), the event itself and its kernel stack.
 */
#ifndef TW_LATENCY_BEGUN_H
#define TW_LATENCY_BEGUN_H

#include "pairs/binding.h"
#include "pcap-tools/events/kept_event.h"
#include "pcap-tools/latency/roles.h"
#include "pcap-tools/latency/slowest.h"
#include "pcap-tools/latency/stacks.h"

struct tw_latency_begun {
	uint64_t names[TW_PAIR_KEYS_MAX]; /* of its groups; first, because often only these are kept: see impl.h */

	struct tw_kept_event event;
	uint32_t comm, stack; /* @comm: number of the task's name; @stack: number in the pair's stacks */
};

/** tw_latency_begun__keep() - store an event in @begun. @names: the name of the event's task is added to them */
void tw_latency_begun__keep(struct tw_latency_begun *begun, const struct tw_read_event *event,
			    const struct tw_pair_input *input, struct tw_pair_names *names);

/**
 * tw_latency_begun__describe() - make the texts of the two events of a sample
 * @end: the event that ends the pair; the beginning is of the same stream
 * @begin_time, @end_time: ns by the clock of the stream
 * @ret: the caller frees its texts
 * Return: 0 or -ENOMEM.
 */
int tw_latency_begun__describe(const struct tw_latency_begun *begun, uint64_t begin_time,
			       const struct tw_read_event *end, const struct tw_pair_input *input, uint64_t end_time,
			       struct tw_pair_names *names, struct tw_latency_slow *ret);

/** tw_latency_begun__is_stack() - whether an event is a kernel stack, which belongs to the previous event of its CPU */
bool tw_latency_begun__is_stack(const struct tw_read_event *event);

#endif
