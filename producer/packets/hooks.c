/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs are attached to. If an event has several hooks, the first one that the running kernel permits is used. */
#include "producer/packets/impl.h"

static const struct tw_packet_hook hooks[] = {
	{ TW_PACKET_ICMP_ECHO,
	  TW_HOOK_TRACEPOINT,
	  { "echo_sent", "echo_received" },
	  { "net_dev_queue", "netif_receive_skb" } },
	{ TW_PACKET_ECN, TW_HOOK_TRACEPOINT, { "ecn_sent", "ecn_received" }, { "net_dev_queue", "netif_receive_skb" } },
	{ TW_PACKET_QDISC_LEAF,
	  TW_HOOK_QDISCS,
	  { "leaf_dequeued", "leaf_freed", "leaf_enqueued" },
	  { "qdisc_dequeue", "kfree_skb", "pfifo_enqueue" } },
	{ TW_PACKET_IP_START,
	  TW_HOOK_FENTRY,
	  { "ip_start_fentry", "ip6_start_fentry" },
	  { "ip_rcv_core", "ip6_rcv_core" } },
	{ TW_PACKET_IP_START,
	  TW_HOOK_NETFILTER,
	  { "ip_start_netfilter" },
	  { "netfilter PRE_ROUTING of this network namespace" } },
	{ TW_PACKET_TCP_START,
	  TW_HOOK_FENTRY,
	  { "tcp_start_fentry", "tcp6_start_fentry" },
	  { "tcp_v4_rcv", "tcp_v6_rcv" } },
	{ TW_PACKET_TCP_START, TW_HOOK_CGROUP, { "tcp_start_cgroup" }, { "ingress of the root cgroup" } },
	{ TW_PACKET_UDP_START,
	  TW_HOOK_FENTRY,
	  { "udp_start_fentry", "udp6_start_fentry" },
	  { "udp_rcv", "udpv6_rcv" } },
	{ TW_PACKET_UDP_START, TW_HOOK_CGROUP, { "udp_start_cgroup" }, { "ingress of the root cgroup" } },
	{ TW_PACKET_TCP_SOCKET_ENQUEUED, TW_HOOK_FENTRY, { "tcp_enqueued_fexit" }, { "tcp_queue_rcv" } },
	{ TW_PACKET_TCP_SOCKET_ENQUEUED, TW_HOOK_TRACEPOINT, { "tcp_enqueued_ready" }, { "sk_data_ready" } },
	{ TW_PACKET_UDP_SOCKET_ENQUEUED, TW_HOOK_FENTRY, { "udp_enqueued_fexit" }, { "__udp_enqueue_schedule_skb" } },
	{ TW_PACKET_UDP_SOCKET_ENQUEUED, TW_HOOK_TRACEPOINT, { "udp_enqueued_ready" }, { "sk_data_ready" } },
	{ TW_PACKET_TCP_SOCKET_READ, TW_HOOK_TRACEPOINT, { "tcp_read" }, { "skb_copy_datagram_iovec" } },
	{ TW_PACKET_UDP_SOCKET_READ, TW_HOOK_FENTRY, { "udp_read_fentry" }, { "skb_consume_udp" } },
};

static bool permits_target(const struct tw_bpf_kernel *kernel, enum tw_packet_hook_kind kind, const char *target)
{
	switch (kind) {
	case TW_HOOK_TRACEPOINT:
		return tw_bpf_kernel__tracepoint(kernel, target) >= 0;
	case TW_HOOK_FENTRY:
		return kernel->has_fentry && tw_bpf_kernel__has_function(kernel, target);
	case TW_HOOK_QDISCS:
		return tw_bpf_kernel__tracepoint(kernel, target) >= 0 || permits_target(kernel, TW_HOOK_FENTRY, target);
	case TW_HOOK_NETFILTER:
		return tw_bpf_kernel__has_netfilter(kernel);
	case TW_HOOK_CGROUP:
		return kernel->cgroup >= 0 && tw_bpf_kernel__has_function(kernel, "bpf_cast_to_kern_ctx");
	}
	return false;
}

const struct tw_packet_hook *tw_packet_hook__find(const struct tw_bpf_kernel *kernel, enum tw_packet_event event)
{
	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
		bool permits = hooks[i].event == event;

		for (size_t k = 0; k < TW_HOOK_PROGRAMS_MAX && hooks[i].targets[k] && permits; k++)
			permits = permits_target(kernel, hooks[i].kind, hooks[i].targets[k]);
		if (permits)
			return &hooks[i];
	}
	return NULL;
}
