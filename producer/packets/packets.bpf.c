/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures packets: ICMP echoes, ECN bits, and the time from the receive time stamp of a packet to the stages of the receive path. Each
 * program is attached only if its event is measured. For some events, there are several programs: hooks.c chooses among them.
 */
#include "producer/packets/packets.bpf.h"

#include "producer/packet_headers.bpf.h"
#include "producer/receive.bpf.h"

#define ECHO_REQUEST    8
#define ECHO_REPLY      0
#define ECHO_REQUEST_V6 128
#define ECHO_REPLY_V6   129
#define NO_ICMP         255 /* instead of a type: there is no ICMP header */

/* The parts of the kernel's structures that are read; libbpf adapts the offsets to the running kernel. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sk_buff_head {
	uint32_t qlen;
};

struct sock_common {
	possible_net_t skc_net;
};

struct sock {
	struct sock_common __sk_common;
	struct sk_buff_head sk_receive_queue;
	uint16_t sk_protocol;
};

struct rb_root {
	void *rb_node;
};

struct udp_sock {
	struct sk_buff_head reader_queue;
};

struct tcp_sock {
	uint32_t rcv_nxt, rcv_ooopack;
	struct rb_root out_of_order_queue;
};

struct tcp_skb_cb {
	uint32_t seq, end_seq;
};

struct skb_shared_info {
	unsigned short gso_segs;
};

#pragma clang attribute pop

struct figures_map figures SEC(".maps");
struct groups_map groups SEC(".maps");

/* A sent ICMP echo request. */
struct request {
	uint64_t time;
	uint64_t packet;  /* address of the skb */
	uint32_t ifindex; /* of the first device that sent it */
	uint32_t is_answered;
};

/* If the map is full, old requests make room for new ones. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct tw_packet_echo);
	__type(value, struct request);
} echoes SEC(".maps");

/* The key is the address of the socket. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, uint64_t);
	__type(value, struct tw_packet_hole);
} holes SEC(".maps");

const volatile struct tw_packet_setting settings[TW_PACKET_EVENTS];
const volatile struct tw_packet_selection selection;
uint32_t epoch = TW_KERNEL_CLOSED;
int64_t tai_offset; /* CLOCK_TAI minus CLOCK_REALTIME, ns */

/* What is read from the headers of a packet. */
struct packet {
	struct tw_packet_fields fields;
	uint8_t type; /* of the ICMP header */
};

/* Reads the IP header at @at, and the ports or the ICMP header after it. Return: false if there is no IP header */
static __always_inline bool read_ip(const unsigned char *at, uint16_t ethertype, struct packet *ret)
{
	struct tw_packet_fields *fields = &ret->fields;
	union {
		struct ipv4 v4;
		struct ipv6 v6;
	} ip;
	union {
		uint16_t ports[2];
		struct icmp icmp;
	} next = { { 0 } };
	uint32_t len = sizeof(ip.v6);
	bool has_next = true;

	if (ethertype == bpf_htons(ETHERTYPE_IPV4)) {
		if (bpf_probe_read_kernel(&ip.v4, sizeof(ip.v4), at) || ip.v4.version_length >> 4 != 4)
			return false;
		fields->family = TW_PACKET_IPV4;
		fields->protocol = ip.v4.protocol;
		fields->codepoint = ip.v4.tos & 3;
		__builtin_memcpy(fields->saddr, ip.v4.saddr, sizeof(ip.v4.saddr));
		__builtin_memcpy(fields->daddr, ip.v4.daddr, sizeof(ip.v4.daddr));
		has_next = !(ip.v4.fragment & bpf_htons(FRAGMENT_OFFSET));
		len = (ip.v4.version_length & 15) * 4u;
	} else if (ethertype == bpf_htons(ETHERTYPE_IPV6)) {
		if (bpf_probe_read_kernel(&ip.v6, sizeof(ip.v6), at) || ip.v6.version_class >> 4 != 6)
			return false;
		fields->family = TW_PACKET_IPV6;
		fields->protocol = ip.v6.next_header;
		fields->codepoint = ip.v6.class_flow >> 4 & 3;
		__builtin_memcpy(fields->saddr, ip.v6.saddr, sizeof(ip.v6.saddr));
		__builtin_memcpy(fields->daddr, ip.v6.daddr, sizeof(ip.v6.daddr));
	} else {
		return false;
	}
	if (!has_next || bpf_probe_read_kernel(&next, sizeof(next), at + len))
		return true;
	if (fields->protocol == PROTOCOL_TCP || fields->protocol == PROTOCOL_UDP || fields->protocol == PROTOCOL_SCTP) {
		fields->sport = bpf_ntohs(next.ports[0]);
		fields->dport = bpf_ntohs(next.ports[1]);
	} else if (fields->protocol == PROTOCOL_ICMP || fields->protocol == PROTOCOL_ICMPV6) {
		ret->type = next.icmp.type;
		fields->id = bpf_ntohs(next.icmp.id);
		fields->seq = bpf_ntohs(next.icmp.seq);
	}
	return true;
}

/*
 * Reads the headers of a packet at a device. @sent: whether the packet is at the queue of the device; otherwise, the device received it.
 * Return: whether it is an IP packet that is selected.
 */
static __always_inline bool read_packet(struct sk_buff *skb, bool sent, struct packet *ret)
{
	const struct net_device *dev = skb->dev;

	if (!dev || !read_ip(sent ? skb->head + skb->network_header : skb->data, skb->protocol, ret))
		return false;
	ret->fields.is_sent = sent;
	ret->fields.ifindex = (uint32_t)dev->ifindex;
	ret->fields.netns = dev->nd_net.net->ns.inum;
	return is_selected(ret->fields.ifindex, ret->fields.netns);
}

/* Clears the fields that do not divide the samples of the event. */
static __always_inline void clear_others(uint32_t event, struct tw_packet_fields *fields)
{
	const uint32_t by = settings[event].by;

	if (!(by & TW_PACKET_SADDR))
		__builtin_memset(fields->saddr, 0, sizeof(fields->saddr));
	if (!(by & TW_PACKET_DADDR))
		__builtin_memset(fields->daddr, 0, sizeof(fields->daddr));
	if (!(by & TW_PACKET_SPORT))
		fields->sport = 0;
	if (!(by & TW_PACKET_DPORT))
		fields->dport = 0;
	if (!(by & TW_PACKET_ID))
		fields->id = 0;
	if (!(by & TW_PACKET_SEQ))
		fields->seq = 0;
	if (!(by & TW_PACKET_DEV))
		fields->ifindex = 0;
	if (!(by & TW_PACKET_NETNS))
		fields->netns = 0;
	if (!(by & TW_PACKET_PROTOCOL))
		fields->protocol = 0;
	if (!(by & TW_PACKET_DIRECTION))
		fields->is_sent = 0;
	/* Addresses are shown according to their family. */
	if (!(by & (TW_PACKET_FAMILY | TW_PACKET_SADDR | TW_PACKET_DADDR)))
		fields->family = 0;
}

static __always_inline void count_codepoint(struct sk_buff *skb, bool sent)
{
	const struct skb_shared_info *shared = (const void *)(skb->head + skb->end);
	struct packet packet = { .type = NO_ICMP };
	uint16_t segments;

	if (!read_packet(skb, sent, &packet))
		return;
	segments = BPF_CORE_READ(shared, gso_segs);
	clear_others(TW_PACKET_ECN, &packet.fields);
	COUNT(TW_PACKET_ECN, begun, segments ? segments : 1);
	record(TW_PACKET_ECN, &packet.fields, packet.fields.codepoint, segments ? segments : 1);
}

SEC("tp_btf/net_dev_queue")
int BPF_PROG(ecn_sent, struct sk_buff *skb)
{
	count_codepoint(skb, true);
	return 0;
}

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(ecn_received, struct sk_buff *skb)
{
	count_codepoint(skb, false);
	return 0;
}

static __always_inline bool is_icmp(const struct packet *packet, uint8_t type, uint8_t type_v6)
{
	const bool is_v4 = packet->fields.family == TW_PACKET_IPV4;

	return packet->fields.protocol == (is_v4 ? PROTOCOL_ICMP : PROTOCOL_ICMPV6) &&
	       packet->type == (is_v4 ? type : type_v6);
}

static __always_inline void identify(const struct tw_packet_fields *fields, const uint8_t *address,
				     struct tw_packet_echo *ret)
{
	__builtin_memcpy(ret->address, address, sizeof(ret->address));
	ret->netns = fields->netns;
	ret->id = fields->id;
	ret->seq = fields->seq;
	ret->family = fields->family;
}

SEC("tp_btf/net_dev_queue")
int BPF_PROG(echo_sent, struct sk_buff *skb)
{
	struct request request = { .time = bpf_ktime_get_ns(), .packet = (uint64_t)skb };
	struct packet packet = { .type = NO_ICMP };
	struct tw_packet_echo echo = { 0 };
	const struct request *known;

	if (!read_packet(skb, true, &packet) || !is_icmp(&packet, ECHO_REQUEST, ECHO_REQUEST_V6) ||
	    current_epoch() >= TW_KERNEL_EPOCHS)
		return 0;
	identify(&packet.fields, packet.fields.daddr, &echo);
	request.ifindex = packet.fields.ifindex;
	known = bpf_map_lookup_elem(&echoes, &echo);
	/* If several stacked devices send the same packet, the time begins at the first one. */
	if (known && known->packet == request.packet && known->ifindex != request.ifindex && !known->is_answered)
		return 0;
	if (known && !known->is_answered)
		COUNT(TW_PACKET_ICMP_ECHO, again, 1);
	COUNT(TW_PACKET_ICMP_ECHO, begun, 1);
	bpf_map_update_elem(&echoes, &echo, &request, BPF_ANY);
	return 0;
}

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(echo_received, struct sk_buff *skb)
{
	const uint64_t now = bpf_ktime_get_ns();
	struct packet packet = { .type = NO_ICMP };
	struct tw_packet_echo echo = { 0 };
	struct request *request;

	if (!read_packet(skb, false, &packet) || !is_icmp(&packet, ECHO_REPLY, ECHO_REPLY_V6))
		return 0;
	identify(&packet.fields, packet.fields.saddr, &echo);
	request = bpf_map_lookup_elem(&echoes, &echo);
	if (!request) {
		COUNT(TW_PACKET_ICMP_ECHO, no_begin, 1);
		return 0;
	}
	/* If a port of a bridge has received the reply, the bridge receives it again. */
	if (request->is_answered)
		return 0;
	request->is_answered = true;
	/* The group has the addresses of the request. */
	__builtin_memcpy(packet.fields.saddr, packet.fields.daddr, sizeof(packet.fields.saddr));
	__builtin_memcpy(packet.fields.daddr, echo.address, sizeof(packet.fields.daddr));
	clear_others(TW_PACKET_ICMP_ECHO, &packet.fields);
	packet.fields.codepoint = 0;
	record(TW_PACKET_ICMP_ECHO, &packet.fields, now - request->time, 1);
	return 0;
}

/* Measures a packet at a stage of the receive path. @fields: has the network namespace and the task; the other fields are set here */
static __always_inline void measure(uint32_t event, struct sk_buff *skb, struct tw_packet_fields *fields)
{
	const uint32_t by = settings[event].by;
	const int64_t stamp = receive_stamp(skb);
	int64_t since;

	COUNT(event, begun, 1);
	if (!stamp) {
		COUNT(event, unstamped, 1);
		return;
	}
	since = (int64_t)bpf_ktime_get_tai_ns() - tai_offset - stamp;
	if (since < 0) {
		COUNT(event, backwards, 1);
		return;
	}
	if (by & TW_PACKET_FAMILY)
		fields->family = skb->protocol == bpf_htons(ETHERTYPE_IPV4) ? TW_PACKET_IPV4 : TW_PACKET_IPV6;
	if (!(by & TW_PACKET_NETNS))
		fields->netns = 0;
	if (by & TW_PACKET_DEV)
		fields->ifindex = (uint32_t)skb->skb_iif;
	record(event, fields, (uint64_t)since, 1);
}

/* Measures a packet before it is in the queue of a socket. */
static __always_inline void measure_packet(uint32_t event, struct sk_buff *skb)
{
	const struct net_device *dev = skb->dev;
	struct tw_packet_fields fields = { 0 };

	if (!dev)
		return;
	fields.netns = dev->nd_net.net->ns.inum;
	if (is_selected((uint32_t)skb->skb_iif, fields.netns))
		measure(event, skb, &fields);
}

/* Measures a packet in the queue of a socket. The namespace is that of the socket, because the memory of skb->dev may be used otherwise. */
static __always_inline void measure_of_socket(uint32_t event, struct sk_buff *skb, struct sock *sk)
{
	struct tw_packet_fields fields = { .netns = sk->__sk_common.skc_net.net->ns.inum };

	if (is_selected((uint32_t)skb->skb_iif, fields.netns))
		measure(event, skb, &fields);
}

SEC("fentry/ip_rcv_core")
int BPF_PROG(ip_start_fentry, struct sk_buff *skb)
{
	measure_packet(TW_PACKET_IP_START, skb);
	return 0;
}

SEC("fentry/ip6_rcv_core")
int BPF_PROG(ip6_start_fentry, struct sk_buff *skb)
{
	measure_packet(TW_PACKET_IP_START, skb);
	return 0;
}

SEC("netfilter")
int ip_start_netfilter(struct bpf_nf_ctx *context)
{
	measure_packet(TW_PACKET_IP_START, context->skb);
	return NETFILTER_ACCEPT;
}

SEC("fentry/tcp_v4_rcv")
int BPF_PROG(tcp_start_fentry, struct sk_buff *skb)
{
	measure_packet(TW_PACKET_TCP_START, skb);
	return 0;
}

SEC("fentry/tcp_v6_rcv")
int BPF_PROG(tcp6_start_fentry, struct sk_buff *skb)
{
	measure_packet(TW_PACKET_TCP_START, skb);
	return 0;
}

SEC("fentry/udp_rcv")
int BPF_PROG(udp_start_fentry, struct sk_buff *skb)
{
	measure_packet(TW_PACKET_UDP_START, skb);
	return 0;
}

SEC("fentry/udpv6_rcv")
int BPF_PROG(udp6_start_fentry, struct sk_buff *skb)
{
	measure_packet(TW_PACKET_UDP_START, skb);
	return 0;
}

static __always_inline int start_cgroup(uint32_t event, uint16_t protocol, struct __sk_buff *context)
{
	struct sk_buff *skb;
	const struct sock *sk;

	if (!bpf_cast_to_kern_ctx)
		return 1;
	skb = bpf_cast_to_kern_ctx(context);
	sk = skb->sk;
	if (sk && sk->sk_protocol == protocol)
		measure_packet(event, skb);
	return 1;
}

SEC("cgroup_skb/ingress")
int tcp_start_cgroup(struct __sk_buff *context)
{
	return start_cgroup(TW_PACKET_TCP_START, PROTOCOL_TCP, context);
}

SEC("cgroup_skb/ingress")
int udp_start_cgroup(struct __sk_buff *context)
{
	return start_cgroup(TW_PACKET_UDP_START, PROTOCOL_UDP, context);
}

SEC("fexit/tcp_queue_rcv")
int BPF_PROG(tcp_enqueued_fexit, struct sock *sk, struct sk_buff *skb)
{
	measure_of_socket(TW_PACKET_TCP_SOCKET_ENQUEUED, skb, sk);
	return 0;
}

SEC("fexit/__udp_enqueue_schedule_skb")
int BPF_PROG(udp_enqueued_fexit, struct sock *sk, struct sk_buff *skb, int err)
{
	if (!err)
		measure_of_socket(TW_PACKET_UDP_SOCKET_ENQUEUED, skb, sk);
	return 0;
}

static __always_inline void measure_ready(uint32_t event, uint16_t protocol, struct sock *sk)
{
	struct sk_buff *skb = is_internet(sk) && sk->sk_protocol == protocol ? last_queued(sk) : NULL;

	if (skb)
		measure_of_socket(event, skb, sk);
}

SEC("tp_btf/sk_data_ready")
int BPF_PROG(tcp_enqueued_ready, struct sock *sk)
{
	measure_ready(TW_PACKET_TCP_SOCKET_ENQUEUED, PROTOCOL_TCP, sk);
	return 0;
}

SEC("tp_btf/sk_data_ready")
int BPF_PROG(udp_enqueued_ready, struct sock *sk)
{
	measure_ready(TW_PACKET_UDP_SOCKET_ENQUEUED, PROTOCOL_UDP, sk);
	return 0;
}

/* Whether the current task is selected. */
static __always_inline bool is_selected_task(void)
{
	const uint64_t both = bpf_get_current_pid_tgid();

	if (selection.cgroup && selection.cgroup != bpf_get_current_cgroup_id())
		return false;
	for (uint32_t i = 0; i < TW_PACKET_PIDS_MAX && i < selection.n_pids; i++) {
		if (selection.pids[i] == (uint32_t)both || selection.pids[i] == both >> 32)
			return true;
	}
	return !selection.n_pids;
}

/* Measures a packet whose data were copied to the current task. */
static __always_inline void measure_read(uint32_t event, struct sk_buff *skb, uint32_t netns)
{
	const uint32_t by = settings[event].by;
	struct tw_packet_fields fields = { .netns = netns };

	if (by & TW_PACKET_PID)
		fields.pid = (uint32_t)bpf_get_current_pid_tgid();
	if (by & TW_PACKET_COMM)
		bpf_get_current_comm(fields.comm, sizeof(fields.comm));
	if (by & TW_PACKET_CGROUP)
		fields.cgroup = bpf_get_current_cgroup_id();
	measure(event, skb, &fields);
}

/*
 * Whether the data up to @end waited for an earlier segment. While the out-of-order queue of the socket is not empty, all data count as
 * waiting. Once it is empty, the data that the socket has received before the next read also count.
 */
static __always_inline bool has_waited(const struct tcp_sock *tcp, uint64_t socket, uint32_t end)
{
	const uint32_t out_of_order = BPF_CORE_READ(tcp, rcv_ooopack);
	struct tw_packet_hole hole = { .out_of_order = out_of_order, .until = BPF_CORE_READ(tcp, rcv_nxt) };
	struct tw_packet_hole *known;

	if (!out_of_order)
		return false;
	if (BPF_CORE_READ(tcp, out_of_order_queue.rb_node))
		return true;
	known = bpf_map_lookup_elem(&holes, &socket);
	if (!known || known->out_of_order != out_of_order) {
		bpf_map_update_elem(&holes, &socket, &hole, BPF_ANY);
		return (int32_t)(end - hole.until) <= 0;
	}
	/* Sequence numbers wrap, so @until is compared only until later data are read. */
	if (!known->is_passed && (int32_t)(end - known->until) > 0)
		known->is_passed = true;
	return !known->is_passed;
}

SEC("tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(tcp_read, struct sk_buff *skb)
{
	const struct tcp_skb_cb *cb = (const void *)&skb->cb;
	struct sock *sk = skb->sk;
	const struct tcp_sock *tcp = (const void *)sk;
	uint32_t netns, end;

	if (!sk || sk->sk_protocol != PROTOCOL_TCP || !is_internet(sk))
		return 0;
	netns = sk->__sk_common.skc_net.net->ns.inum;
	if (!is_selected((uint32_t)skb->skb_iif, netns) || !is_selected_task())
		return 0;
	end = BPF_CORE_READ(cb, end_seq);
	if (selection.nonempty_queue && BPF_CORE_READ(tcp, rcv_nxt) == end)
		return 0;
	if (!selection.blocked_reads && has_waited(tcp, (uint64_t)sk, end)) {
		COUNT(TW_PACKET_TCP_SOCKET_READ, begun, 1);
		COUNT(TW_PACKET_TCP_SOCKET_READ, blocked, 1);
		return 0;
	}
	measure_read(TW_PACKET_TCP_SOCKET_READ, skb, netns);
	return 0;
}

/* @len is negative after MSG_PEEK. */
SEC("fentry/skb_consume_udp")
int BPF_PROG(udp_read_fentry, struct sock *sk, struct sk_buff *skb, int len)
{
	const uint32_t netns = sk->__sk_common.skc_net.net->ns.inum;
	const struct udp_sock *udp = (const void *)sk;

	if (len >= 0 && is_selected((uint32_t)skb->skb_iif, netns) && is_selected_task() &&
	    (!selection.nonempty_queue || sk->sk_receive_queue.qlen || BPF_CORE_READ(udp, reader_queue.qlen)))
		measure_read(TW_PACKET_UDP_SOCKET_READ, skb, netns);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
