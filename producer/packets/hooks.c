/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs are attached to. If an event has several hooks, the first one that the running kernel permits is used. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Whether the kernel permits a program at the entry of a function. To find out, this loads and attaches one. */
static bool permits_fentry(const struct btf *btf)
{
	const struct bpf_insn insns[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT } };
	const int function = btf__find_by_name_kind(btf, "tcp_v4_rcv", BTF_KIND_FUNC);
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = function > 0 ? (uint32_t)function : 0);
	int fd, link = -1;

	if (function <= 0)
		return false;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "tw_probe", "GPL", insns, 2, &opts);
	if (fd >= 0) {
		link = bpf_raw_tracepoint_open(NULL, fd);
		close(fd);
	}
	if (link >= 0)
		close(link);
	return link >= 0;
}

int tw_packet_kernel__init(struct tw_packet_kernel *kernel, struct tw_error *error)
{
	*kernel = (struct tw_packet_kernel){ .cgroup = tw_cgroup__open_root(NULL) };
	kernel->btf = btf__load_vmlinux_btf();
	if (!kernel->btf)
		return tw_error__set(
			error, -EOPNOTSUPP,
			"this kernel has no type information (BTF, /sys/kernel/btf/vmlinux), which BPF programs that read packets need");
	kernel->has_fentry = permits_fentry(kernel->btf);
	return 0;
}

void tw_packet_kernel__fini(struct tw_packet_kernel *kernel)
{
	btf__free(kernel->btf);
	if (kernel->cgroup >= 0)
		close(kernel->cgroup);
	*kernel = (struct tw_packet_kernel){ .cgroup = -1 };
}

static bool has_tracepoint(const struct btf *btf, const char *name)
{
	char text[128];

	snprintf(text, sizeof(text), "btf_trace_%s", name);
	return btf__find_by_name_kind(btf, text, BTF_KIND_TYPEDEF) > 0;
}

static bool permits_target(const struct tw_packet_kernel *kernel, enum tw_packet_hook_kind kind, const char *target)
{
	switch (kind) {
	case TW_HOOK_TRACEPOINT:
		return has_tracepoint(kernel->btf, target);
	case TW_HOOK_FENTRY:
		return kernel->has_fentry && btf__find_by_name_kind(kernel->btf, target, BTF_KIND_FUNC) > 0;
	case TW_HOOK_QDISCS:
		return has_tracepoint(kernel->btf, target) || permits_target(kernel, TW_HOOK_FENTRY, target);
	case TW_HOOK_NETFILTER:
		return btf__find_by_name_kind(kernel->btf, "bpf_nf_link", BTF_KIND_STRUCT) > 0;
	case TW_HOOK_CGROUP:
		return kernel->cgroup >= 0 &&
		       btf__find_by_name_kind(kernel->btf, "bpf_cast_to_kern_ctx", BTF_KIND_FUNC) > 0;
	}
	return false;
}

const struct tw_packet_hook *tw_packet_kernel__hook(const struct tw_packet_kernel *kernel, enum tw_packet_event event)
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
