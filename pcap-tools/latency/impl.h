/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to latency. The state of a measurement. latency.c creates it and makes its results; take_event.c adds events. */
#ifndef TW_LATENCY_IMPL_H
#define TW_LATENCY_IMPL_H

#include "base/hash_table.h"
#include "pcap-tools/latency/latency.h"
#include "pcap-tools/latency/roles.h"

#define TW_LATENCY_STACK_PAIRS_MAX 8 /* pairs that one event begins and that get its stack; further ones get none */

/* A pair that the last event of a CPU began. The next event of this CPU may be the kernel stack of the last event. */
struct tw_latency_last_begun {
	struct tw_latency_pair *pair;
	struct tw_pairing_key key;
};

struct tw_latency_last {
	uint32_t pid, n;
	struct tw_latency_last_begun begun[TW_LATENCY_STACK_PAIRS_MAX];
};

struct tw_latency_cpu {
	uint64_t stream, cpu;
};

struct tw_latency {
	const struct tw_latency_options *options;
	struct tw_latency_result result;
	struct tw_latency_types types;     /* its pairs are in the order of the options */
	struct tw_latency_measured *shown; /* array of result.pairs */
	struct tw_pair_names *names;
	struct tw_event_reader *reader;
	struct tw_capture_filter *filter;
	struct tw_hash_table last;   /* struct tw_latency_cpu -> struct tw_latency_last; only with stacks */
	uint64_t n_stacks;           /* number of kernel stacks that were read */
	bool has_time_line, is_wall; /* @is_wall is known; the first event has a wall-clock time */
	uint64_t latest;             /* time of the latest event that had a role, ns */
	const char *name;            /* of the capture, for messages */
	struct tw_error refusal;     /* why an event ends the reading; "" = no memory */
};

/* Whether all of struct tw_latency_begun is kept for a beginning, for --top and --stacks. If not, only its `names` are kept. */
static inline bool tw_latency__describes(const struct tw_latency *l)
{
	return l->options->top || l->options->stacks;
}

/** tw_latency__take_event() - measure an event; an operation of the event reader, whose context is the measurement */
int tw_latency__take_event(void *ctx, const struct tw_read_event *event);

#endif
