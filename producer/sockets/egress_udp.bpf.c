/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event sockts:egress_ts of UDP. A datagram passes the egress hook of the root cgroup in the context of the task that sends it, before
 * it is divided into IP fragments.
 */
#include "producer/sockets/sockets.bpf.h"

#define AT(pointer, type)     READABLE(pointer, type)
#define MEMBER(pointer, name) ((pointer)->name)

#include "producer/sockets/egress_udp.bpf.h"

SEC("cgroup/sock_create")
int egress_udp_socket(struct bpf_sock *sk)
{
	return begin_counting(sk);
}

static __always_inline struct counted *find_counted(struct bpf_sock *sk)
{
	struct counted seen = { .key_base = TW_SOCKTS_KEY_BASE_SEEN };

	sk = sk ? bpf_sk_fullsock(sk) : NULL;
	return sk ? bpf_sk_storage_get(&udp_sockets, sk, &seen, BPF_SK_STORAGE_GET_F_CREATE) : NULL;
}

/* A datagram is complete. In a tunnel, its packet comes again, with another protocol. */
SEC("cgroup_skb/egress")
int egress_udp_sendmsg(struct __sk_buff *context)
{
	struct sk_buff *skb = bpf_cast_to_kern_ctx(context);
	struct sock *sk = skb ? skb->sk : NULL;
	struct sockets_headers headers = { 0 };
	struct sent sent = { 0 };
	struct tw_sockts_egress_ts *event = &sent.event;
	struct counted *counted;

	if (!is_udp(sk) || !sockets__selects_cgroup(sk) || sockets__is_own())
		return 1;
	sockets__set_flow(event, skb, false, &headers);
	if (event->protocol != PROTOCOL_UDP)
		return 1;
	counted = find_counted(context->sk);
	if (!counted)
		return 1;
	event->skaddr = (uint64_t)sk;
	event->cookie = bpf_get_socket_cookie(context);
	event->netns_cookie = sk->__sk_common.skc_net.net->net_cookie;
	keep(&sent, counted, skb, ((const struct sock___udp *)sk)->sk_tsflags, TW_SOCKTS_HOOK_CGROUP);
	return 1;
}

SEC("tp_btf/net_dev_queue")
int BPF_PROG(egress_udp_sched, struct sk_buff *skb)
{
	return follow_packet(skb, TW_SOCKTS_EGRESS_SCHED);
}

SEC("tp_btf/net_dev_start_xmit")
int BPF_PROG(egress_udp_sent, struct sk_buff *skb)
{
	return follow_packet(skb, TW_SOCKTS_EGRESS_SND_SW);
}

SEC("fentry/udp_sendmsg")
int BPF_PROG(egress_udp_entry, struct sock *sk, void *msg, size_t size)
{
	/* IPv6 sockets send to IPv4 addresses by this function, too. */
	return sk->__sk_common.skc_family == FAMILY_INET ? begin_sendmsg(sk, size) : 0;
}

SEC("fentry/udpv6_sendmsg")
int BPF_PROG(egress_udp_entry_v6, struct sock *sk, void *msg, size_t size)
{
	return begin_sendmsg(sk, size);
}
