/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to latency. What is kept of an event that begins a pair until its end: the names of its groups and, if samples are described
 * (--top, --stacks), the event itself and its kernel stack.
 */
#ifndef TW_LATENCY_BEGUN_H
#define TW_LATENCY_BEGUN_H

#include "pairs/binding.h"
#include "pcap-tools/events/reader.h"
#include "pcap-tools/latency/roles.h"
#include "pcap-tools/latency/slowest.h"
#include "pcap-tools/latency/stacks.h"

#define TW_LATENCY_RECORD_MAX 256 /* bytes of its record that are kept, for its text */

struct tw_latency_begun {
	uint64_t names[TW_PAIR_KEYS_MAX]; /* of its groups; must be first: often, only these are kept */

	uint64_t schema_id;
	uint32_t pid, comm, stack; /* @comm: number of the task's name; @stack: number in the pair's stacks */
	uint16_t cpu, id, len;     /* @id: of the event; @len: of the kept record */
	bool big_endian, from_wire, cut;
	uint8_t record[TW_LATENCY_RECORD_MAX];
};

/** tw_latency_begun__keep() - keep an event. @names: gets the name of its task */
void tw_latency_begun__keep(struct tw_latency_begun *begun, const struct tw_read_event *event,
			    const struct tw_pair_input *input, struct tw_pair_names *names);

/**
 * tw_latency_begun__describe() - describe a sample
 * @end: the event that ends the pair; its stream is that of the beginning
 * @begin_time, @end_time: ns by the clock of the stream
 * @ret: its texts are to be freed
 * Return: 0 or -ENOMEM.
 */
int tw_latency_begun__describe(const struct tw_latency_begun *begun, uint64_t begin_time,
			       const struct tw_read_event *end, const struct tw_pair_input *input, uint64_t end_time,
			       struct tw_pair_names *names, struct tw_latency_slow *ret);

/** tw_latency_begun__is_stack() - whether an event has the kernel stack of the event before it on its CPU */
bool tw_latency_begun__is_stack(const struct tw_read_event *event);

#endif
