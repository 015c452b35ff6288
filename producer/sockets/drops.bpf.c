/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event sockts:drop. */
#include "producer/sockets/sockets.bpf.h"

/* The interface of a packet. In the queue of a UDP socket, the memory of skb->dev is used otherwise. */
static __always_inline uint32_t ifindex_of(struct sk_buff *skb, uint16_t protocol)
{
	const struct net_device *dev = skb->dev;

	if (!dev || (protocol == PROTOCOL_UDP && skb->skb_iif))
		return (uint32_t)skb->skb_iif;
	return (uint32_t)dev->ifindex;
}

static __always_inline bool wants(const struct tw_sockts_socket *flow, uint32_t ifindex, uint32_t reason)
{
	const volatile struct tw_sockts_condition *condition = sockets__condition(TW_SOCKTS_drop);
	struct tw_sockts_facts facts;

	if (!condition->n)
		return true;
	sockets__know_current(condition, &facts);
	facts.ifindex = ifindex;
	facts.reason = (uint16_t)reason;
	return tw_sockts_condition__passes(condition, flow, &facts);
}

/*
 * A packet that the kernel drops. @receiver: the socket that refuses it; NULL = none. The cookie of the packet's own socket is only read:
 * before Linux 6.10, the pointer of a fragment may lead nowhere, and only reading is safe then.
 */
static __always_inline int make_drop(struct sk_buff *skb, void *location, uint32_t reason, struct sock *receiver)
{
	struct sockets_headers headers = { 0 };
	struct tw_sockts_socket flow = { 0 };
	struct tw_sockts_drop *event;
	struct sock *sk;
	uint32_t ifindex;

	sk = receiver ? receiver : skb->sk;
	if (!sockets__selects_cgroup(sk))
		return 0;
	if (sk) {
		flow.skaddr = (uint64_t)sk;
		flow.cookie = (uint64_t)sk->__sk_common.skc_cookie.counter;
		flow.netns_cookie = sk->__sk_common.skc_net.net->net_cookie;
	}
	sockets__set_flow(&flow, skb, false, &headers);
	if (flow.protocol == PROTOCOL_UDP && sockets__is_own_datagram(&flow))
		return 0;
	ifindex = ifindex_of(skb, flow.protocol);
	if (!sk && ifindex && flow.protocol != PROTOCOL_UDP)
		flow.netns_cookie = sockets__netns_of(skb);
	if (!wants(&flow, ifindex, reason))
		return 0;
	event = sockets__reserve_for(&flow, TW_SOCKTS_ID_drop, sizeof(*event));
	if (!event)
		return 0;
	event->ifindex = ifindex;
	event->location = (uint64_t)location;
	event->bytes = skb->len;
	event->reason = (uint16_t)reason;
	event->hook = TW_SOCKTS_HOOK_TRACEPOINT;
	sockets__submit(event);
	return 0;
}

SEC("tp_btf/kfree_skb")
int BPF_PROG(drop_of_socket, struct sk_buff *skb, void *location, int reason, struct sock *receiver)
{
	return make_drop(skb, location, (uint32_t)reason, receiver);
}

/* Before Linux 6.11, the tracepoint has no socket. */
SEC("tp_btf/kfree_skb")
int BPF_PROG(drop_with_reason, struct sk_buff *skb, void *location, int reason)
{
	return make_drop(skb, location, (uint32_t)reason, NULL);
}

/* Before Linux 5.17, the tracepoint has no reason. */
SEC("tp_btf/kfree_skb")
int BPF_PROG(drop_at, struct sk_buff *skb, void *location)
{
	return make_drop(skb, location, 0, NULL);
}
