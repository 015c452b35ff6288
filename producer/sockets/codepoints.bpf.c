/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event sockts:ecn_ce: packets whose ECN bits say that a device on their way was congested (congestion experienced, CE). */
#include "producer/sockets/sockets.bpf.h"

#define CODEPOINT_CE 3

/* The parts of the kernel's structures that are read; libbpf adapts the offsets to the running kernel. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sk_buff___shared {
	unsigned int end;
};

struct skb_shared_info {
	unsigned short gso_segs;
};

#pragma clang attribute pop

/* Whether the IP header at @at has the mark. In IPv6, the two bits are in the second byte. */
static __always_inline bool has_mark(struct sk_buff *skb, const unsigned char *at)
{
	uint8_t bytes[2];

	if (bpf_probe_read_kernel(bytes, sizeof(bytes), at))
		return false;
	if (skb->protocol == bpf_htons(ETHERTYPE_IPV4))
		return (bytes[1] & 3) == CODEPOINT_CE;
	return skb->protocol == bpf_htons(ETHERTYPE_IPV6) && (bytes[1] >> 4 & 3) == CODEPOINT_CE;
}

static __always_inline uint16_t count_segments(struct sk_buff *skb)
{
	const struct skb_shared_info *shared = (const void *)(skb->head + ((struct sk_buff___shared *)skb)->end);
	const uint16_t segments = BPF_CORE_READ(shared, gso_segs);

	return segments ? segments : 1;
}

static __always_inline bool wants(const struct tw_sockts_socket *flow, uint32_t ifindex,
				  enum tw_sockts_direction direction)
{
	const volatile struct tw_sockts_condition *condition = sockets__condition(TW_SOCKTS_ecn_ce);
	struct tw_sockts_facts facts;

	if (!condition->n)
		return true;
	sockets__know_current(condition, &facts);
	facts.ifindex = ifindex;
	facts.direction = direction;
	return tw_sockts_condition__passes(condition, flow, &facts);
}

/* A packet that is passed to a device, or received from it. @at: the IP header */
static __always_inline int make_mark(struct sk_buff *skb, const unsigned char *at, enum tw_sockts_direction direction)
{
	const bool received = direction == TW_SOCKTS_DIRECTION_RECEIVED;
	const struct net_device *dev = skb->dev;
	const struct sock *sk = received ? NULL : skb->sk;
	struct sockets_headers headers = { 0 };
	struct tw_sockts_socket flow = { 0 };
	struct tw_sockts_ecn_ce *event;
	uint32_t ifindex;

	if (!dev || !has_mark(skb, at) || !sockets__selects_cgroup(sk))
		return 0;
	ifindex = (uint32_t)dev->ifindex;
	sockets__set_flow_at(&flow, skb, at, received, &headers, SOCKETS_BY_HELPER);
	flow.netns_cookie = sockets__netns_of(skb);
	if (sk) {
		flow.skaddr = (uint64_t)sk;
		flow.cookie = (uint64_t)sk->__sk_common.skc_cookie.counter;
	}
	if (!wants(&flow, ifindex, direction))
		return 0;
	event = sockets__reserve_for(&flow, TW_SOCKTS_ID_ecn_ce, sizeof(*event));
	if (!event)
		return 0;
	event->bytes = skb->len - (uint32_t)((uint64_t)at - (uint64_t)skb->data);
	event->ifindex = ifindex;
	event->segments = count_segments(skb);
	event->direction = direction;
	event->hook = TW_SOCKTS_HOOK_TRACEPOINT;
	sockets__submit(event);
	return 0;
}

SEC("tp_btf/net_dev_queue")
int BPF_PROG(mark_sent, struct sk_buff *skb)
{
	return make_mark(skb, skb->head + skb->network_header, TW_SOCKTS_DIRECTION_SENT);
}

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(mark_received, struct sk_buff *skb)
{
	return make_mark(skb, skb->data, TW_SOCKTS_DIRECTION_RECEIVED);
}
