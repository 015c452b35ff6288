/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures packets in queueing disciplines below the root. They have no tracepoint, so a program runs at the functions that put packets
 * into them. A packet leaves all of them when it leaves the root, which has the tracepoint qdisc_dequeue.
 */
#include "producer/packets/packets.bpf.h"

#define LEVELS_MAX 4

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct Qdisc_ops {
	char id[TW_PACKET_KIND_LEN];
};

struct netdev_queue;

struct Qdisc {
	const struct Qdisc_ops *ops;
	uint32_t parent;
	struct netdev_queue *dev_queue;
};

struct netdev_queue {
	struct net_device *dev;
	struct Qdisc *qdisc;
};

#pragma clang attribute pop

/* A packet in one of the nested queueing disciplines. */
struct level {
	uint64_t time;
	uint64_t qdisc; /* address */
	char kind[TW_PACKET_KIND_LEN];
	uint32_t parent, unused;
};

struct levels {
	uint32_t n;
	uint32_t ifindex, netns, unused;
	struct level at[LEVELS_MAX];
};

/* The key is the address of the packet. The oldest make room for new ones. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1); /* replaced before the programs are loaded */
	__type(key, uint64_t);
	__type(value, struct levels);
} leaves SEC(".maps");

static __always_inline struct levels *find_levels(uint64_t packet)
{
	static const struct levels none;
	struct levels *levels = bpf_map_lookup_elem(&leaves, &packet);

	if (levels)
		return levels;
	bpf_map_update_elem(&leaves, &packet, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&leaves, &packet);
}

/* The place of a queueing discipline among the levels. Return: LEVELS_MAX if there are too many */
static __always_inline uint32_t find_level(const struct levels *levels, uint64_t qdisc)
{
	const uint32_t n = levels->n;

	for (uint32_t i = 0; i < LEVELS_MAX; i++)
		if (i == n || levels->at[i].qdisc == qdisc)
			return i;
	return LEVELS_MAX;
}

/* Attached to the function of each kind, which has the same arguments. */
SEC("fentry/pfifo_enqueue")
int BPF_PROG(leaf_enqueued, struct sk_buff *skb, struct Qdisc *qdisc)
{
	const struct netdev_queue *queue = qdisc->dev_queue;
	const uint64_t packet = (uint64_t)skb;
	struct levels *levels;
	uint32_t ifindex, netns, at;

	/* The packet enters the root: levels with its address are those of an earlier packet, whose end was not seen. */
	if (queue->qdisc == qdisc) {
		if (bpf_map_lookup_elem(&leaves, &packet))
			bpf_map_delete_elem(&leaves, &packet);
		return 0;
	}
	ifindex = (uint32_t)queue->dev->ifindex;
	netns = queue->dev->nd_net.net->ns.inum;
	if (!is_selected(ifindex, netns) || current_epoch() >= TW_KERNEL_EPOCHS)
		return 0;
	COUNT(TW_PACKET_QDISC_LEAF, begun, 1);
	levels = find_levels(packet);
	at = levels ? find_level(levels, (uint64_t)qdisc) : LEVELS_MAX;
	barrier_var(at); /* keep the check below for the verifier */
	if (!levels || at >= LEVELS_MAX) {
		COUNT(TW_PACKET_QDISC_LEAF, evicted, 1);
		return 0;
	}
	if (at == levels->n)
		levels->n = at + 1;
	else
		COUNT(TW_PACKET_QDISC_LEAF, again, 1);
	levels->ifindex = ifindex;
	levels->netns = netns;
	levels->at[at].qdisc = (uint64_t)qdisc;
	levels->at[at].parent = qdisc->parent;
	bpf_probe_read_kernel(levels->at[at].kind, sizeof(levels->at[at].kind), &qdisc->ops->id);
	levels->at[at].time = bpf_ktime_get_ns();
	return 0;
}

/* A packet leaves a level. */
static __always_inline void end_level(const struct levels *levels, const struct level *level, uint64_t now)
{
	const uint32_t by = settings[TW_PACKET_QDISC_LEAF].by;
	struct tw_packet_fields fields = { 0 };

	if (by & TW_PACKET_DEV)
		fields.ifindex = levels->ifindex;
	if (by & TW_PACKET_NETNS)
		fields.netns = levels->netns;
	if (by & TW_PACKET_KIND)
		__builtin_memcpy(fields.kind, level->kind, sizeof(fields.kind));
	if (by & TW_PACKET_PARENT)
		fields.parent = level->parent;
	record(TW_PACKET_QDISC_LEAF, &fields, now - level->time, 1);
}

struct dequeued {
	uint64_t packet, now;
};

/* Ends the next packet of a list. Return: 1 after the last one */
static long end_packet(uint32_t unused, struct dequeued *dequeued)
{
	const uint64_t packet = dequeued->packet;
	const struct sk_buff *skb = (const void *)packet;
	const struct levels *levels = bpf_map_lookup_elem(&leaves, &packet);

	for (uint32_t i = 0; levels && i < LEVELS_MAX; i++)
		if (i < levels->n)
			end_level(levels, &levels->at[i], dequeued->now);
	if (levels)
		bpf_map_delete_elem(&leaves, &packet);
	dequeued->packet = (uint64_t)BPF_CORE_READ(skb, next);
	return !dequeued->packet;
}

/* Several packets can be dequeued at once. */
SEC("tp_btf/qdisc_dequeue")
int BPF_PROG(leaf_dequeued, struct Qdisc *qdisc, const struct netdev_queue *queue, int packets, struct sk_buff *skb)
{
	struct dequeued dequeued = { .packet = (uint64_t)skb, .now = bpf_ktime_get_ns() };

	if (dequeued.packet && packets > 0)
		bpf_loop((uint32_t)packets, end_packet, &dequeued, 0);
	return 0;
}

/* A packet was dropped. */
SEC("tp_btf/kfree_skb")
int BPF_PROG(leaf_freed, struct sk_buff *skb)
{
	const uint64_t packet = (uint64_t)skb;
	const struct levels *levels = bpf_map_lookup_elem(&leaves, &packet);

	if (!levels)
		return 0;
	COUNT(TW_PACKET_QDISC_LEAF, cancelled, levels->n);
	bpf_map_delete_elem(&leaves, &packet);
	return 0;
}
