/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hand-written programs at the hooks of socket events, which write the same facts to a ring buffer of BPF; bench/sockets.c compares them with
 * those of producer/sockets/. They are written as programs of this kind usually are: members of the kernel's structures are read by
 * BPF_CORE_READ(), and one ring serves all CPUs.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#pragma clang diagnostic ignored "-Wunused-parameter" /* by BPF_PROG() */

#define OP_ACTIVE_ESTABLISHED  4
#define OP_PASSIVE_ESTABLISHED 5
#define OP_SCHED               16
#define OP_ACK                 19
#define OP_SENDMSG             20

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct net {
	uint64_t net_cookie;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct in6_addr {
	uint8_t bytes[16];
};

struct net_device {
	int ifindex;
	char name[16];
	possible_net_t nd_net;
};

struct sock_common {
	uint32_t skc_daddr, skc_rcv_saddr;
	uint16_t skc_dport, skc_num;
	unsigned short skc_family;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	uint16_t sk_protocol;
	uint32_t sk_tsflags;
};

struct tcp_sock {
	uint32_t rcv_nxt, copied_seq;
};

struct skb_shared_hwtstamps {
	int64_t hwtstamp;
};

struct skb_shared_info {
	uint32_t tskey;
	struct skb_shared_hwtstamps hwtstamps;
};

struct sk_buff {
	struct net_device *dev;
	struct sock *sk;
	unsigned int len, end;
	unsigned char *head, *data;
	uint16_t transport_header, network_header;
	int64_t tstamp;
};

struct bpf_sock_ops_kern {
	struct sock *sk;
	struct sk_buff *skb;
};

#pragma clang attribute pop

struct iphdr {
	uint8_t version_length, tos;
	uint16_t length, id, fragment;
	uint8_t ttl, protocol;
	uint16_t checksum;
	uint8_t saddr[4], daddr[4];
};

struct tcphdr {
	uint16_t source, dest;
	uint32_t seq, ack_seq;
	uint8_t offset, flags;
};

struct event {
	uint64_t time, skaddr, cookie, netns_cookie, software, hardware, cgroup;
	uint32_t type, key, seq, bytes, ifindex, pid, tsflags;
	uint16_t family, protocol, sport, dport;
	uint8_t saddr[16], daddr[16];
	char dev[16], comm[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 << 20);
} ring SEC(".maps");

#define SOL_SOCKET           1
#define SK_BPF_CB_FLAGS      1009
#define FLAG_TX_TIMESTAMPING 1

extern void *bpf_cast_to_kern_ctx(void *) __ksym;
extern int bpf_sock_ops_enable_tx_tstamp(struct bpf_sock_ops_kern *, uint64_t) __ksym;

/* Requests callbacks for the data that a new connection sends. */
static __always_inline void request_callbacks(struct bpf_sock_ops *context)
{
	int flags = FLAG_TX_TIMESTAMPING;

	if (context->op == OP_ACTIVE_ESTABLISHED || context->op == OP_PASSIVE_ESTABLISHED)
		bpf_setsockopt(context, SOL_SOCKET, SK_BPF_CB_FLAGS, &flags, sizeof(flags));
}

static __always_inline struct event *reserve(uint32_t type)
{
	struct event *event = bpf_ringbuf_reserve(&ring, sizeof(*event), 0);

	if (!event)
		return NULL;
	__builtin_memset(event, 0, sizeof(*event));
	event->type = type;
	event->time = event->software = bpf_ktime_get_ns();
	event->pid = (uint32_t)bpf_get_current_pid_tgid();
	return event;
}

static __always_inline void set_socket(struct event *event, struct sock *sk, uint64_t cookie)
{
	event->skaddr = (uint64_t)sk;
	event->cookie = cookie;
	event->netns_cookie = BPF_CORE_READ(sk, __sk_common.skc_net.net, net_cookie);
	event->family = BPF_CORE_READ(sk, __sk_common.skc_family);
	event->protocol = BPF_CORE_READ(sk, sk_protocol);
	event->sport = BPF_CORE_READ(sk, __sk_common.skc_num);
	event->dport = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
	if (event->family == 2) {
		BPF_CORE_READ_INTO(event->saddr + 12, sk, __sk_common.skc_rcv_saddr);
		BPF_CORE_READ_INTO(event->daddr + 12, sk, __sk_common.skc_daddr);
	} else {
		BPF_CORE_READ_INTO(event->saddr, sk, __sk_common.skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO(event->daddr, sk, __sk_common.skc_v6_daddr);
	}
}

static __always_inline void set_task(struct event *event)
{
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	event->cgroup = bpf_get_current_cgroup_id();
}

SEC("sockops")
int hand_tx(struct bpf_sock_ops *context)
{
	const uint32_t op = context->op;
	struct bpf_sock_ops_kern *kern;
	struct skb_shared_info *shared;
	struct event *event;
	struct sk_buff *skb;

	request_callbacks(context);
	if (op < OP_SCHED || op > OP_SENDMSG)
		return 1;
	kern = bpf_cast_to_kern_ctx(context);
	if (op == OP_SENDMSG)
		bpf_sock_ops_enable_tx_tstamp(kern, 0);
	skb = kern->skb;
	event = reserve(op);
	if (!event)
		return 1;
	set_socket(event, kern->sk, bpf_get_socket_cookie(context));
	shared = (void *)(BPF_CORE_READ(skb, head) + BPF_CORE_READ(skb, end));
	event->tsflags = BPF_CORE_READ(kern, sk, sk_tsflags);
	event->key = event->seq = BPF_CORE_READ(shared, tskey);
	event->bytes = BPF_CORE_READ(skb, len);
	if (op != OP_SENDMSG && op != OP_ACK) {
		event->ifindex = (uint32_t)BPF_CORE_READ(skb, dev, ifindex);
		event->hardware = (uint64_t)BPF_CORE_READ(shared, hwtstamps.hwtstamp);
	}
	set_task(event);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 1;
}

/* Reads the headers of IPv4 and TCP. */
static __always_inline void rx_event(uint32_t type, struct sk_buff *skb, const uint8_t *at)
{
	struct event *event;
	struct tcphdr tcp;
	struct iphdr ip;

	if (bpf_probe_read_kernel(&ip, sizeof(ip), at) || ip.version_length >> 4 != 4 || ip.protocol != 6 ||
	    bpf_probe_read_kernel(&tcp, sizeof(tcp), at + (ip.version_length & 15) * 4))
		return;
	if (bpf_ntohs(ip.length) == (ip.version_length & 15) * 4 + (tcp.offset >> 4) * 4)
		return;
	event = reserve(type);
	if (!event)
		return;
	event->family = 2;
	event->protocol = ip.protocol;
	event->sport = bpf_ntohs(tcp.dest);
	event->dport = bpf_ntohs(tcp.source);
	__builtin_memcpy(event->saddr + 12, ip.daddr, 4);
	__builtin_memcpy(event->daddr + 12, ip.saddr, 4);
	event->bytes = bpf_ntohs(ip.length) - (ip.version_length & 15) * 4u - (tcp.offset >> 4) * 4u;
	event->key = event->seq = bpf_ntohl(tcp.seq) + event->bytes - 1;
	event->netns_cookie = BPF_CORE_READ(skb, dev, nd_net.net, net_cookie);
	event->ifindex = (uint32_t)BPF_CORE_READ(skb, dev, ifindex);
	BPF_CORE_READ_STR_INTO(&event->dev, skb, dev, name);
	event->software = (uint64_t)BPF_CORE_READ(skb, tstamp);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(hand_rx, struct sk_buff *skb)
{
	rx_event(1, skb, BPF_CORE_READ(skb, data));
	return 0;
}

SEC("cgroup_skb/ingress")
int hand_l4(struct __sk_buff *context)
{
	struct sk_buff *skb = bpf_cast_to_kern_ctx(context);

	rx_event(3, skb, BPF_CORE_READ(skb, head) + BPF_CORE_READ(skb, network_header));
	return 1;
}

SEC("tp_btf/sk_data_ready")
int BPF_PROG(hand_socket, struct sock *sk)
{
	struct event *event;

	if (BPF_CORE_READ(sk, sk_protocol) != 6)
		return 0;
	event = reserve(4);
	if (!event)
		return 0;
	set_socket(event, sk, bpf_get_socket_cookie(sk));
	event->key = event->seq = BPF_CORE_READ((struct tcp_sock *)sk, rcv_nxt);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/tcp_rcv_space_adjust")
int BPF_PROG(hand_read, struct sock *sk)
{
	struct event *event = reserve(7);

	if (!event)
		return 0;
	set_socket(event, sk, bpf_get_socket_cookie(sk));
	event->key = event->seq = BPF_CORE_READ((struct tcp_sock *)sk, copied_seq);
	set_task(event);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Programs that return at once: what the kernel's call of a program and its statistics cost. */

SEC("sockops")
int empty_tx(struct bpf_sock_ops *context)
{
	request_callbacks(context);
	return 1;
}

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(empty_rx, struct sk_buff *skb)
{
	return 0;
}

SEC("cgroup_skb/ingress")
int empty_l4(struct __sk_buff *context)
{
	return 1;
}

SEC("tp_btf/sk_data_ready")
int BPF_PROG(empty_socket, struct sock *sk)
{
	return 0;
}

SEC("tp_btf/tcp_rcv_space_adjust")
int BPF_PROG(empty_read, struct sock *sk)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
