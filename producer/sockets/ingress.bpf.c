/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event sockts:ingress_ts: where received bytes are, from the device to the program that reads them.
 *
 * The key of TCP is the sequence number of the last byte. The bytes with key K are in the queue of the socket, or are read, when the key of
 * SOCKET or READ has reached K. The key of UDP is the number of the datagram in its flow. Datagrams have no numbers, so they are counted
 * when they are received, and found again by the address of their data, which stays the same until they are read. No tracepoint shows which
 * datagram a program has read. So the datagrams of a socket are also counted when they enter its queue and when they are read.
 */
#include "producer/sockets/sockets.bpf.h"

#include "producer/receive.bpf.h"

#define TCP_HEADER_MIN      20
#define MSG_PEEK            2
#define PF_KTHREAD          0x00200000
#define TX_HW_TSTAMP_NETDEV 0x20 /* instead of a hardware stamp, there is an address */
#define STATE_TIME_WAIT     6
#define STATE_CLOSE_WAIT    8
#define STATE_LAST_ACK      9
#define STATE_LISTEN        10
#define STATE_CLOSING       11
#define BASE_REALTIME       1 /* enum hrtimer_base_type */
#define BASE_BOOTTIME       2
#define BASE_TAI            3
#define STAMP_AGE_MAX       1000000000 /* a stamp that is older is by an earlier setting of CLOCK_REALTIME, ns */
#define WAKE_AGE_MAX        100000     /* a wake-up that is later has another cause, ns */
#define EARLY_AGE_MAX       1000000    /* between the reading of a datagram and its report, ns */
#define BATCH_MAX           8          /* datagrams that may enter the queue of a socket together */
#define FLOWS               16384
#define DATAGRAMS           16384
#define QUEUED              32768
#define WAKES               16384

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct net_device___named {
	char name[TW_SOCKTS_DEV_LEN];
};

struct sk_buff___data {
	struct sk_buff *prev;
	unsigned int data_len;
	unsigned int end;
};

struct skb_shared_hwtstamps {
	int64_t hwtstamp;
};

struct skb_shared_info {
	uint8_t tx_flags;
	unsigned short gso_segs;
	struct skb_shared_hwtstamps hwtstamps;
};

struct sk_buff_head {
	uint32_t qlen;
};

typedef struct {
	int owned;
} socket_lock_t;

struct sock___queues {
	struct sk_buff_head sk_receive_queue;
	socket_lock_t sk_lock;
	struct {
		struct sk_buff *tail;
	} sk_backlog;
};

struct udp_sock {
	struct sk_buff_head reader_queue;
};

struct rb_root {
	void *rb_node;
};

struct tcp_sock___receiver {
	uint32_t rcv_nxt, copied_seq, rcv_ooopack;
	uint64_t bytes_received;
	struct rb_root out_of_order_queue;
};

struct hrtimer_cpu_base;

struct hrtimer_clock_base {
	struct hrtimer_cpu_base *cpu_base;
	int64_t offset;
};

struct hrtimer_cpu_base {
	struct hrtimer_clock_base clock_base[8];
};

struct hrtimer {
	struct hrtimer_clock_base *base;
};

struct sched_dl_entity {
	struct hrtimer dl_timer;
};

struct task_struct {
	unsigned int flags;
	int pid;
	struct sched_dl_entity dl;
	char comm[TW_SOCKTS_COMM_LEN];
};

#pragma clang attribute pop

/* Bytes that were received together. */
struct bytes {
	struct tw_sockts_socket
		flow; /* the socket as far as it is known: the local address is the source, as in other events */
	uint32_t key, bytes;
	uint32_t ifindex;
	union {
		uint32_t first;       /* TCP: sequence number of the first byte */
		uint32_t is_fragment; /* UDP: only the first part is in the packet */
	};
};

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

struct datagram {
	int64_t stamp; /* of the packet; a later packet at the same address has another one. 0 = unknown */
	uint32_t number;
	uint32_t is_queued;
};

/*
 * The key is the address of the data. A packet that the kernel divides into several datagrams also has its stamp as key; @number is then
 * the number of the next datagram.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, DATAGRAMS);
	__type(key, uint64_t);
	__type(value, struct datagram);
} in_datagrams SEC(".maps");

/* What is known of a socket. Sequence numbers are those of TCP, numbers of datagrams those of UDP. */
struct receiver {
	uint32_t
		queued; /* sequence number after the last byte in the queue; number of datagrams that entered the queue */
	uint32_t read; /* sequence number after the last byte that was read; number of datagrams that were read */
	uint32_t hole_from, hole_until; /* unread bytes that waited for an earlier segment; the same = none */
	uint32_t out_of_order;          /* number of segments that arrived out of order */
	bool is_waiting;                /* segments wait for an earlier one */
	bool has_read;                  /* TCP: @read is known */
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct receiver);
} in_receivers SEC(".maps");

struct reading {
	uint64_t time, cgroup;
	uint32_t pid, bytes;
	char comm[TW_SOCKTS_COMM_LEN];
};

struct position {
	uint64_t cookie; /* of the socket */
	uint32_t number;
	uint32_t unused;
};

/* A datagram in the queue of a socket. If it is read before this file's program has seen it in the queue, there is only the reading. */
struct queued {
	struct bytes bytes;
	struct reading reading;
	uint64_t is_read;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, QUEUED);
	__type(key, struct position);
	__type(value, struct queued);
} in_queue SEC(".maps");

/* What a CPU is about to do. */
struct doing {
	struct bytes enters;    /* the datagram that is about to enter the queue of a socket */
	uint64_t enters_cookie; /* the socket; 0 = none */
	uint64_t enters_data;   /* address of its data */
	uint64_t ready_cookie;  /* the socket whose readers are about to be woken; 0 = none */
	uint64_t ready_time, ready_task;
	uint32_t ready_key, ready_bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct doing);
} in_doing SEC(".maps");

/* A wake-up for bytes of a socket. */
struct wake {
	uint64_t cookie;
	uint64_t wake, run; /* times; 0 = not yet */
	uint32_t key, bytes;
};

/* The key is the pid of the task. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, WAKES);
	__type(key, uint32_t);
	__type(value, struct wake);
} in_wakes SEC(".maps");

static __always_inline struct doing *this_cpu(void)
{
	const uint32_t zero = 0;

	return bpf_map_lookup_elem(&in_doing, &zero);
}

/* Reads the headers of a received packet. @ip: the IP header. Return: false if it has no bytes of TCP or UDP */
static __always_inline bool read_bytes(struct sk_buff *skb, const unsigned char *ip, struct bytes *ret)
{
	struct sk_buff___data *data = (void *)skb;
	/* Headers that are not in the linear part cannot be read. */
	const unsigned char *end = skb->data + skb->len - data->data_len;
	struct sockets_headers headers = { 0 };
	const struct tcp *tcp = &headers.transport;

	sockets__set_flow_at(&ret->flow, skb, ip, true, &headers);
	if (!headers.has_transport || !ret->flow.sport)
		return false;
	if (ret->flow.protocol == PROTOCOL_UDP) {
		if (headers.next + sizeof(struct udp) > end)
			return false;
		ret->bytes = bpf_ntohs(((const struct udp *)tcp)->length) - (uint32_t)sizeof(struct udp);
		ret->is_fragment = headers.has_more_fragments;
		return true;
	}
	if (ret->flow.protocol != PROTOCOL_TCP || headers.next + TCP_HEADER_MIN > end)
		return false;
	ret->bytes = (headers.length ? headers.length : skb->len) - (uint32_t)(headers.next - ip) -
		     (uint32_t)(tcp->offset >> 4) * 4;
	ret->first = bpf_ntohl(tcp->seq);
	ret->key = ret->first + ret->bytes - 1;
	return (int32_t)ret->bytes > 0 && !(tcp->flags & TCP_SYN);
}

/* The shared data of a packet, whose members must be read with BPF_CORE_READ(). */
static __always_inline const struct skb_shared_info *shared_info(struct sk_buff *skb)
{
	return (const void *)(skb->head + ((struct sk_buff___data *)skb)->end);
}

static __always_inline uint64_t hardware_stamp(struct sk_buff *skb)
{
	const struct skb_shared_info *shared = shared_info(skb);

	return BPF_CORE_READ(shared, tx_flags) & TX_HW_TSTAMP_NETDEV
		       ? 0
		       : (uint64_t)BPF_CORE_READ(shared, hwtstamps.hwtstamp);
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

static __always_inline bool is_ksoftirqd(void)
{
	const union {
		char text[8];
		uint64_t number;
	} begin = { { 'k', 's', 'o', 'f', 't', 'i', 'r', 'q' } };
	const struct task_struct *task = (const void *)bpf_get_current_task_btf();

	return (task->flags & PF_KTHREAD) && *(const uint64_t *)task->comm == begin.number;
}

/* @reading: NULL = the event is not one of a reader */
static __always_inline bool wants(enum tw_sockts_ingress_type type, const struct tw_sockts_socket *flow,
				  uint32_t ifindex, const struct reading *reading)
{
	const volatile struct tw_sockts_condition *condition = sockets__condition(TW_SOCKTS_ingress_ts);
	static const char none[TW_SOCKTS_COMM_LEN];
	struct tw_sockts_facts facts;

	if (!condition->n)
		return true;
	sockets__know_current(condition, &facts);
	if (reading)
		sockets__know_task(&facts, (int32_t)reading->pid, reading->cgroup, reading->comm);
	else
		sockets__know_task(&facts, 0, 0, none);
	facts.type = type;
	facts.ifindex = ifindex;
	return tw_sockts_condition__passes(condition, flow, &facts);
}

/* Reserves an event. The fields that not all events have are 0. Return: NULL if there is no room */
static __always_inline struct tw_sockts_ingress_ts *reserve(enum tw_sockts_ingress_type type, enum tw_sockts_hook hook)
{
	struct tw_sockts_ingress_ts *event = sockets__reserve(sizeof(*event));

	if (!event)
		return NULL;
	__builtin_memset(event, 0, sizeof(*event));
	sockets__set_common(&event->common, TW_SOCKTS_ID_ingress_ts);
	event->type = type;
	event->hook = hook;
	event->phc = -1;
	event->software = ((struct tw_sockts_head *)event - 1)->time;
	return event;
}

static __always_inline void set_flow(struct tw_sockts_ingress_ts *event, const struct tw_sockts_socket *flow)
{
	__builtin_memcpy(&event->skaddr, &flow->skaddr, sizeof(*flow) - offsetof(struct tw_sockts_socket, skaddr));
}

static __always_inline void set_key(struct tw_sockts_ingress_ts *event, uint32_t key, uint32_t bytes)
{
	event->key = key;
	event->seq = event->protocol == PROTOCOL_TCP ? key : 0;
	event->bytes = bytes;
}

static __always_inline void set_bytes(struct tw_sockts_ingress_ts *event, const struct bytes *bytes)
{
	set_flow(event, &bytes->flow);
	set_key(event, bytes->key, bytes->bytes);
	event->ifindex = bytes->ifindex;
}

static __always_inline void set_device(struct tw_sockts_ingress_ts *event, struct net_device *dev)
{
	event->ifindex = (uint32_t)dev->ifindex;
	bpf_probe_read_kernel(event->dev, sizeof(event->dev), ((struct net_device___named *)dev)->name);
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
static __always_inline uint32_t number_datagram(struct sk_buff *skb, const struct bytes *bytes, bool arrives)
{
	const struct skb_shared_info *shared = shared_info(skb);
	struct datagram datagram = { .stamp = bytes->is_fragment ? 0 : receive_stamp(skb) }, divided = { 0 };
	const uint64_t data = (uint64_t)skb->head;
	const struct datagram *known = bpf_map_lookup_elem(&in_datagrams, &data);
	uint16_t segments = BPF_CORE_READ(shared, gso_segs);

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

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(ingress_rx, struct sk_buff *skb)
{
	struct net_device *dev = skb->dev;
	struct tw_sockts_ingress_ts *event;
	struct bytes bytes = { 0 };
	uint64_t software = 0;
	int64_t stamp;

	if (!dev || !read_bytes(skb, skb->data, &bytes))
		return 0;
	bytes.flow.netns_cookie = dev->nd_net.net->net_cookie;
	if (bytes.flow.protocol == PROTOCOL_UDP)
		bytes.key = number_datagram(skb, &bytes, true);
	if (!wants(TW_SOCKTS_INGRESS_RX, &bytes.flow, (uint32_t)dev->ifindex, NULL))
		return 0;
	stamp = receive_stamp(skb);
	if (stamp)
		software = from_realtime(stamp);
	event = reserve(TW_SOCKTS_INGRESS_RX, TW_SOCKTS_HOOK_TRACEPOINT);
	if (!event)
		return 0;
	set_bytes(event, &bytes);
	set_device(event, dev);
	event->ksoftirqd = is_ksoftirqd();
	if (software && event->software - software < STAMP_AGE_MAX) {
		event->software = software;
		event->hook = TW_SOCKTS_HOOK_STAMP;
	}
	event->hardware = hardware_stamp(skb);
	sockets__submit(event);
	return 0;
}

SEC("netfilter")
int ingress_ip(struct bpf_nf_ctx *context)
{
	struct sk_buff *skb = context->skb;
	struct net_device *dev = skb->dev;
	struct tw_sockts_ingress_ts *event;
	struct bytes bytes = { 0 };

	if (!dev || !read_bytes(skb, skb->head + skb->network_header, &bytes))
		return NETFILTER_ACCEPT;
	bytes.flow.netns_cookie = dev->nd_net.net->net_cookie;
	if (bytes.flow.protocol == PROTOCOL_UDP)
		bytes.key = number_datagram(skb, &bytes, false);
	if (!wants(TW_SOCKTS_INGRESS_IP, &bytes.flow, (uint32_t)dev->ifindex, NULL))
		return NETFILTER_ACCEPT;
	event = reserve(TW_SOCKTS_INGRESS_IP, TW_SOCKTS_HOOK_NETFILTER);
	if (!event)
		return NETFILTER_ACCEPT;
	set_bytes(event, &bytes);
	set_device(event, dev);
	event->ksoftirqd = is_ksoftirqd();
	sockets__submit(event);
	return NETFILTER_ACCEPT;
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
	if (!early || !early->is_read || sockets__now() - early->reading.time < EARLY_AGE_MAX)
		return;
	bpf_map_delete_elem(&in_queue, &position);
	__sync_fetch_and_add(&receiver->queued, 1);
}

/* Begins to follow a socket, before the packet that arrives enters its queue. */
static __always_inline void follow(struct bpf_sock *context, struct sock *sk, uint64_t cookie, uint16_t protocol)
{
	struct tcp_sock___receiver *tcp = (void *)sk;
	struct sock___queues *queues = (void *)sk;
	struct udp_sock *udp = (void *)sk;
	struct receiver receiver = { 0 };
	struct receiver *known;

	context = context ? bpf_sk_fullsock(context) : NULL;
	if (!context)
		return;
	known = bpf_sk_storage_get(&in_receivers, context, NULL, 0);
	if (known && protocol == PROTOCOL_UDP)
		forget_early_reading(known, cookie);
	if (known)
		return;
	if (protocol == PROTOCOL_TCP) {
		receiver.queued = BPF_CORE_READ(tcp, rcv_nxt);
		receiver.out_of_order = BPF_CORE_READ(tcp, rcv_ooopack);
		receiver.is_waiting = BPF_CORE_READ(tcp, out_of_order_queue.rb_node);
	} else {
		/* Those that are in the queue already will be read first. */
		receiver.queued = BPF_CORE_READ(udp, reader_queue.qlen) + BPF_CORE_READ(queues, sk_receive_queue.qlen);
	}
	bpf_sk_storage_get(&in_receivers, context, &receiver, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* Whether an earlier segment is missing. It may also be in the backlog. */
static __always_inline bool is_after_hole(struct sock *sk, uint32_t first)
{
	struct tcp_sock___receiver *tcp = (void *)sk;
	struct sock___queues *queues = (void *)sk;

	return (int32_t)(first - BPF_CORE_READ(tcp, rcv_nxt)) > 0 && !BPF_CORE_READ(queues, sk_backlog.tail);
}

SEC("cgroup_skb/ingress")
int ingress_l4(struct __sk_buff *context)
{
	struct tw_sockts_ingress_ts *event;
	struct doing *doing = this_cpu();
	struct bytes bytes = { 0 };
	bool has_socket, is_tcp;
	struct net_device *dev;
	struct sk_buff *skb;
	struct sock *sk;

	if (!bpf_cast_to_kern_ctx || !doing)
		return 1;
	skb = bpf_cast_to_kern_ctx(context);
	sk = skb->sk;
	if (!sk || !read_bytes(skb, skb->head + skb->network_header, &bytes))
		return 1;
	is_tcp = bytes.flow.protocol == PROTOCOL_TCP;
	bytes.flow.netns_cookie = BPF_CORE_READ(sk, __sk_common.skc_net.net, net_cookie);
	bytes.ifindex = (uint32_t)skb->skb_iif;
	/* The first bytes of a connection may arrive before its socket exists. */
	has_socket = !is_tcp || BPF_CORE_READ(sk, __sk_common.skc_state) != STATE_LISTEN;
	if (has_socket) {
		bytes.flow.skaddr = (uint64_t)sk;
		bytes.flow.cookie = bpf_get_socket_cookie(context);
		/* A socket of UDP has datagrams of several flows, of which all are counted. */
		if (!is_tcp || sockets__wants_socket(TW_SOCKTS_ingress_ts, sk, bytes.flow.cookie, bytes.flow.protocol))
			follow(context->sk, sk, bytes.flow.cookie, bytes.flow.protocol);
	}
	if (!is_tcp) {
		bytes.key = number_datagram(skb, &bytes, false);
		doing->enters = bytes;
		doing->enters_cookie = bytes.flow.cookie;
		doing->enters_data = (uint64_t)skb->head;
	}
	dev = skb->dev;
	if (dev)
		bytes.ifindex = (uint32_t)dev->ifindex;
	if (!wants(TW_SOCKTS_INGRESS_L4, &bytes.flow, bytes.ifindex, NULL))
		return 1;
	event = reserve(TW_SOCKTS_INGRESS_L4, TW_SOCKTS_HOOK_CGROUP);
	if (!event)
		return 1;
	set_bytes(event, &bytes);
	if (dev)
		set_device(event, dev);
	event->hole = is_tcp && has_socket && is_after_hole(sk, bytes.first);
	event->ksoftirqd = is_ksoftirqd();
	sockets__submit(event);
	return 1;
}

/* Notes that the readers of a socket are about to be woken. */
static __always_inline void expect_wake(struct doing *doing, uint64_t cookie, uint32_t key, uint32_t bytes)
{
	if (!settings.has_wakes)
		return;
	doing->ready_cookie = cookie;
	doing->ready_time = sockets__now();
	doing->ready_task = bpf_get_current_task();
	doing->ready_key = key;
	doing->ready_bytes = bytes;
}

/* The sequence number after the last byte that a socket has received in order. The FIN of the other side has a number of its own. */
static __always_inline uint32_t received_until(struct sock *sk, const struct tcp_sock___receiver *tcp)
{
	const uint8_t state = sk->__sk_common.skc_state;

	return tcp->rcv_nxt - (state == STATE_CLOSE_WAIT || state == STATE_LAST_ACK || state == STATE_CLOSING ||
			       state == STATE_TIME_WAIT);
}

/* What is known of a socket of TCP that has received bytes. Return: NULL if it had bytes before the run began */
static __always_inline struct receiver *find_receiver(struct sock *sk, const struct tcp_sock___receiver *tcp,
						      uint32_t end)
{
	struct receiver *known = bpf_sk_storage_get(&in_receivers, sk, NULL, 0);
	struct receiver receiver = { 0 };

	if (known)
		return known;
	receiver.queued = tcp->copied_seq;
	if (tcp->bytes_received != end - receiver.queued)
		return NULL;
	/* These bytes came with the handshake, and nothing has been read. */
	return bpf_sk_storage_get(&in_receivers, sk, &receiver, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* Updates what is known of the holes in front of the bytes before @end, which enter the queue. Return: whether they waited for others */
static __always_inline bool pass_hole(struct receiver *receiver, const struct tcp_sock___receiver *tcp, uint32_t end)
{
	const uint32_t out_of_order = tcp->rcv_ooopack;
	const bool has_waited = receiver->is_waiting || out_of_order != receiver->out_of_order;

	receiver->out_of_order = out_of_order;
	receiver->is_waiting = tcp->out_of_order_queue.rb_node;
	if (!has_waited)
		return false;
	if (receiver->hole_from == receiver->hole_until)
		receiver->hole_from = receiver->queued;
	receiver->hole_until = end;
	return true;
}

/* Whether a connected socket of TCP can have events that are wanted */
static __always_inline bool wants_socket(struct sock *sk)
{
	const bool compares_cookie = SOCKETS_COMPARES(&settings.conditions[TW_SOCKTS_ingress_ts].socket, cookie);

	return sockets__wants_socket(TW_SOCKTS_ingress_ts, sk, compares_cookie ? bpf_get_socket_cookie(sk) : 0,
				     PROTOCOL_TCP);
}

/* Bytes of TCP enter the queue of a socket, which is locked. */
static __always_inline void queue_tcp(struct sock *sk, struct doing *doing)
{
	const struct tcp_sock___receiver *tcp = (void *)bpf_skc_to_tcp_sock(sk);
	const struct sock___queues *queues = (void *)sk;
	struct tw_sockts_ingress_ts *event;
	struct tw_sockts_socket flow = { 0 };
	struct receiver *receiver;
	uint32_t end, bytes;
	uint64_t cookie;
	bool hole;

	if (!tcp)
		return;
	end = received_until(sk, tcp);
	receiver = find_receiver(sk, tcp, end);
	if (!receiver)
		return;
	if (!receiver->has_read) {
		receiver->read = tcp->copied_seq;
		receiver->has_read = true;
	}
	bytes = end - receiver->queued;
	if ((int32_t)bytes <= 0)
		return;
	hole = pass_hole(receiver, tcp, end);
	receiver->queued = end;
	cookie = bpf_get_socket_cookie(sk);
	expect_wake(doing, cookie, end - 1, bytes);
	sockets__set_identity(&flow, sk, cookie, PROTOCOL_TCP);
	if (!wants(TW_SOCKTS_INGRESS_SOCKET, &flow, 0, NULL))
		return;
	event = reserve(TW_SOCKTS_INGRESS_SOCKET, TW_SOCKTS_HOOK_TRACEPOINT);
	if (!event)
		return;
	set_flow(event, &flow);
	set_key(event, end - 1, bytes);
	event->hole = hole;
	/* While a program holds the lock, segments go to the backlog. The program processes them before it releases the lock. */
	event->backlog = queues->sk_lock.owned != 0;
	event->ksoftirqd = is_ksoftirqd();
	sockets__submit(event);
}

static __always_inline void set_reading(struct tw_sockts_ingress_ts *event, const struct reading *reading)
{
	event->pid = (int32_t)reading->pid;
	event->cgroup = reading->cgroup;
	__builtin_memcpy(event->comm, reading->comm, sizeof(event->comm));
}

static __always_inline void report_datagram_read(const struct bytes *bytes, const struct reading *reading)
{
	struct tw_sockts_ingress_ts *event;

	if (!wants(TW_SOCKTS_INGRESS_READ, &bytes->flow, bytes->ifindex, reading))
		return;
	event = reserve(TW_SOCKTS_INGRESS_READ, TW_SOCKTS_HOOK_TRACEPOINT);
	if (!event)
		return;
	set_bytes(event, bytes);
	set_reading(event, reading);
	event->bytes = reading->bytes;
	event->software = reading->time;
	sockets__submit(event);
}

/*
 * Finds the first datagram in the queue of a socket that was not reported. If several CPUs have datagrams for a socket, one of them puts
 * all of these into the queue, and reports the socket as readable for each of them.
 */
static __always_inline bool find_entered(struct sock *sk, uint64_t cookie, struct bytes *ret)
{
	struct sock___queues *queues = (void *)sk;
	struct sk_buff *skb = last_queued(sk), *found = NULL;
	struct datagram *datagram = NULL;

	for (int i = 0; i < BATCH_MAX && skb && (void *)skb != (void *)&queues->sk_receive_queue; i++) {
		const uint64_t data = (uint64_t)skb->head;
		struct datagram *earlier = bpf_map_lookup_elem(&in_datagrams, &data);

		if (!earlier || earlier->is_queued)
			break;
		datagram = earlier;
		found = skb;
		skb = ((struct sk_buff___data *)skb)->prev;
	}
	if (!found || !datagram || !read_bytes(found, found->head + found->network_header, ret))
		return false;
	datagram->is_queued = true;
	ret->key = datagram->number;
	ret->ifindex = (uint32_t)found->skb_iif;
	ret->flow.skaddr = (uint64_t)sk;
	ret->flow.cookie = cookie;
	ret->flow.netns_cookie = sk->__sk_common.skc_net.net->net_cookie;
	return true;
}

/* The datagram that has entered the queue of a socket. Return: false if it is unknown, because it was read already */
static __always_inline bool take_entered(struct sock *sk, uint64_t cookie, struct doing *doing, struct bytes *ret)
{
	struct datagram *datagram;

	if (doing->enters_cookie != cookie)
		return find_entered(sk, cookie, ret);
	doing->enters_cookie = 0;
	*ret = doing->enters;
	datagram = bpf_map_lookup_elem(&in_datagrams, &doing->enters_data);
	if (datagram)
		datagram->is_queued = true;
	return true;
}

/* A datagram has entered the queue of a socket. */
static __always_inline void queue_udp(struct sock *sk, struct doing *doing)
{
	struct receiver *receiver = bpf_sk_storage_get(&in_receivers, sk, NULL, 0);
	struct position position = { .cookie = bpf_get_socket_cookie(sk) };
	struct tw_sockts_ingress_ts *event;
	struct queued queued = { 0 };
	const struct queued *early;

	if (!receiver)
		return;
	position.number = __sync_fetch_and_add(&receiver->queued, 1);
	if (!take_entered(sk, position.cookie, doing, &queued.bytes))
		return;
	/* The program below may run on another CPU. The one that comes second finds what the other has added. */
	if (bpf_map_update_elem(&in_queue, &position, &queued, BPF_NOEXIST)) {
		early = bpf_map_lookup_elem(&in_queue, &position);
		if (early) {
			queued.reading = early->reading;
			queued.is_read = early->is_read;
			bpf_map_delete_elem(&in_queue, &position);
		}
	}
	expect_wake(doing, position.cookie, queued.bytes.key, queued.bytes.bytes);
	event = wants(TW_SOCKTS_INGRESS_SOCKET, &queued.bytes.flow, queued.bytes.ifindex, NULL)
			? reserve(TW_SOCKTS_INGRESS_SOCKET, TW_SOCKTS_HOOK_TRACEPOINT)
			: NULL;
	if (event) {
		set_bytes(event, &queued.bytes);
		event->ksoftirqd = is_ksoftirqd();
		sockets__submit(event);
	}
	if (queued.is_read)
		report_datagram_read(&queued.bytes, &queued.reading);
}

SEC("tp_btf/sk_data_ready")
int BPF_PROG(ingress_socket, struct sock *sk)
{
	const uint8_t state = sk->__sk_common.skc_state;
	const uint16_t protocol = sk->sk_protocol;
	struct doing *doing = this_cpu();

	if (!doing || !is_internet(sk))
		return 0;
	doing->ready_cookie = 0;
	if (protocol == PROTOCOL_TCP && state != STATE_LISTEN && wants_socket(sk))
		queue_tcp(sk, doing);
	else if (protocol == PROTOCOL_UDP)
		queue_udp(sk, doing);
	return 0;
}

static __always_inline void read_task(struct reading *ret, uint32_t bytes)
{
	ret->time = sockets__now();
	ret->cgroup = bpf_get_current_cgroup_id();
	ret->pid = (uint32_t)bpf_get_current_pid_tgid();
	ret->bytes = bytes;
	bpf_get_current_comm(ret->comm, sizeof(ret->comm));
}

static __always_inline void report_step(enum tw_sockts_ingress_type type, uint64_t time, const struct wake *wake,
					const struct tw_sockts_socket *flow, const struct reading *reading)
{
	struct tw_sockts_ingress_ts *event;

	if (!time || !wants(type, flow, 0, reading))
		return;
	event = reserve(type, TW_SOCKTS_HOOK_TRACEPOINT);
	if (!event)
		return;
	set_flow(event, flow);
	set_key(event, wake->key, wake->bytes);
	set_reading(event, reading);
	event->software = time;
	sockets__submit(event);
}

/* Makes the events of the wake-up after which a task reads. Only now is it known that the task was woken to read. */
static __always_inline void report_wake(const struct tw_sockts_socket *flow, const struct reading *reading)
{
	const struct wake *found = settings.has_wakes ? bpf_map_lookup_elem(&in_wakes, &reading->pid) : NULL;
	struct wake wake;

	if (!found || found->cookie != flow->cookie)
		return;
	wake = *found;
	bpf_map_delete_elem(&in_wakes, &reading->pid);
	report_step(TW_SOCKTS_INGRESS_WAKE, wake.wake, &wake, flow, reading);
	report_step(TW_SOCKTS_INGRESS_RUN, wake.run, &wake, flow, reading);
}

/* Updates what is known of holes when the bytes before @end are read. Return: whether they waited for an earlier segment */
static __always_inline bool leave_hole(struct receiver *receiver, uint32_t end)
{
	if (receiver->hole_from == receiver->hole_until || (int32_t)(end - receiver->hole_from) <= 0)
		return false;
	if ((int32_t)(end - receiver->hole_until) >= 0)
		receiver->hole_from = receiver->hole_until;
	return true;
}

/* The kernel has copied bytes to the task, which holds the lock of the socket. After MSG_PEEK, they are still in the queue. */
SEC("tp_btf/tcp_rcv_space_adjust")
int BPF_PROG(ingress_tcp_read, struct sock *sk)
{
	struct receiver *receiver = bpf_sk_storage_get(&in_receivers, sk, NULL, 0);
	const struct tcp_sock___receiver *tcp = (void *)bpf_skc_to_tcp_sock(sk);
	struct tw_sockts_socket flow = { 0 };
	struct tw_sockts_ingress_ts *event;
	struct reading reading = { 0 };
	uint32_t end;
	bool hole;

	if (!tcp || !receiver || !receiver->has_read)
		return 0;
	end = tcp->copied_seq;
	if ((int32_t)(end - receiver->read) <= 0)
		return 0;
	read_task(&reading, end - receiver->read);
	receiver->read = end;
	hole = leave_hole(receiver, end);
	if (sockets__is_own())
		return 0;
	sockets__set_identity(&flow, sk, bpf_get_socket_cookie(sk), PROTOCOL_TCP);
	report_wake(&flow, &reading);
	if (!wants(TW_SOCKTS_INGRESS_READ, &flow, 0, &reading))
		return 0;
	event = reserve(TW_SOCKTS_INGRESS_READ, TW_SOCKTS_HOOK_TRACEPOINT);
	if (!event)
		return 0;
	set_flow(event, &flow);
	set_key(event, end - 1, reading.bytes);
	set_reading(event, &reading);
	event->hole = hole;
	event->software = reading.time;
	sockets__submit(event);
	return 0;
}

static __always_inline bool is_empty(struct sock *sk)
{
	struct sock___queues *queues = (void *)sk;
	struct udp_sock *udp = (void *)sk;

	return !BPF_CORE_READ(udp, reader_queue.qlen) && !BPF_CORE_READ(queues, sk_receive_queue.qlen);
}

/* The kernel has copied a message to the task. @ret: its length or -errno */
SEC("tp_btf/sock_recv_length")
int BPF_PROG(ingress_udp_read, struct sock *sk, int ret, int flags)
{
	struct position position = { 0 };
	struct queued queued = { 0 };
	struct receiver *receiver;
	struct queued *found;
	uint32_t until;

	if (ret < 0 || (flags & MSG_PEEK) || !is_internet(sk) || sk->sk_protocol != PROTOCOL_UDP)
		return 0;
	receiver = bpf_sk_storage_get(&in_receivers, sk, NULL, 0);
	if (!receiver)
		return 0;
	position.cookie = bpf_get_socket_cookie(sk);
	position.number = __sync_fetch_and_add(&receiver->read, 1);
	read_task(&queued.reading, (uint32_t)ret);
	until = *(volatile uint32_t *)&receiver->queued;
	queued.is_read = true;
	if (!bpf_map_update_elem(&in_queue, &position, &queued, BPF_NOEXIST))
		found = NULL; /* It was read before it was reported that it entered the queue. */
	else
		found = bpf_map_lookup_elem(&in_queue, &position);
	if (found) {
		queued.bytes = found->bytes;
		bpf_map_delete_elem(&in_queue, &position);
		if (!sockets__is_own()) {
			report_wake(&queued.bytes.flow, &queued.reading);
			report_datagram_read(&queued.bytes, &queued.reading);
		}
	}
	/* Datagrams that the kernel removed from the queue because of an error will not be read. */
	if ((int32_t)(until - receiver->read) > 0 && is_empty(sk))
		receiver->read = until;
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(ingress_wake, struct task_struct *task)
{
	const uint32_t pid = (uint32_t)task->pid;
	struct doing *doing = this_cpu();
	struct wake wake = { 0 };

	if (!doing || !doing->ready_cookie || doing->ready_task != bpf_get_current_task())
		return 0;
	wake.wake = sockets__now();
	if (wake.wake - doing->ready_time > WAKE_AGE_MAX)
		return 0;
	wake.cookie = doing->ready_cookie;
	wake.key = doing->ready_key;
	wake.bytes = doing->ready_bytes;
	bpf_map_update_elem(&in_wakes, &pid, &wake, BPF_ANY);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(ingress_run, bool preempt, struct task_struct *before, struct task_struct *task)
{
	const uint32_t pid = (uint32_t)task->pid;
	struct doing *doing = this_cpu();
	struct wake *wake;

	if (doing)
		doing->ready_cookie = 0;
	wake = pid ? bpf_map_lookup_elem(&in_wakes, &pid) : NULL;
	if (wake && !wake->run)
		wake->run = sockets__now();
	return 0;
}
