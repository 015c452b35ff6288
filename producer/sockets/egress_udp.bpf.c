/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event sockts:egress_ts of UDP. A datagram passes the egress hook of the root cgroup in the context of the task that sends it, before
 * it is divided into IP fragments.
 */
#include "producer/sockets/sockets.bpf.h"

#define AT(pointer, type)     READABLE(pointer, type)
#define MEMBER(pointer, name) ((pointer)->name)
#define NAME(program)         egress_udp_##program
#include "producer/sockets/egress_udp.bpf.h"

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
