/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the order of events of two streams of which one must precede the other: the cause and the effect. The two have equal keys. The
 * times of both have error bounds, so the order is certain, uncertain, or contradicts the bounds.
 *
 * If a key has several causes, the first one without an effect counts, because it precedes the others. An effect pairs with the cause
 * before it in the capture. An effect without a cause waits for one, because a wrong clock can move it before its cause; if a further
 * effect with its key shows that it had another cause, which the capture lacks, it is left out.
 */
#ifndef TW_TIME_ORDER_H
#define TW_TIME_ORDER_H

#include "pcap-tools/events/kept_event.h"
#include "pcap-tools/latency/roles.h"

#define TW_ORDER_SHOWN_MAX 10 /* contradictions of a pair that are described: those with the largest excess */

/* One of the two events of a contradiction. */
struct tw_order_moment {
	struct tw_stream *stream;
	uint64_t time, error_ns; /* as in struct tw_read_event */
	uint32_t pid;
	uint16_t cpu;
	char *comm; /* printable; "" = unknown; owned, like @text */
	char *text; /* name of the event and its text, printable */
};

struct tw_order_contradiction {
	uint64_t early_ns;  /* time by which the effect precedes its cause */
	uint64_t excess_ns; /* early_ns minus both error bounds */
	struct tw_order_moment cause, effect;
};

/* The result of one pair. */
struct tw_order_counts {
	uint64_t ordered;        /* the cause is certainly earlier */
	uint64_t uncertain;      /* the times differ by at most both bounds */
	uint64_t contradictions; /* the effect is earlier, by more than both bounds */
	uint64_t unbounded;      /* an error bound is unknown */
	/* Events that are in none of these pairs. */
	uint64_t across_loss; /* pairs between whose events the capture lacks events */
	uint64_t no_effect, no_cause;
	uint64_t evicted;    /* there was no memory to wait for the other event */
	uint64_t unreadable; /* events whose key cannot be read */
};

struct tw_order {
	const struct tw_latency_pair *roles; /* definition of the pair, borrowed */
	struct tw_hash_table open;           /* struct tw_pairing_key without stream -> struct tw_order_open */
	uint32_t next;                       /* entry of @open with which the next eviction begins to compare */
	struct tw_order_counts counts;
	struct tw_order_contradiction shown[TW_ORDER_SHOWN_MAX]; /* @n_shown, the largest excess first */
	uint32_t n_shown;
};

/** tw_order__init() - begin a check; @memory: limit for events that wait for the other event of their pair, bytes */
void tw_order__init(struct tw_order *order, const struct tw_latency_pair *roles, size_t memory);

/**
 * tw_order__take() - take an event that is a cause (TW_PAIR_BEGIN) or an effect (TW_PAIR_END)
 * @key: its member stream is 0
 * @losses: number of losses of all streams so far
 * Return: 0, -ENOMEM
 */
int tw_order__take(struct tw_order *order, enum tw_pair_role role, const struct tw_read_event *event,
		   const struct tw_pair_input *input, const struct tw_pairing_key *key, uint64_t losses);

/** tw_order__finish() - judge the pairs that wait for a further effect, and count the events without a pair. Return: 0, -ENOMEM */
int tw_order__finish(struct tw_order *order);

/** tw_order__fini() - free the members */
void tw_order__fini(struct tw_order *order);

#endif
