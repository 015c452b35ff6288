/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs are attached to. If a stage has several hooks, the first one that the running kernel permits is used. */
#include <stdio.h>
#include <string.h>

#include "producer/sockets/formats.h"
#include "producer/sockets/impl.h"

#define ON(event) (1u << TW_SOCKTS_##event)

/*
 * The parts of a row of the table below. A program of a tracepoint reads the first @args arguments, which older kernels may not have.
 * NEEDS(): a function of the kernel; SINCE(): the first version of Linux that has the hook, the arguments and the function; WITH(): the
 * program without which this one is of no use.
 */
#define TRACEPOINT(name, args) .kind = TW_SOCKET_HOOK_TRACEPOINT, .target = #name, .args_min = (args)
#define FUNCTION(name)         .kind = TW_SOCKET_HOOK_FUNCTION, .target = #name
#define NETFILTER              .kind = TW_SOCKET_HOOK_NETFILTER, .target = "the netfilter hook PRE_ROUTING of this network namespace"
#define INGRESS                .kind = TW_SOCKET_HOOK_INGRESS, .target = "ingress of the root cgroup"
#define EGRESS                 .kind = TW_SOCKET_HOOK_EGRESS, .target = "egress of the root cgroup"
#define CREATE                 .kind = TW_SOCKET_HOOK_CREATE, .target = "sockets of the root cgroup"
#define SOCKOPS                .kind = TW_SOCKET_HOOK_SOCKOPS, .target = "sockops of the root cgroup"
#define EACH_TCP               .kind = TW_SOCKET_HOOK_EACH_TCP, .target = "the iterator of TCP sockets"

#define NEEDS(function) .needs = #function
#define SINCE(version)  .since = version
#define WITH(program)   .with = program
#define ALWAYS          SINCE("5.12") /* the first Linux with the atomic operations of the rings */

#define STAMPS    NEEDS(bpf_sock_ops_enable_tx_tstamp)
#define READS_ALL NEEDS(bpf_rdonly_cast), SINCE("6.2")

#define EGRESS_TCP (ON(egress_ts) | ON(egress_stats))
#define EGRESS_UDP ON(egress_ts)

/* Events, stage, program, what it is attached to, what that needs */
static const struct tw_socket_hook hooks[] = {
	{ EGRESS_TCP, "tcp", "egress_tcp", SOCKOPS, STAMPS, SINCE("6.15") },
	{ EGRESS_TCP, "tcp", "egress_tcp_push", FUNCTION(tcp_push), NEEDS(tcp_rate_skb_delivered), SINCE("6.15") },
	{ EGRESS_TCP, "tcp_sched", "egress_tcp_sched", TRACEPOINT(net_dev_queue, 1), ALWAYS, WITH("egress_tcp_push") },
	{ EGRESS_TCP, "tcp_sent", "egress_tcp_sent", TRACEPOINT(net_dev_start_xmit, 1), ALWAYS,
	  WITH("egress_tcp_push") },
	{ EGRESS_TCP, "tcp_ack", "egress_tcp_ack", FUNCTION(tcp_rate_skb_delivered), ALWAYS, WITH("egress_tcp_push") },
	{ EGRESS_TCP, "tcp_entry", "egress_entry", TRACEPOINT(tcp_sendmsg_locked, 2), STAMPS, SINCE("6.16"),
	  WITH("egress_tcp") },
	{ EGRESS_TCP, "tcp_entry", "egress_tcp_entry", FUNCTION(tcp_sendmsg_locked), ALWAYS, WITH("egress_tcp_push") },
	{ EGRESS_TCP, "tcp_pages", "egress_tcp_pages", FUNCTION(do_tcp_sendpages), WITH("egress_tcp_push") },
	{ EGRESS_TCP, "tcp_begin", "egress_tcp_begin", TRACEPOINT(inet_sock_set_state, 3), ALWAYS,
	  WITH("egress_tcp_push") },
	{ EGRESS_TCP, "tcp_existing", "egress_existing", EACH_TCP, STAMPS, SINCE("6.15"), WITH("egress_tcp") },
	{ EGRESS_TCP, "tcp_existing", "egress_tcp_before", EACH_TCP, ALWAYS, WITH("egress_tcp_push") },

	{ EGRESS_UDP, "udp_socket", "egress_udp_socket", CREATE, READS_ALL },
	{ EGRESS_UDP, "udp_socket", "egress_udp_send_socket", CREATE, ALWAYS, WITH("egress_udp_send") },
	{ EGRESS_UDP, "udp_sendmsg", "egress_udp_sendmsg", EGRESS, READS_ALL },
	{ EGRESS_UDP, "udp_sendmsg", "egress_udp_send", FUNCTION(ip_send_skb), ALWAYS },
	{ EGRESS_UDP, "udp_sendmsg_v6", "egress_udp_send_v6", FUNCTION(ip6_send_skb), WITH("egress_udp_send") },
	{ EGRESS_UDP, "udp_sched", "egress_udp_sched", TRACEPOINT(net_dev_queue, 1), READS_ALL,
	  WITH("egress_udp_sendmsg") },
	{ EGRESS_UDP, "udp_sched", "egress_udp_send_sched", TRACEPOINT(net_dev_queue, 1), ALWAYS,
	  WITH("egress_udp_send") },
	{ EGRESS_UDP, "udp_sent", "egress_udp_sent", TRACEPOINT(net_dev_start_xmit, 1), READS_ALL,
	  WITH("egress_udp_sendmsg") },
	{ EGRESS_UDP, "udp_sent", "egress_udp_send_sent", TRACEPOINT(net_dev_start_xmit, 1), ALWAYS,
	  WITH("egress_udp_send") },
	{ EGRESS_UDP, "udp_entry", "egress_udp_entry", FUNCTION(udp_sendmsg), ALWAYS, WITH("egress_udp_sendmsg") },
	{ EGRESS_UDP, "udp_entry", "egress_udp_send_entry", FUNCTION(udp_sendmsg), ALWAYS, WITH("egress_udp_send") },
	{ EGRESS_UDP, "udp_entry_v6", "egress_udp_entry_v6", FUNCTION(udpv6_sendmsg), WITH("egress_udp_sendmsg") },
	{ EGRESS_UDP, "udp_entry_v6", "egress_udp_send_entry_v6", FUNCTION(udpv6_sendmsg), WITH("egress_udp_send") },

	{ ON(ingress_ts), "rx", "ingress_rx", TRACEPOINT(netif_receive_skb, 1), READS_ALL },
	{ ON(ingress_ts), "rx", "ingress_rx_before", TRACEPOINT(netif_receive_skb, 1), ALWAYS },
	{ ON(ingress_ts), "ip", "ingress_ip", NETFILTER, SINCE("6.4") },
	{ ON(ingress_ts), "ip", "ingress_ip_before", FUNCTION(ip_rcv_core), ALWAYS },
	{ ON(ingress_ts), "ip_v6", "ingress_ip_before_v6", FUNCTION(ip6_rcv_core), WITH("ingress_ip_before") },
	{ ON(ingress_ts), "l4", "ingress_l4", INGRESS, READS_ALL },
	{ ON(ingress_ts), "l4", "ingress_l4_before", FUNCTION(sk_filter_trim_cap), ALWAYS },
	{ ON(ingress_ts), "socket", "ingress_socket", TRACEPOINT(sk_data_ready, 1), SINCE("6.3") },
	{ ON(ingress_ts), "socket", "ingress_socket_before", FUNCTION(sock_def_readable), ALWAYS },
	{ ON(ingress_ts), "tcp_read", "ingress_tcp_read", TRACEPOINT(tcp_rcv_space_adjust, 1), ALWAYS },
	{ ON(ingress_ts), "udp_read", "ingress_udp_read", TRACEPOINT(sock_recv_length, 3), SINCE("6.3") },
	{ ON(ingress_ts), "udp_read", "ingress_udp_read_before", FUNCTION(inet_recvmsg), ALWAYS },
	{ ON(ingress_ts), "udp_read_v6", "ingress_udp_read_before_v6", FUNCTION(inet6_recvmsg),
	  WITH("ingress_udp_read_before") },
	{ TW_SOCKET_WAKES, "wake", "ingress_wake", TRACEPOINT(sched_waking, 1), ALWAYS },
	{ TW_SOCKET_WAKES, "run", "ingress_run", TRACEPOINT(sched_switch, 3), ALWAYS },

	/* before this function, a program at the egress cannot ask for the current task */
	{ ON(held), "wait_end", "held_sent", EGRESS, NEEDS(bpf_rdonly_cast), SINCE("6.2") },
	{ ON(held), "wait_segment", "held_segment", TRACEPOINT(tcp_probe, 2), ALWAYS, WITH("held_sent") },
	{ ON(held), "wait_sendmsg", "held_sendmsg", TRACEPOINT(sock_send_length, 3), SINCE("6.3"), WITH("held_sent") },
	{ ON(held), "wait_entry", "held_entry", TRACEPOINT(tcp_sendmsg_locked, 2), SINCE("6.16"), WITH("held_sent") },
	{ ON(held), "wait_dropped", "held_dropped", TRACEPOINT(kfree_skb, 3), SINCE("5.17"), WITH("held_sent") },

	{ ON(icmp_echo), "request", "echo_request", TRACEPOINT(net_dev_queue, 1), ALWAYS },
	{ ON(icmp_echo), "reply", "echo_reply", TRACEPOINT(netif_receive_skb, 1), ALWAYS, WITH("echo_request") },

	{ ON(ecn_ce), "sent", "mark_sent", TRACEPOINT(net_dev_queue, 1), ALWAYS },
	{ ON(ecn_ce), "received", "mark_received", TRACEPOINT(netif_receive_skb, 1), ALWAYS },

	{ ON(tcp_reset), "sent", "reset_sent", TRACEPOINT(tcp_send_reset, 3), SINCE("6.10") },
	{ ON(tcp_reset), "sent", "reset_sent_before", TRACEPOINT(tcp_send_reset, 2), ALWAYS },
	{ ON(tcp_reset), "received", "reset_received", TRACEPOINT(tcp_receive_reset, 1), ALWAYS },

	{ ON(drop), "dropped", "drop_of_socket", TRACEPOINT(kfree_skb, 4), SINCE("6.11") },
	{ ON(drop), "dropped", "drop_with_reason", TRACEPOINT(kfree_skb, 3), SINCE("5.17") },
	{ ON(drop), "dropped", "drop_at", TRACEPOINT(kfree_skb, 2), ALWAYS },
};

#define HOOKS (sizeof(hooks) / sizeof(hooks[0]))

static bool is_same_stage(const struct tw_socket_hook *a, const struct tw_socket_hook *b)
{
	return a->events == b->events && !strcmp(a->stage, b->stage);
}

/* The hook that another hook needs; NULL if it needs none */
static const struct tw_socket_hook *find_needed(const struct tw_socket_hook *hook)
{
	for (size_t i = 0; hook->with && i < HOOKS; i++)
		if (!strcmp(hooks[i].program, hook->with))
			return &hooks[i];
	return NULL;
}

static bool permits(const struct tw_bpf_kernel *kernel, const struct tw_socket_hook *hook);

/* The hook of a stage that is used; NULL if the kernel permits none */
static const struct tw_socket_hook *find_used(const struct tw_bpf_kernel *kernel, const struct tw_socket_hook *of)
{
	for (size_t i = 0; i < HOOKS; i++)
		if (is_same_stage(&hooks[i], of) && permits(kernel, &hooks[i]))
			return &hooks[i];
	return NULL;
}

/* Whether a hook belongs to one of several hooks of a stage, and is of no interest, because that one is not used. */
static bool is_replaced(const struct tw_bpf_kernel *kernel, const struct tw_socket_hook *hook)
{
	const struct tw_socket_hook *needed = find_needed(hook), *used = needed ? find_used(kernel, needed) : NULL;

	return needed && used != needed && (used || needed->kind == TW_SOCKET_HOOK_FUNCTION);
}

/* Without the hook that it needs */
static bool permits_alone(const struct tw_bpf_kernel *kernel, const struct tw_socket_hook *hook)
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
	case TW_SOCKET_HOOK_CREATE:
	case TW_SOCKET_HOOK_SOCKOPS:
		return kernel->cgroup >= 0;
	case TW_SOCKET_HOOK_EACH_TCP:
		return true;
	}
	return false;
}

static bool permits(const struct tw_bpf_kernel *kernel, const struct tw_socket_hook *hook)
{
	const struct tw_socket_hook *needed = find_needed(hook);

	return (!needed || find_used(kernel, needed) == needed) && permits_alone(kernel, hook);
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

bool tw_socket_hook__has_no_socket(const struct tw_socket_hook *hook)
{
	static const char *const targets[] = { "netif_receive_skb", "ip_rcv_core", "ip6_rcv_core" };

	if (hook->events == ON(icmp_echo)) /* a reply is found by its request, whose socket is known */
		return false;
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		if (!strcmp(hook->target, targets[i]))
			return true;
	return hook->kind == TW_SOCKET_HOOK_NETFILTER;
}

/* Says why the kernel does not permit a hook, and what to do. */
static void set_lack(const struct tw_bpf_kernel *kernel, const struct tw_socket_hook *hook, struct tw_socket_stage *ret)
{
	const struct tw_socket_hook *needed = find_needed(hook);
	char what[sizeof(ret->hook)];

	if (needed && permits_alone(kernel, hook))
		hook = needed;
	snprintf(ret->fix, sizeof(ret->fix), "use Linux %s or later", hook->since);
	ret->lacks_mount = false;
	tw_socket_hook__describe(hook, what, sizeof(what));
	if (hook->needs && !tw_bpf_kernel__has_function(kernel, hook->needs)) {
		snprintf(ret->lack, sizeof(ret->lack), "this kernel has no function %s()", hook->needs);
	} else if (hook->kind == TW_SOCKET_HOOK_TRACEPOINT) {
		snprintf(ret->lack, sizeof(ret->lack), "this kernel has no %s", what);
	} else if (tw_socket_hook__is_of_cgroup(hook)) {
		snprintf(ret->lack, sizeof(ret->lack), "cgroup2 is not mounted");
		snprintf(ret->fix, sizeof(ret->fix), "mount it");
		ret->lacks_mount = true;
	} else {
		snprintf(ret->lack, sizeof(ret->lack), "this kernel permits no BPF programs at %s", what);
	}
	if (hook->kind == TW_SOCKET_HOOK_FUNCTION && !kernel->has_fentry)
		snprintf(ret->fix, sizeof(ret->fix), "use a kernel with CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS");
}

/* Whether a stage is none of this kernel: its hooks belong to hooks that are not used, or are those of functions that only older kernels have. */
static bool is_needless(const struct tw_bpf_kernel *kernel, const struct tw_socket_hook *of)
{
	for (size_t i = 0; i < HOOKS; i++)
		if (is_same_stage(&hooks[i], of) && !is_replaced(kernel, &hooks[i]) &&
		    (hooks[i].since || permits(kernel, &hooks[i])))
			return false;
	return true;
}

/* Functions are the last resort, so what they lack is of interest only if there is nothing else. */
static bool hangs_on_function(const struct tw_socket_hook *hook)
{
	const struct tw_socket_hook *needed = find_needed(hook);

	return (needed ? needed : hook)->kind == TW_SOCKET_HOOK_FUNCTION;
}

static bool is_one_of(const struct tw_socket_hook *hook, const struct tw_socket_hook *const *of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (of[i] == hook)
			return true;
	return false;
}

/* Finds the hook of the stage of the @i-th hook. Return: it; NULL if the kernel permits none */
static const struct tw_socket_hook *find_hook(const struct tw_bpf_kernel *kernel, size_t i, struct tw_socket_stage *ret)
{
	const struct tw_socket_hook *const of = &hooks[i];
	const bool wakes = of->events == TW_SOCKET_WAKES;

	*ret = (struct tw_socket_stage){ .events = wakes ? ON(ingress_ts) : of->events, .name = of->stage };
	for (; i < HOOKS; i++) {
		if (!is_same_stage(&hooks[i], of) || is_replaced(kernel, &hooks[i]))
			continue;
		if (permits(kernel, &hooks[i])) {
			tw_socket_hook__describe(&hooks[i], ret->hook, sizeof(ret->hook));
			ret->lack[0] = ret->fix[0] = '\0';
			ret->lacks_mount = false;
			return &hooks[i];
		}
		if (!ret->lack[0] || !hangs_on_function(&hooks[i]))
			set_lack(kernel, &hooks[i], ret);
	}
	return NULL;
}

void tw_socket_hooks__explain(const struct tw_bpf_kernel *kernel, uint32_t events, struct tw_socket_stage *ret)
{
	size_t i = 0;

	while (i < HOOKS - 1 && hooks[i].events != events)
		i++;
	find_hook(kernel, i, ret);
}

/* Finds the stages of some events. @used: NULL = nothing is attached */
static size_t find_stages(const struct tw_bpf_kernel *kernel, uint32_t events, const struct tw_socket_hook *const *used,
			  size_t n_used, bool needs_socket, struct tw_socket_stage *ret, size_t max)
{
	const struct tw_socket_hook *seen[HOOKS], *hook;
	size_t n = 0;

	for (size_t i = 0; i < HOOKS && n < max; i++) {
		if (!(hooks[i].events & events) || has_stage(seen, n, &hooks[i]) || is_needless(kernel, &hooks[i]))
			continue;
		hook = find_hook(kernel, i, &ret[n]);
		seen[n] = &hooks[i];
		if (hook && used && !is_one_of(hook, used, n_used)) {
			ret[n].hook[0] = '\0';
			snprintf(ret[n].lack, sizeof(ret[n].lack), "%s",
				 needs_socket && tw_socket_hook__has_no_socket(hook)
					 ? "the socket is not known there, and the run selects sockets or tasks"
					 : "the kernel refuses its BPF program");
		}
		n++;
	}
	return n;
}

size_t tw_socket_hooks__stages(const struct tw_bpf_kernel *kernel, uint32_t events,
			       const struct tw_socket_hook *const *used, size_t n_used, bool needs_socket,
			       struct tw_socket_stage *ret, size_t max)
{
	const size_t n = find_stages(kernel, events, used, n_used, needs_socket, ret, max);

	for (size_t i = 0; i < n; i++)
		ret[i].events &= events;
	return n;
}

int tw_socket_stages__find(struct tw_socket_stage *ret, size_t max, struct tw_error *error)
{
	struct tw_bpf_kernel kernel;
	int n = tw_bpf_kernel__init(&kernel, error);

	if (!n)
		n = (int)find_stages(&kernel, UINT32_MAX, NULL, 0, false, ret, max);
	tw_bpf_kernel__fini(&kernel);
	return n;
}

void tw_socket_stage__describe(const struct tw_socket_stage *stage, char *ret, size_t size)
{
	char events[64];

	snprintf(ret, size, "%s, stage %s: %s%s", tw_sockts__names(stage->events, events, sizeof(events)), stage->name,
		 stage->lack[0] ? "none: " : "", stage->lack[0] ? stage->lack : stage->hook);
}
