/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event sockts:icmp_echo: ICMP echo requests that this host sends, and their replies. producer/packets/ measures them in the same way. */
#include "producer/sockets/sockets.bpf.h"

#define ECHO_REQUEST    8
#define ECHO_REPLY      0
#define ECHO_REQUEST_V6 128
#define ECHO_REPLY_V6   129
#define REQUESTS        16384

/* What identifies a request and its reply. */
struct echo {
	uint8_t address[16]; /* of the other host */
	uint64_t netns_cookie;
	uint16_t id, seq; /* big-endian */
	uint16_t family, unused;
};

/* A sent request. */
struct request {
	uint64_t time;   /* by CLOCK_MONOTONIC, ns */
	uint64_t packet; /* address of the skb */
	uint64_t skaddr, cookie;
	uint32_t ifindex; /* of the first device that sent it */
	uint32_t is_answered;
};

/* If the map is full, old requests make room for new ones. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, REQUESTS);
	__type(key, struct echo);
	__type(value, struct request);
} echo_requests SEC(".maps");

/* What is read of a packet with an ICMP header. */
struct message {
	struct tw_sockts_socket flow;
	struct icmp icmp;
	uint32_t bytes, ifindex;
};

/* Whether a packet has an ICMP header. Most packets have none, so only this is read first. @at: the IP header */
static __always_inline bool has_icmp(struct sk_buff *skb, const unsigned char *at)
{
	uint8_t protocol = 0;
	uint16_t fragment = 0;

	if (skb->protocol == bpf_htons(ETHERTYPE_IPV6)) {
		bpf_probe_read_kernel(&protocol, sizeof(protocol), at + offsetof(struct ipv6, next_header));
		return protocol == PROTOCOL_ICMPV6;
	}
	if (skb->protocol != bpf_htons(ETHERTYPE_IPV4))
		return false;
	bpf_probe_read_kernel(&protocol, sizeof(protocol), at + offsetof(struct ipv4, protocol));
	if (protocol != PROTOCOL_ICMP)
		return false;
	bpf_probe_read_kernel(&fragment, sizeof(fragment), at + offsetof(struct ipv4, fragment));
	return !(fragment & bpf_htons(FRAGMENT_OFFSET));
}

/* Reads a packet at a device. @at: the IP header. @received: otherwise it is sent. Return: false if it has no ICMP header */
static __always_inline bool read_message(struct sk_buff *skb, const unsigned char *at, bool received,
					 struct message *ret)
{
	const struct net_device *dev = skb->dev;
	struct sockets_headers headers = { 0 };

	if (!dev || !has_icmp(skb, at))
		return false;
	sockets__set_flow_at(&ret->flow, skb, at, received, &headers, SOCKETS_BY_HELPER);
	if (!headers.next || bpf_probe_read_kernel(&ret->icmp, sizeof(ret->icmp), headers.next))
		return false;
	ret->flow.netns_cookie = dev->nd_net.net->net_cookie;
	ret->bytes = skb->len - (uint32_t)((uint64_t)headers.next - (uint64_t)skb->data);
	ret->ifindex = (uint32_t)dev->ifindex;
	return true;
}

static __always_inline bool is_type(const struct message *message, uint8_t type, uint8_t type_v6)
{
	return message->icmp.type == (message->flow.family == FAMILY_INET ? type : type_v6);
}

static __always_inline void identify(const struct message *message, struct echo *ret)
{
	__builtin_memcpy(ret->address, message->flow.daddrv6, sizeof(ret->address));
	ret->netns_cookie = message->flow.netns_cookie;
	ret->id = message->icmp.id;
	ret->seq = message->icmp.seq;
	ret->family = message->flow.family;
}

static __always_inline bool wants(const struct message *message, enum tw_sockts_echo_type type)
{
	const volatile struct tw_sockts_condition *condition = sockets__condition(TW_SOCKTS_icmp_echo);
	struct tw_sockts_facts facts;

	if (!condition->n)
		return true;
	sockets__know_current(condition, &facts);
	facts.type = type;
	facts.ifindex = message->ifindex;
	return tw_sockts_condition__passes(condition, &message->flow, &facts);
}

static __always_inline void record_echo(const struct message *message, enum tw_sockts_echo_type type, uint64_t rtt)
{
	struct tw_sockts_icmp_echo *event;

	if (!wants(message, type))
		return;
	event = sockets__reserve_for(&message->flow, TW_SOCKTS_ID_icmp_echo, sizeof(*event));
	if (!event)
		return;
	event->rtt = rtt;
	event->bytes = message->bytes;
	event->ifindex = message->ifindex;
	event->id = bpf_ntohs(message->icmp.id);
	event->seq = bpf_ntohs(message->icmp.seq);
	event->type = type;
	event->hook = TW_SOCKTS_HOOK_TRACEPOINT;
	sockets__submit(event);
}

SEC("tp_btf/net_dev_queue")
int BPF_PROG(echo_request, struct sk_buff *skb)
{
	struct request request = { .time = bpf_ktime_get_ns(), .packet = (uint64_t)skb };
	struct message message = { 0 };
	struct echo echo = { 0 };
	const struct request *known;
	const struct sock *sk;

	if (!read_message(skb, skb->head + skb->network_header, false, &message) ||
	    !is_type(&message, ECHO_REQUEST, ECHO_REQUEST_V6) || !sockets__selects_cgroup(skb->sk))
		return 0;
	identify(&message, &echo);
	request.ifindex = message.ifindex;
	known = bpf_map_lookup_elem(&echo_requests, &echo);
	/* If several stacked devices send the same packet, the time begins at the first one. */
	if (known && known->packet == request.packet && known->ifindex != request.ifindex && !known->is_answered)
		return 0;
	sk = skb->sk;
	if (sk) {
		request.skaddr = message.flow.skaddr = (uint64_t)sk;
		request.cookie = message.flow.cookie = (uint64_t)sk->__sk_common.skc_cookie.counter;
	}
	bpf_map_update_elem(&echo_requests, &echo, &request, BPF_ANY);
	record_echo(&message, TW_SOCKTS_ECHO_REQUEST, 0);
	return 0;
}

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(echo_reply, struct sk_buff *skb)
{
	const uint64_t now = bpf_ktime_get_ns();
	struct message message = { 0 };
	struct echo echo = { 0 };
	struct request *request;

	if (!read_message(skb, skb->data, true, &message) || !is_type(&message, ECHO_REPLY, ECHO_REPLY_V6))
		return 0;
	identify(&message, &echo);
	request = bpf_map_lookup_elem(&echo_requests, &echo);
	/* If a port of a bridge has received the reply, the bridge receives it again. */
	if (!request || request->is_answered)
		return 0;
	request->is_answered = true;
	message.flow.skaddr = request->skaddr;
	message.flow.cookie = request->cookie;
	record_echo(&message, TW_SOCKTS_ECHO_REPLY, now - request->time);
	return 0;
}
