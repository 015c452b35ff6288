/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event sockts:egress_ts of UDP, before Linux 6.2 or without cgroup2. Programs of the cgroup cannot read the packet there, so a
 * datagram is complete when it is passed to ip_send_skb() or ip6_send_skb().
 */
#include "producer/sockets/sockets.bpf.h"

#define AT(pointer, type)     ((const type *)(pointer))
#define MEMBER(pointer, name) BPF_CORE_READ(pointer, name)
#define NAME(program)         egress_udp_send_##program
#include "producer/sockets/egress_udp.bpf.h"

/* The addresses and ports of a datagram whose packet has no protocol yet. Return: whether it is one of UDP */
static __always_inline bool set_flow_v4(struct tw_sockts_egress_ts *event, const struct sk_buff *skb)
{
	struct ipv4 ip;

	if (bpf_probe_read_kernel(&ip, sizeof(ip), skb->head + skb->network_header))
		return false;
	event->family = FAMILY_INET;
	__builtin_memcpy(event->saddr, ip.saddr, sizeof(ip.saddr));
	__builtin_memcpy(event->daddr, ip.daddr, sizeof(ip.daddr));
	sockets__map_address(event->saddrv6, ip.saddr);
	sockets__map_address(event->daddrv6, ip.daddr);
	return ip.protocol == PROTOCOL_UDP;
}

static __always_inline bool set_flow_v6(struct tw_sockts_egress_ts *event, const struct sk_buff *skb)
{
	struct ipv6 ip;

	if (bpf_probe_read_kernel(&ip, sizeof(ip), skb->head + skb->network_header))
		return false;
	event->family = FAMILY_INET6;
	__builtin_memcpy(event->saddrv6, ip.saddr, sizeof(ip.saddr));
	__builtin_memcpy(event->daddrv6, ip.daddr, sizeof(ip.daddr));
	return ip.next_header == PROTOCOL_UDP;
}

static __always_inline int end_sendmsg(struct sk_buff *skb, bool is_v6)
{
	struct counted seen = { .key_base = TW_SOCKTS_KEY_BASE_SEEN }, *counted;
	struct sock *sk = skb->sk;
	struct sent sent = { 0 };
	struct tw_sockts_egress_ts *event = &sent.event;
	struct udp ports;

	if (!is_udp(sk) || !sockets__selects_cgroup(sk) || sockets__is_own() ||
	    !(is_v6 ? set_flow_v6(event, skb) : set_flow_v4(event, skb)) ||
	    bpf_probe_read_kernel(&ports, sizeof(ports), skb->head + skb->transport_header))
		return 0;
	counted = bpf_sk_storage_get(&udp_sockets, sk, &seen, BPF_SK_STORAGE_GET_F_CREATE);
	if (!counted)
		return 0;
	event->protocol = PROTOCOL_UDP;
	event->sport = bpf_ntohs(ports.sport);
	event->dport = bpf_ntohs(ports.dport);
	event->skaddr = (uint64_t)sk;
	event->cookie = bpf_get_socket_cookie(sk);
	event->netns_cookie = sk->__sk_common.skc_net.net->net_cookie;
	keep(&sent, counted, skb, ((const struct sock___udp *)sk)->sk_tsflags, TW_SOCKTS_HOOK_FUNCTION);
	return 0;
}

SEC("fentry/ip_send_skb")
int BPF_PROG(egress_udp_send, void *net, struct sk_buff *skb)
{
	return end_sendmsg(skb, false);
}

SEC("fentry/ip6_send_skb")
int BPF_PROG(egress_udp_send_v6, struct sk_buff *skb)
{
	return end_sendmsg(skb, true);
}
