/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs are attached to. If a stage has several hooks, the first one that the running kernel permits is used. */
#include <stdio.h>
#include <string.h>

#include "producer/sockets/impl.h"

#define ON(event) (1u << TW_SOCKTS_##event)

#define EGRESS    (ON(egress_ts) | ON(egress_stats))
#define ENABLE_TX "bpf_sock_ops_enable_tx_tstamp" /* Linux 6.15 */

#define OLDEST "5.8" /* the first Linux with BPF rings */

static const struct tw_socket_hook hooks[] = {
	{ EGRESS, "tcp", "egress_tcp", TW_SOCKET_HOOK_SOCKOPS, "sockops of the root cgroup", 0, ENABLE_TX, "6.15",
	  NULL },
	{ EGRESS, "tcp_entry", "egress_entry", TW_SOCKET_HOOK_TRACEPOINT, "tcp_sendmsg_locked", 2, ENABLE_TX, "6.16",
	  "tcp" },
	{ EGRESS, "tcp_existing", "egress_existing", TW_SOCKET_HOOK_EACH_TCP, "the iterator of TCP sockets", 0,
	  ENABLE_TX, "6.15", "tcp" },
	{ ON(egress_ts), "udp_socket", "egress_udp_socket", TW_SOCKET_HOOK_CREATE, "sockets of the root cgroup", 0,
	  "bpf_rdonly_cast", "6.2", NULL },
	{ ON(egress_ts), "udp_sendmsg", "egress_udp_sendmsg", TW_SOCKET_HOOK_EGRESS, "egress of the root cgroup", 0,
	  "bpf_rdonly_cast", "6.2", NULL },
	{ ON(egress_ts), "udp_sched", "egress_udp_sched", TW_SOCKET_HOOK_TRACEPOINT, "net_dev_queue", 1,
	  "bpf_rdonly_cast", "6.2", "udp_sendmsg" },
	{ ON(egress_ts), "udp_sent", "egress_udp_sent", TW_SOCKET_HOOK_TRACEPOINT, "net_dev_start_xmit", 1,
	  "bpf_rdonly_cast", "6.2", "udp_sendmsg" },
	{ ON(ingress_ts), "rx", "ingress_rx", TW_SOCKET_HOOK_TRACEPOINT, "netif_receive_skb", 1, NULL, OLDEST, NULL },
	{ ON(ingress_ts), "ip", "ingress_ip", TW_SOCKET_HOOK_NETFILTER,
	  "the netfilter hook PRE_ROUTING of this network namespace", 0, NULL, "6.4", NULL },
	{ ON(ingress_ts), "l4", "ingress_l4", TW_SOCKET_HOOK_INGRESS, "ingress of the root cgroup", 0,
	  "bpf_cast_to_kern_ctx", "6.2", NULL },
	{ ON(ingress_ts), "socket", "ingress_socket", TW_SOCKET_HOOK_TRACEPOINT, "sk_data_ready", 1, NULL, "6.3",
	  NULL },
	{ ON(ingress_ts), "tcp_read", "ingress_tcp_read", TW_SOCKET_HOOK_TRACEPOINT, "tcp_rcv_space_adjust", 1, NULL,
	  OLDEST, NULL },
	{ ON(ingress_ts), "udp_read", "ingress_udp_read", TW_SOCKET_HOOK_TRACEPOINT, "sock_recv_length", 3, NULL, "6.3",
	  NULL },
	{ TW_SOCKET_WAKES, "wake", "ingress_wake", TW_SOCKET_HOOK_TRACEPOINT, "sched_waking", 1, NULL, OLDEST, NULL },
	{ TW_SOCKET_WAKES, "run", "ingress_run", TW_SOCKET_HOOK_TRACEPOINT, "sched_switch", 3, NULL, OLDEST, NULL },
	{ ON(icmp_echo), "request", "echo_request", TW_SOCKET_HOOK_TRACEPOINT, "net_dev_queue", 1, NULL, OLDEST, NULL },
	{ ON(icmp_echo), "reply", "echo_reply", TW_SOCKET_HOOK_TRACEPOINT, "netif_receive_skb", 1, NULL, OLDEST,
	  "request" },
	{ ON(ecn_ce), "sent", "mark_sent", TW_SOCKET_HOOK_TRACEPOINT, "net_dev_queue", 1, NULL, OLDEST, NULL },
	{ ON(ecn_ce), "received", "mark_received", TW_SOCKET_HOOK_TRACEPOINT, "netif_receive_skb", 1, NULL, OLDEST,
	  NULL },
	{ ON(tcp_reset), "sent", "reset_sent", TW_SOCKET_HOOK_TRACEPOINT, "tcp_send_reset", 3, NULL, "6.10", NULL },
	{ ON(tcp_reset), "sent", "reset_sent_before", TW_SOCKET_HOOK_TRACEPOINT, "tcp_send_reset", 2, NULL, OLDEST,
	  NULL },
	{ ON(tcp_reset), "received", "reset_received", TW_SOCKET_HOOK_TRACEPOINT, "tcp_receive_reset", 1, NULL, OLDEST,
	  NULL },
	{ ON(drop), "dropped", "drop_of_socket", TW_SOCKET_HOOK_TRACEPOINT, "kfree_skb", 4, NULL, "6.11", NULL },
	{ ON(drop), "dropped", "drop_with_reason", TW_SOCKET_HOOK_TRACEPOINT, "kfree_skb", 3, NULL, "5.17", NULL },
	{ ON(drop), "dropped", "drop_at", TW_SOCKET_HOOK_TRACEPOINT, "kfree_skb", 2, NULL, OLDEST, NULL },
};

#define HOOKS (sizeof(hooks) / sizeof(hooks[0]))

static bool is_same_stage(const struct tw_socket_hook *a, const struct tw_socket_hook *b)
{
	return a->events == b->events && !strcmp(a->stage, b->stage);
}

/* The hook of the stage that another hook needs; NULL if it needs none */
static const struct tw_socket_hook *find_needed(const struct tw_socket_hook *hook)
{
	for (size_t i = 0; hook->with && i < HOOKS; i++)
		if (hooks[i].events == hook->events && !strcmp(hooks[i].stage, hook->with))
			return &hooks[i];
	return NULL;
}

static bool permits(const struct tw_bpf_kernel *kernel, const struct tw_socket_hook *hook)
{
	const struct tw_socket_hook *needed = find_needed(hook);

	if (needed && !permits(kernel, needed))
		return false;
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
	case TW_SOCKET_HOOK_CREATE:
	case TW_SOCKET_HOOK_SOCKOPS:
	case TW_SOCKET_HOOK_EACH_TCP:
		return kernel->cgroup >= 0;
	}
	return false;
}

static bool has_stage(const struct tw_socket_hook *const *chosen, size_t n, const struct tw_socket_hook *hook)
{
	for (size_t i = 0; i < n; i++)
		if (is_same_stage(chosen[i], hook))
			return true;
	return false;
}

size_t tw_socket_hooks__choose(const struct tw_bpf_kernel *kernel, uint32_t events, const struct tw_socket_hook **ret,
			       size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < HOOKS && n < max; i++)
		if (hooks[i].events & events && !has_stage(ret, n, &hooks[i]) && permits(kernel, &hooks[i]))
			ret[n++] = &hooks[i];
	return n;
}

void tw_socket_hook__describe(const struct tw_socket_hook *hook, char *ret, size_t size)
{
	const char *kind = hook->kind == TW_SOCKET_HOOK_TRACEPOINT ? "tracepoint "
			   : hook->kind == TW_SOCKET_HOOK_FUNCTION ? "function "
								   : "";

	snprintf(ret, size, "%s%s", kind, hook->target);
}

bool tw_socket_hook__is_of_cgroup(const struct tw_socket_hook *hook)
{
	return hook->kind == TW_SOCKET_HOOK_INGRESS || hook->kind == TW_SOCKET_HOOK_EGRESS ||
	       hook->kind == TW_SOCKET_HOOK_CREATE || hook->kind == TW_SOCKET_HOOK_SOCKOPS;
}

/* Says why the kernel does not permit a hook, and what to do. */
static void set_lack(const struct tw_bpf_kernel *kernel, const struct tw_socket_hook *hook, struct tw_socket_stage *ret)
{
	const struct tw_socket_hook *needed = find_needed(hook);
	char what[sizeof(ret->hook)];

	if (needed && !permits(kernel, needed))
		hook = needed;
	snprintf(ret->fix, sizeof(ret->fix), "use Linux %s or later", hook->since);
	tw_socket_hook__describe(hook, what, sizeof(what));
	if (hook->needs && !tw_bpf_kernel__has_function(kernel, hook->needs)) {
		snprintf(ret->lack, sizeof(ret->lack), "this kernel has no function %s()", hook->needs);
	} else if (hook->kind == TW_SOCKET_HOOK_TRACEPOINT) {
		snprintf(ret->lack, sizeof(ret->lack), "this kernel has no %s", what);
	} else if (tw_socket_hook__is_of_cgroup(hook)) {
		snprintf(ret->lack, sizeof(ret->lack), "cgroup2 is not mounted");
		snprintf(ret->fix, sizeof(ret->fix), "mount it");
	} else {
		snprintf(ret->lack, sizeof(ret->lack), "this kernel permits no BPF programs at %s", what);
	}
}

/* Finds the hook of the stage of the @i-th hook. */
static void find_hook(const struct tw_bpf_kernel *kernel, size_t i, struct tw_socket_stage *ret)
{
	const struct tw_socket_hook *const of = &hooks[i];
	const bool wakes = of->events == TW_SOCKET_WAKES;

	*ret = (struct tw_socket_stage){ .events = wakes ? ON(ingress_ts) : of->events, .name = of->stage };
	for (; i < HOOKS; i++) {
		if (!is_same_stage(&hooks[i], of))
			continue;
		if (permits(kernel, &hooks[i])) {
			tw_socket_hook__describe(&hooks[i], ret->hook, sizeof(ret->hook));
			ret->lack[0] = ret->fix[0] = '\0';
			return;
		}
		set_lack(kernel, &hooks[i], ret);
	}
}

void tw_socket_hooks__explain(const struct tw_bpf_kernel *kernel, uint32_t events, struct tw_socket_stage *ret)
{
	size_t i = 0;

	while (i < HOOKS - 1 && hooks[i].events != events)
		i++;
	find_hook(kernel, i, ret);
}

int tw_socket_stages__find(struct tw_socket_stage *ret, size_t max, struct tw_error *error)
{
	const struct tw_socket_hook *seen[HOOKS];
	struct tw_bpf_kernel kernel;
	int err = tw_bpf_kernel__init(&kernel, error);
	size_t n = 0;

	for (size_t i = 0; i < HOOKS && n < max && !err; i++) {
		if (has_stage(seen, n, &hooks[i]))
			continue;
		find_hook(&kernel, i, &ret[n]);
		seen[n++] = &hooks[i];
	}
	tw_bpf_kernel__fini(&kernel);
	return err ? err : (int)n;
}
