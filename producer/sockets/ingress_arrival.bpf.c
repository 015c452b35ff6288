/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps RX, IP and L4 of received bytes, from the device to the socket. */
#include "producer/sockets/ingress_sampled.bpf.h"

#define TX_HW_TSTAMP_NETDEV 0x20 /* instead of a hardware stamp, there is an address */
#define STATE_LISTEN        10
#define BASE_REALTIME       1 /* enum hrtimer_base_type */
#define BASE_BOOTTIME       2
#define BASE_TAI            3
#define STAMP_AGE_MAX       1000000000 /* a stamp that is older is by an earlier setting of CLOCK_REALTIME, ns */
#define EARLY_AGE_MAX       1000000    /* between the reading of a datagram and its report, ns */
#define FLOWS               16384

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct skb_shared_hwtstamps {
	int64_t hwtstamp;
};

struct skb_shared_info {
	uint8_t tx_flags;
	unsigned short gso_segs;
	struct skb_shared_hwtstamps hwtstamps;
};

#pragma clang attribute pop

struct flow {
	uint8_t saddrv6[16], daddrv6[16];
	uint64_t netns_cookie;
	uint16_t sport, dport;
	uint32_t unused;
};

/* Number of datagrams of each flow. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, FLOWS);
	__type(key, struct flow);
	__type(value, uint32_t);
} in_flows SEC(".maps");

/* What is read of the shared data of a packet. */
struct shared {
	uint64_t hardware; /* time stamp; 0 = none */
	uint16_t segments;
};

static __always_inline void read_shared(struct sk_buff *skb, enum sockets_access access, struct shared *ret)
{
	const struct skb_shared_info *shared = (const void *)(skb->head + ((struct sk_buff___data *)skb)->end);
	uint8_t flags;

	if (access == SOCKETS_DIRECTLY) {
		shared = READABLE(shared, struct skb_shared_info);
		ret->segments = shared->gso_segs;
		ret->hardware = (uint64_t)shared->hwtstamps.hwtstamp;
		flags = shared->tx_flags;
	} else {
		ret->segments = BPF_CORE_READ(shared, gso_segs);
		ret->hardware = (uint64_t)BPF_CORE_READ(shared, hwtstamps.hwtstamp);
		flags = BPF_CORE_READ(shared, tx_flags);
	}
	if (flags & TX_HW_TSTAMP_NETDEV)
		ret->hardware = 0;
}

/*
 * Converts a time by CLOCK_REALTIME to the stream's clock, without error. The kernel keeps the differences of the clocks in the data of
 * each CPU's timers, to which a timer of any task leads. Return: 0 if they cannot be read
 */
static __always_inline uint64_t from_realtime(int64_t time)
{
	const struct task_struct *task = (const void *)bpf_get_current_task_btf();
	const struct hrtimer_clock_base *base = task->dl.dl_timer.base;
	const struct hrtimer_cpu_base *of_cpu;

	if (!base)
		return 0;
	of_cpu = base->cpu_base;
	time -= of_cpu->clock_base[BASE_REALTIME].offset;
	if (settings.clock == TW_SOCKTS_CLOCK_BOOT)
		time += of_cpu->clock_base[BASE_BOOTTIME].offset;
	if (settings.clock == TW_SOCKTS_CLOCK_TAI)
		time += of_cpu->clock_base[BASE_TAI].offset;
	return (uint64_t)time;
}

static __always_inline void set_device(struct tw_sockts_ingress_ts *event, struct net_device *dev)
{
	event->ifindex = (uint32_t)dev->ifindex;
	__builtin_memcpy(event->dev, &((struct net_device___named *)dev)->name, sizeof(event->dev));
}

/* Counts a new datagram, or the @n datagrams of a packet, in the flow. Return: number of the last of them; the first in a flow is 0 */
static __always_inline uint32_t count_in_flow(const struct tw_sockts_socket *of, uint32_t n)
{
	struct flow flow = { .netns_cookie = of->netns_cookie, .sport = of->sport, .dport = of->dport };
	uint32_t *count;

	__builtin_memcpy(flow.saddrv6, of->saddrv6, sizeof(flow.saddrv6));
	__builtin_memcpy(flow.daddrv6, of->daddrv6, sizeof(flow.daddrv6));
	count = bpf_map_lookup_elem(&in_flows, &flow);
	if (count)
		return __sync_fetch_and_add(count, n) + n - 1;
	bpf_map_update_elem(&in_flows, &flow, &n, BPF_NOEXIST);
	return n - 1;
}

/* If the kernel has divided a packet into datagrams, the number of the next of them. Return: false if it has not */
static __always_inline bool take_number(int64_t stamp, uint32_t *ret)
{
	struct datagram *divided = stamp ? bpf_map_lookup_elem(&in_datagrams, &stamp) : NULL;

	if (!divided)
		return false;
	*ret = __sync_fetch_and_add(&divided->number, 1);
	return true;
}

/*
 * The number of a datagram in its flow. @arrives: it may be a new packet at the address of an earlier one. The kernel gives a datagram
 * that it has put together the stamp of the last fragment, and the data of the first.
 */
static __always_inline uint32_t number_datagram(struct sk_buff *skb, const struct bytes *bytes, uint16_t segments,
						bool arrives)
{
	struct datagram datagram = { .stamp = bytes->is_fragment ? 0 : receive_stamp(skb) }, divided = { 0 };
	const uint64_t data = (uint64_t)skb->head;
	const struct datagram *known = bpf_map_lookup_elem(&in_datagrams, &data);

	/* Several devices, one above the other, may receive the same packet. */
	if (known && (known->stamp ? known->stamp == datagram.stamp : !arrives))
		return known->number;
	if (arrives || !take_number(datagram.stamp, &datagram.number)) {
		segments = segments ? segments : 1;
		datagram.number = count_in_flow(&bytes->flow, segments);
		divided.number = datagram.number - segments + 1;
	}
	bpf_map_update_elem(&in_datagrams, &data, &datagram, BPF_ANY);
	if (arrives && segments > 1 && datagram.stamp)
		bpf_map_update_elem(&in_datagrams, &datagram.stamp, &divided, BPF_ANY);
	return datagram.number;
}

/* Whether the bytes of a packet have events. @segments: number of datagrams in it, 0 = one */
static __always_inline bool is_chosen(const struct bytes *bytes, uint32_t segments)
{
	if (!settings.has_samples)
		return true;
	if (bytes->flow.protocol == PROTOCOL_TCP)
		return sockets__samples_key(bytes->key);
	return sockets__samples_number(bytes->key, segments ? segments : 1);
}

/* Whether a condition compares only facts of a socket that a packet has. */
static __always_inline bool compares_only_headers(const volatile struct tw_sockts_condition *condition)
{
	return condition->n && !SOCKETS_COMPARES(condition, cookie) && !SOCKETS_COMPARES(condition, netns_cookie);
}

static __always_inline bool compares_addresses(const volatile struct tw_sockts_condition *condition)
{
	return SOCKETS_COMPARES(condition, saddr) || SOCKETS_COMPARES(condition, daddr) ||
	       SOCKETS_COMPARES(condition, saddrv6) || SOCKETS_COMPARES(condition, daddrv6);
}

/* Sets the protocol, the family and the ports of a packet, and nothing else. Return: false if it has no ports */
static __always_inline bool read_ports(struct sk_buff *skb, const unsigned char *ip, struct tw_sockts_socket *ret)
{
	const uint16_t network = skb->network_header, transport = skb->transport_header;
	const unsigned char *next = ip + sizeof(struct ipv6);
	union sockets_ip header;
	uint64_t word;

	copy_readable(&header, ip, 16);
	if (skb->protocol == bpf_htons(ETHERTYPE_IPV4)) {
		ret->family = FAMILY_INET;
		ret->protocol = header.v4.protocol;
		next = ip + (header.v4.version_length & 15) * 4u;
		if (header.v4.fragment & bpf_htons(FRAGMENT_OFFSET))
			return false;
	} else if (skb->protocol == bpf_htons(ETHERTYPE_IPV6)) {
		ret->family = FAMILY_INET6;
		ret->protocol = header.v6.next_header;
		if (ip == skb->head + network && transport > network + sizeof(struct ipv6) && transport != UINT16_MAX)
			next = skb->head + transport;
	} else
		return false;
	copy_readable(&word, next, sizeof(word));
	ret->dport = bpf_ntohs((uint16_t)word);
	ret->sport = bpf_ntohs((uint16_t)(word >> 16));
	return ret->protocol == PROTOCOL_TCP || ret->protocol == PROTOCOL_UDP;
}

/* The same with the addresses. */
static __always_inline bool read_flow(struct sk_buff *skb, const unsigned char *ip, struct tw_sockts_socket *ret)
{
	struct sockets_headers headers = { 0 };

	__builtin_memset(ret, 0, sizeof(*ret));
	sockets__set_flow_at(ret, skb, ip, true, &headers, SOCKETS_DIRECTLY);
	return headers.has_transport;
}

/*
 * Whether a packet can have wanted events. Most packets of a run with a filter cannot, so this comes first, and reads only what is
 * compared. The datagrams of a flow without wanted events need not be counted.
 */
static __always_inline bool wants_packet(struct sk_buff *skb, const unsigned char *ip)
{
	const volatile struct tw_sockts_condition *condition = &settings.conditions[TW_SOCKTS_ingress_ts].socket;
	struct tw_sockts_socket flow;

	if (!compares_only_headers(condition))
		return true;
	if (compares_addresses(condition) ? !read_flow(skb, ip, &flow) : !read_ports(skb, ip, &flow))
		return false;
	return tw_sockts_condition__passes(condition, &flow, NULL);
}

static __always_inline int receive(struct sk_buff *skb, enum sockets_access access)
{
	struct net_device *dev = skb->dev;
	struct tw_sockts_ingress_ts *event;
	struct bytes bytes = { 0 };
	struct shared shared;
	uint64_t software = 0;
	int64_t stamp;

	if (!dev || !read_bytes(skb, skb->data, access, &bytes))
		return 0;
	read_shared(skb, access, &shared);
	bytes.flow.netns_cookie = dev->nd_net.net->net_cookie;
	if (bytes.flow.protocol == PROTOCOL_UDP)
		bytes.key = number_datagram(skb, &bytes, shared.segments, true);
	if (!wants(TW_SOCKTS_INGRESS_RX, &bytes.flow, (uint32_t)dev->ifindex, NULL))
		return 0;
	if (!is_chosen(&bytes, shared.segments)) {
		sockets__count_unsampled(1);
		return 0;
	}
	stamp = receive_stamp(skb);
	if (stamp)
		software = from_realtime(stamp);
	event = reserve_for_bytes(TW_SOCKTS_INGRESS_RX, TW_SOCKTS_HOOK_TRACEPOINT, &bytes);
	if (!event)
		return 0;
	set_device(event, dev);
	event->ksoftirqd = is_ksoftirqd();
	if (software && event->software - software < STAMP_AGE_MAX) {
		event->software = software;
		event->hook = TW_SOCKTS_HOOK_STAMP;
	}
	event->hardware = shared.hardware;
	if (event->hardware)
		event->phc = sockets__phc_of(dev);
	sockets__submit(event);
	return 0;
}

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(ingress_rx, struct sk_buff *skb)
{
	return wants_packet(skb, skb->data) ? receive(skb, SOCKETS_DIRECTLY) : 0;
}

/* Before Linux 6.2 */
SEC("tp_btf/netif_receive_skb")
int BPF_PROG(ingress_rx_before, struct sk_buff *skb)
{
	return receive(skb, SOCKETS_BY_HELPER);
}

/* A packet enters the IP layer. */
static __always_inline void enter_ip(struct sk_buff *skb, enum sockets_access access, enum tw_sockts_hook hook)
{
	struct net_device *dev = skb->dev;
	const unsigned char *const ip = skb->head + skb->network_header;
	struct tw_sockts_ingress_ts *event;
	struct bytes bytes = { 0 };
	struct shared shared = { 0 };

	if (!dev || (access == SOCKETS_DIRECTLY && !wants_packet(skb, ip)) || !read_bytes(skb, ip, access, &bytes))
		return;
	bytes.flow.netns_cookie = dev->nd_net.net->net_cookie;
	if (bytes.flow.protocol == PROTOCOL_UDP) {
		read_shared(skb, access, &shared);
		bytes.key = number_datagram(skb, &bytes, shared.segments, false);
	}
	if (!is_chosen(&bytes, shared.segments) ||
	    !wants(TW_SOCKTS_INGRESS_IP, &bytes.flow, (uint32_t)dev->ifindex, NULL))
		return;
	event = reserve_for_bytes(TW_SOCKTS_INGRESS_IP, hook, &bytes);
	if (!event)
		return;
	set_device(event, dev);
	event->ksoftirqd = is_ksoftirqd();
	sockets__submit(event);
}

SEC("netfilter")
int ingress_ip(struct bpf_nf_ctx *context)
{
	enter_ip(context->skb, SOCKETS_DIRECTLY, TW_SOCKTS_HOOK_NETFILTER);
	return NETFILTER_ACCEPT;
}

/* Before Linux 6.4. When these functions return a packet, the kernel calls the netfilter hook; the packets that they drop do not reach it. */
SEC("fexit/ip_rcv_core")
int BPF_PROG(ingress_ip_before, struct sk_buff *skb, void *net, struct sk_buff *valid)
{
	if (valid)
		enter_ip(valid, SOCKETS_BY_HELPER, TW_SOCKTS_HOOK_FUNCTION);
	return 0;
}

SEC("fexit/ip6_rcv_core")
int BPF_PROG(ingress_ip_before_v6, struct sk_buff *skb, void *dev, void *net, struct sk_buff *valid)
{
	if (valid)
		enter_ip(valid, SOCKETS_BY_HELPER, TW_SOCKTS_HOOK_FUNCTION);
	return 0;
}

/*
 * The kernel does not call a program while the same program runs on the CPU, so it may be unknown that a datagram has entered the queue.
 * When the datagram has been read, it seems to have been read too early.
 */
static __always_inline void forget_early_reading(struct receiver *receiver, uint64_t cookie)
{
	struct position position = { .cookie = cookie, .number = receiver->queued };
	const struct queued *early;

	if ((int32_t)(receiver->read - position.number) <= 0)
		return;
	early = bpf_map_lookup_elem(&in_queue, &position);
	if (!early || !early->read_by || sockets__now() - early->reading.time < EARLY_AGE_MAX)
		return;
	bpf_map_delete_elem(&in_queue, &position);
	__sync_fetch_and_add(&receiver->queued, 1);
}

/*
 * How a program refers to the socket of a packet that arrives. A program of the cgroup reads directly, and has the context of the packet; a
 * program of a function has the socket. Both are arguments of bpf_get_socket_cookie().
 */
struct arrival {
	void *context;
	enum sockets_access access; /* a constant */
};

/* What bpf_sk_storage_get() knows a socket by. Return: NULL if the kernel has only a part of a socket here */
static __always_inline void *owner_of(const struct arrival *arrival)
{
	struct bpf_sock *sk;

	if (arrival->access == SOCKETS_BY_HELPER)
		return arrival->context;
	sk = ((struct __sk_buff *)arrival->context)->sk;
	return sk ? bpf_sk_fullsock(sk) : NULL;
}

static __always_inline const struct tcp_sock___receiver *tcp_of(struct sock *sk, enum sockets_access access)
{
	return access == SOCKETS_DIRECTLY ? READABLE(sk, struct tcp_sock___receiver)
					  : (const void *)bpf_skc_to_tcp_sock(sk);
}

/* Number of datagrams in the queues of a socket */
static __always_inline uint32_t count_queued(struct sock *sk, enum sockets_access access)
{
	const struct sock___queues *queues = (void *)sk;
	const struct udp_sock *udp = (void *)sk;

	return queues->sk_receive_queue.qlen + (access == SOCKETS_DIRECTLY
							? READABLE(sk, struct udp_sock)->reader_queue.qlen
							: BPF_CORE_READ(udp, reader_queue.qlen));
}

/* Begins to follow a socket, before the packet that arrives enters its queue. */
static __always_inline void follow(const struct arrival *arrival, struct sock *sk, uint64_t cookie, uint16_t protocol)
{
	void *const owner = owner_of(arrival);
	const struct tcp_sock___receiver *tcp;
	struct receiver receiver = { 0 };
	struct receiver *known;

	if (!owner)
		return;
	known = bpf_sk_storage_get(&in_receivers, owner, NULL, 0);
	if (known && protocol == PROTOCOL_UDP)
		forget_early_reading(known, cookie);
	if (known)
		return;
	if (protocol == PROTOCOL_TCP) {
		tcp = tcp_of(sk, arrival->access);
		if (!tcp)
			return;
		receiver.queued = tcp->rcv_nxt;
		receiver.out_of_order = tcp->rcv_ooopack;
		receiver.is_waiting = tcp->out_of_order_queue.rb_node;
	} else {
		/* Those that are in the queue already will be read first. */
		receiver.queued = count_queued(sk, arrival->access);
	}
	bpf_sk_storage_get(&in_receivers, owner, &receiver, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static __always_inline struct sampled *sampled_of(const struct arrival *arrival)
{
	void *const owner = owner_of(arrival);

	return owner ? bpf_sk_storage_get(&in_sampled, owner, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE) : NULL;
}

/* Whether an earlier segment is missing. It may also be in the backlog. */
static __always_inline bool is_after_hole(struct sock *sk, uint32_t first, enum sockets_access access)
{
	const struct tcp_sock___receiver *tcp = tcp_of(sk, access);
	const struct sock___queues *queues = (void *)sk;

	return tcp && (int32_t)(first - tcp->rcv_nxt) > 0 && !queues->sk_backlog.tail;
}

/* Whether an arriving packet or its socket can have wanted events. A connection of TCP has only one flow. */
static __always_inline bool wants_arrival(const struct arrival *arrival, struct sk_buff *skb, struct sock *sk)
{
	const bool compares_cookie = SOCKETS_COMPARES(&settings.conditions[TW_SOCKTS_ingress_ts].socket, cookie);
	void *owner;

	if (sk->sk_protocol == PROTOCOL_TCP && sk->__sk_common.skc_state != STATE_LISTEN)
		return sockets__wants_socket(TW_SOCKTS_ingress_ts, sk,
					     compares_cookie ? bpf_get_socket_cookie(arrival->context) : 0,
					     PROTOCOL_TCP);
	if (arrival->access == SOCKETS_BY_HELPER || wants_packet(skb, skb->head + skb->network_header))
		return true;
	/* If the socket has a flow that is wanted, all of its datagrams are counted. */
	owner = sk->sk_protocol == PROTOCOL_UDP ? owner_of(arrival) : NULL;
	return owner && bpf_sk_storage_get(&in_receivers, owner, NULL, 0);
}

/* A packet has found its socket. */
static __always_inline void arrive(const struct arrival *arrival, struct sk_buff *skb, struct sock *sk,
				   enum tw_sockts_hook hook)
{
	struct tw_sockts_ingress_ts *event;
	struct bytes bytes = { 0 };
	bool has_socket, is_tcp;
	struct shared shared = { 0 };
	struct doing *doing;
	struct net_device *dev;

	if (!sockets__selects_cgroup(sk) || !wants_arrival(arrival, skb, sk) ||
	    !read_bytes(skb, skb->head + skb->network_header, arrival->access, &bytes))
		return;
	doing = this_cpu();
	if (!doing)
		return;
	is_tcp = bytes.flow.protocol == PROTOCOL_TCP;
	bytes.flow.netns_cookie = sk->__sk_common.skc_net.net->net_cookie;
	bytes.ifindex = (uint32_t)skb->skb_iif;
	/* The first bytes of a connection may arrive before its socket exists. */
	has_socket = !is_tcp || sk->__sk_common.skc_state != STATE_LISTEN;
	if (has_socket) {
		bytes.flow.skaddr = (uint64_t)sk;
		bytes.flow.cookie = bpf_get_socket_cookie(arrival->context);
		follow(arrival, sk, bytes.flow.cookie, bytes.flow.protocol);
	}
	if (!is_tcp) {
		read_shared(skb, arrival->access, &shared);
		bytes.key = number_datagram(skb, &bytes, shared.segments, false);
		doing->enters = bytes;
		doing->enters_cookie = bytes.flow.cookie;
		doing->enters_data = (uint64_t)skb->head;
	}
	dev = skb->dev;
	if (dev)
		bytes.ifindex = (uint32_t)dev->ifindex;
	if (!is_chosen(&bytes, shared.segments))
		return;
	if (settings.has_samples && is_tcp && has_socket)
		note_chosen(sampled_of(arrival), bytes.key);
	if (!wants(TW_SOCKTS_INGRESS_L4, &bytes.flow, bytes.ifindex, NULL))
		return;
	event = reserve_for_bytes(TW_SOCKTS_INGRESS_L4, hook, &bytes);
	if (!event)
		return;
	if (dev)
		set_device(event, dev);
	event->hole = is_tcp && has_socket && is_after_hole(sk, bytes.first, arrival->access);
	event->ksoftirqd = is_ksoftirqd();
	sockets__submit(event);
}

SEC("cgroup_skb/ingress")
int ingress_l4(struct __sk_buff *context)
{
	const struct arrival arrival = { context, SOCKETS_DIRECTLY };
	struct sk_buff *skb;
	struct sock *sk;

	if (!bpf_cast_to_kern_ctx)
		return 1;
	skb = bpf_cast_to_kern_ctx(context);
	sk = skb->sk;
	if (sk)
		arrive(&arrival, skb, sk, TW_SOCKTS_HOOK_CGROUP);
	return 1;
}

/* Before Linux 6.2 or without cgroup2. This function calls the programs of the cgroup. */
SEC("fentry/sk_filter_trim_cap")
int BPF_PROG(ingress_l4_before, struct sock *sk, struct sk_buff *skb)
{
	const struct arrival arrival = { sk, SOCKETS_BY_HELPER };

	if (is_internet(sk) && (sk->sk_protocol == PROTOCOL_TCP || sk->sk_protocol == PROTOCOL_UDP))
		arrive(&arrival, skb, sk, TW_SOCKTS_HOOK_FUNCTION);
	return 0;
}
