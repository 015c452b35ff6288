/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event sockts:tcp_reset. */
#include "producer/sockets/sockets.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct tcp_sock {
	uint32_t rcv_nxt, snd_nxt;
};

#pragma clang attribute pop

static __always_inline bool wants(const struct tw_sockts_socket *flow, uint32_t reason, uint32_t direction)
{
	const volatile struct tw_sockts_condition *condition = sockets__condition(TW_SOCKTS_tcp_reset);
	struct tw_sockts_facts facts;

	if (!condition->n)
		return true;
	sockets__know_current(condition, &facts);
	facts.reason = reason;
	facts.direction = direction;
	return tw_sockts_condition__passes(condition, flow, &facts);
}

static __always_inline void record_reset(const struct tw_sockts_socket *flow, uint32_t seq, uint32_t reason,
					 enum tw_sockts_direction direction)
{
	struct tw_sockts_tcp_reset *event;

	event = wants(flow, reason, direction) ? sockets__reserve_for(flow, TW_SOCKTS_ID_tcp_reset, sizeof(*event))
					       : NULL;
	if (!event)
		return;
	event->seq = seq;
	event->reason = reason;
	event->direction = (uint8_t)direction;
	event->hook = TW_SOCKTS_HOOK_TRACEPOINT;
	sockets__submit(event);
}

/*
 * A reset that this host sends. @sk: may be NULL, or a socket that only waits for the end of a connection
 * @skb: the segment that the reset answers; NULL = the program or the kernel ends the connection
 */
static __always_inline int make_sent(struct sock *sk, struct sk_buff *skb, uint32_t reason)
{
	struct sockets_headers segment = { 0 };
	struct tcp_sock *tcp = (void *)sk;
	struct tw_sockts_socket flow = { 0 };
	uint32_t seq = 0;

	if (!sockets__selects_cgroup(sk))
		return 0;
	if (sk)
		sockets__set_identity(&flow, sk, bpf_get_socket_cookie(sk), PROTOCOL_TCP);
	if (skb) {
		if (!sk)
			flow.netns_cookie = sockets__netns_of(skb);
		sockets__set_flow(&flow, skb, true, &segment);
		/* the sequence number of the reset that answers the segment */
		if (segment.has_transport && segment.transport.flags & TCP_ACK)
			seq = bpf_ntohl(segment.transport.ack_seq);
	} else if (sk) {
		seq = BPF_CORE_READ(tcp, snd_nxt);
	}
	record_reset(&flow, seq, reason, TW_SOCKTS_DIRECTION_SENT);
	return 0;
}

SEC("tp_btf/tcp_send_reset")
int BPF_PROG(reset_sent, struct sock *sk, struct sk_buff *skb, int reason)
{
	return make_sent(sk, skb, (uint32_t)reason);
}

/* Before Linux 6.10, the tracepoint has no reason. */
SEC("tp_btf/tcp_send_reset")
int BPF_PROG(reset_sent_before, struct sock *sk, struct sk_buff *skb)
{
	return make_sent(sk, skb, 0);
}

SEC("tp_btf/tcp_receive_reset")
int BPF_PROG(reset_received, struct sock *sk)
{
	struct tcp_sock *tcp = (void *)sk;
	struct tw_sockts_socket flow = { 0 };

	if (!sockets__selects_cgroup(sk))
		return 0;
	sockets__set_identity(&flow, sk, bpf_get_socket_cookie(sk), PROTOCOL_TCP);
	/* the kernel accepts a reset only if this is its sequence number, or if it answers a SYN */
	record_reset(&flow, BPF_CORE_READ(tcp, rcv_nxt), 0, TW_SOCKTS_DIRECTION_RECEIVED);
	return 0;
}
