/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event sockts:tcp_reset. */
#include "producer/sockets/sockets.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct tcp_sock {
	uint32_t rcv_nxt, snd_nxt;
};

#pragma clang attribute pop

/*
 * A reset that this host sends. @sk: may be NULL, or a socket that only waits for the end of a connection
 * @skb: the segment that the reset answers; NULL = the program or the kernel ends the connection
 */
static __always_inline int make_sent(struct sock *sk, struct sk_buff *skb, uint32_t reason)
{
	struct sockets_headers segment = { 0 };
	struct tw_sockts_tcp_reset *event;
	struct tcp_sock *tcp = (void *)sk;

	event = sockets__reserve(sizeof(*event));
	if (!event)
		return 0;
	__builtin_memset(event, 0, sizeof(*event));
	sockets__set_common(&event->common, TW_SOCKTS_ID_tcp_reset);
	if (sk)
		sockets__set_identity(event, sk, bpf_get_socket_cookie(sk), PROTOCOL_TCP);
	if (skb) {
		if (!sk)
			event->netns_cookie = sockets__netns_of(skb);
		sockets__set_flow(event, skb, true, &segment);
		/* the sequence number of the reset that answers the segment */
		if (segment.has_transport && segment.transport.flags & TCP_ACK)
			event->seq = bpf_ntohl(segment.transport.ack_seq);
	} else if (sk) {
		event->seq = BPF_CORE_READ(tcp, snd_nxt);
	}
	event->reason = reason;
	event->direction = TW_SOCKTS_DIRECTION_SENT;
	event->hook = TW_SOCKTS_HOOK_TRACEPOINT;
	sockets__submit(event);
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
	struct tw_sockts_tcp_reset *event;
	struct tcp_sock *tcp = (void *)sk;

	event = sockets__reserve(sizeof(*event));
	if (!event)
		return 0;
	__builtin_memset(event, 0, sizeof(*event));
	sockets__set_common(&event->common, TW_SOCKTS_ID_tcp_reset);
	sockets__set_identity(event, sk, bpf_get_socket_cookie(sk), PROTOCOL_TCP);
	/* the kernel accepts a reset only if this is its sequence number, or if it answers a SYN */
	event->seq = BPF_CORE_READ(tcp, rcv_nxt);
	event->direction = TW_SOCKTS_DIRECTION_RECEIVED;
	event->hook = TW_SOCKTS_HOOK_TRACEPOINT;
	sockets__submit(event);
	return 0;
}
