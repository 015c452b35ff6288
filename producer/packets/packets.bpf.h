/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to packets. Shared by the BPF programs: structures of the kernel, the settings, and the maps in which samples are counted. The
 * files of programs are linked to one object; packets.bpf.c has the maps.
 *
 * A program can be interrupted by another one on the same CPU, so counters and sums are changed by atomic operations.
 */
#ifndef TW_PACKETS_BPF_H
#define TW_PACKETS_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "producer/packets/measure.h"

#pragma clang diagnostic ignored "-Wunused-parameter" /* by BPF_PROG() */

/* The parts of the kernel's structures that are read; libbpf adapts the offsets to the running kernel. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct net_device {
	int ifindex;
	possible_net_t nd_net;
};

struct sock;

struct sk_buff {
	struct sk_buff *next;
	struct net_device *dev;
	struct sock *sk;
	unsigned char *head, *data;
	unsigned int end;
	uint16_t network_header;
	uint16_t protocol;
	int skb_iif;
	char cb[48];
};

#pragma clang attribute pop

/* Figures of each event and epoch. */
struct figures_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, TW_PACKET_EVENTS *TW_KERNEL_EPOCHS);
	__type(key, uint32_t);
	__type(value, struct tw_kernel_figures);
};

struct groups_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1); /* packets.c sets the real size before it loads the programs */
	__type(key, struct tw_packet_cell);
	__type(value, struct tw_kernel_samples);
};

extern struct figures_map figures SEC(".maps");
extern struct groups_map groups SEC(".maps");
extern const volatile struct tw_packet_setting settings[TW_PACKET_EVENTS];
extern const volatile struct tw_packet_selection selection;
extern uint32_t epoch;

static __always_inline uint32_t current_epoch(void)
{
	return *(volatile uint32_t *)&epoch;
}

static __always_inline struct tw_kernel_figures *find_figures(uint32_t event, uint32_t filled)
{
	const uint32_t at = event * TW_KERNEL_EPOCHS + filled;

	return filled < TW_KERNEL_EPOCHS ? bpf_map_lookup_elem(&figures, &at) : NULL;
}

#define COUNT(event, counter, n)                                                        \
	do {                                                                            \
		struct tw_kernel_figures *found = find_figures(event, current_epoch()); \
		if (found)                                                              \
			__sync_fetch_and_add(&found->counter, (uint64_t)(n));           \
	} while (0)

static __always_inline void add(struct tw_kernel_samples *samples, uint64_t value, uint64_t n)
{
	__sync_fetch_and_add(&samples->n, n);
	__sync_fetch_and_add(&samples->sum, value * n);
	if (value > samples->max)
		samples->max = value;
	if (~value > samples->inverted_min)
		samples->inverted_min = ~value;
}

static __always_inline struct tw_kernel_samples *find_cell(const struct tw_packet_cell *cell)
{
	static const struct tw_kernel_samples none;
	struct tw_kernel_samples *samples = bpf_map_lookup_elem(&groups, cell);

	if (samples)
		return samples;
	bpf_map_update_elem(&groups, cell, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&groups, cell);
}

/* Counts a value @n times. @fields: the group of these samples */
static __always_inline void record(uint32_t event, const struct tw_packet_fields *fields, uint64_t value, uint64_t n)
{
	const struct tw_histogram_scale scale = { settings[event].scale.unit, settings[event].scale.linear };
	const uint32_t filled = current_epoch();
	struct tw_kernel_figures *found = find_figures(event, filled);
	struct tw_kernel_samples *samples = NULL;
	size_t bucket = tw_histogram__bucket(&scale, value);

	barrier_var(bucket); /* keep the check below: the verifier needs it, but the compiler would remove it */
	if (!found || bucket > TW_HISTOGRAM_BUCKETS)
		return;
	if (settings[event].is_divided) {
		const struct tw_packet_cell cell = {
			.fields = *fields, .bucket = (uint16_t)bucket, .event = (uint16_t)event, .epoch = filled
		};

		samples = find_cell(&cell);
	}
	if (samples) {
		add(samples, value, n);
	} else {
		add(&found->samples, value, n);
		__sync_fetch_and_add(&found->buckets[bucket], n);
	}
}

static __always_inline bool is_selected(uint32_t ifindex, uint32_t netns)
{
	return (!selection.ifindex || selection.ifindex == ifindex) && (!selection.netns || selection.netns == netns);
}

#endif
