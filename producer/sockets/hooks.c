/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs are attached to. If a stage has several hooks, the first one that the running kernel permits is used. */
#include <string.h>

#include "producer/sockets/impl.h"

#define ON(event) (1u << TW_SOCKTS_##event)

#define EGRESS    (ON(egress_ts) | ON(egress_stats))
#define ENABLE_TX "bpf_sock_ops_enable_tx_tstamp" /* Linux 6.15 */

static const struct tw_socket_hook hooks[] = {
	{ EGRESS, "tcp", "egress_tcp", TW_SOCKET_HOOK_SOCKOPS, "sockops of the root cgroup", 0, ENABLE_TX },
	{ EGRESS, "tcp_entry", "egress_entry", TW_SOCKET_HOOK_TRACEPOINT, "tcp_sendmsg_locked", 2, ENABLE_TX },
	{ EGRESS, "tcp_existing", "egress_existing", TW_SOCKET_HOOK_EACH_TCP, "the iterator of TCP sockets", 0,
	  ENABLE_TX },
	{ ON(ingress_ts), "rx", "ingress_rx", TW_SOCKET_HOOK_TRACEPOINT, "netif_receive_skb", 1, NULL },
	{ ON(ingress_ts), "ip", "ingress_ip", TW_SOCKET_HOOK_NETFILTER,
	  "the netfilter hook PRE_ROUTING of this network namespace", 0, NULL },
	{ ON(ingress_ts), "l4", "ingress_l4", TW_SOCKET_HOOK_INGRESS, "ingress of the root cgroup", 0,
	  "bpf_cast_to_kern_ctx" },
	{ ON(ingress_ts), "socket", "ingress_socket", TW_SOCKET_HOOK_TRACEPOINT, "sk_data_ready", 1, NULL },
	{ ON(ingress_ts), "tcp_read", "ingress_tcp_read", TW_SOCKET_HOOK_TRACEPOINT, "tcp_rcv_space_adjust", 1, NULL },
	{ ON(ingress_ts), "udp_read", "ingress_udp_read", TW_SOCKET_HOOK_TRACEPOINT, "sock_recv_length", 3, NULL },
	{ TW_SOCKET_WAKES, "wake", "ingress_wake", TW_SOCKET_HOOK_TRACEPOINT, "sched_waking", 1, NULL },
	{ TW_SOCKET_WAKES, "run", "ingress_run", TW_SOCKET_HOOK_TRACEPOINT, "sched_switch", 3, NULL },
	{ ON(tcp_reset), "sent", "reset_sent", TW_SOCKET_HOOK_TRACEPOINT, "tcp_send_reset", 3, NULL },
	{ ON(tcp_reset), "sent", "reset_sent_before", TW_SOCKET_HOOK_TRACEPOINT, "tcp_send_reset", 2, NULL },
	{ ON(tcp_reset), "received", "reset_received", TW_SOCKET_HOOK_TRACEPOINT, "tcp_receive_reset", 1, NULL },
	{ ON(drop), "dropped", "drop_of_socket", TW_SOCKET_HOOK_TRACEPOINT, "kfree_skb", 4, NULL },
	{ ON(drop), "dropped", "drop_with_reason", TW_SOCKET_HOOK_TRACEPOINT, "kfree_skb", 3, NULL },
	{ ON(drop), "dropped", "drop_at", TW_SOCKET_HOOK_TRACEPOINT, "kfree_skb", 2, NULL },
};

static bool permits(const struct tw_bpf_kernel *kernel, const struct tw_socket_hook *hook)
{
	if (hook->needs && !tw_bpf_kernel__has_function(kernel, hook->needs))
		return false;
	switch (hook->kind) {
	case TW_SOCKET_HOOK_TRACEPOINT:
		return tw_bpf_kernel__tracepoint(kernel, hook->target) >= hook->args_min;
	case TW_SOCKET_HOOK_FUNCTION:
		return kernel->has_fentry && tw_bpf_kernel__has_function(kernel, hook->target);
	case TW_SOCKET_HOOK_NETFILTER:
		return tw_bpf_kernel__has_netfilter(kernel);
	case TW_SOCKET_HOOK_INGRESS:
	case TW_SOCKET_HOOK_EGRESS:
	case TW_SOCKET_HOOK_SOCKOPS:
	case TW_SOCKET_HOOK_EACH_TCP:
		return kernel->cgroup >= 0;
	}
	return false;
}

static bool has_stage(const struct tw_socket_hook *const *chosen, size_t n, const struct tw_socket_hook *hook)
{
	for (size_t i = 0; i < n; i++)
		if (chosen[i]->events == hook->events && !strcmp(chosen[i]->stage, hook->stage))
			return true;
	return false;
}

size_t tw_socket_hooks__choose(const struct tw_bpf_kernel *kernel, uint32_t events, const struct tw_socket_hook **ret,
			       size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]) && n < max; i++)
		if (hooks[i].events & events && !has_stage(ret, n, &hooks[i]) && permits(kernel, &hooks[i]))
			ret[n++] = &hooks[i];
	return n;
}
