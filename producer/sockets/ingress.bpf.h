/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to sockets. Shared by the programs of sockts:ingress_ts, in the order of what happens to received bytes:
 *   ingress_arrival.bpf.c  from the device to the socket
 *   ingress_queue.bpf.c    into the queue of the socket
 *   ingress_wakes.bpf.c    the task that will read is woken, and runs
 *   ingress_read.bpf.c     the task reads
 *
 * The key of TCP is the sequence number of the last byte. The bytes with key K are in the queue of the socket, or are read, when the key of
 * SOCKET or READ has reached K. The key of UDP is the number of the datagram in its flow. Datagrams have no numbers, so they are counted
 * when they are received, and found again by the address of their data, which stays the same until they are read. No tracepoint shows which
 * datagram a program has read. So the datagrams of a socket are also counted when they enter its queue and when they are read.
 */
#ifndef TW_INGRESS_BPF_H
#define TW_INGRESS_BPF_H

#include "producer/sockets/sockets.bpf.h"

#include "producer/receive.bpf.h"

#define TCP_HEADER_MIN 20
#define PF_KTHREAD     0x00200000

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct net_device___named {
	char name[TW_SOCKTS_DEV_LEN];
};

struct sk_buff___data {
	struct sk_buff *prev;
	unsigned int data_len;
	unsigned int end;
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

struct datagram {
	int64_t stamp; /* of the packet; a later packet at the same address has another one. 0 = unknown */
	uint32_t number;
	uint32_t is_queued;
};

/*
 * The key is the address of the data. A packet that the kernel divides into several datagrams also has its stamp as key; @number is then
 * the number of the next datagram.
 */
struct ingress_datagrams {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, uint64_t);
	__type(value, struct datagram);
};

extern struct ingress_datagrams in_datagrams SEC(".maps");

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

struct ingress_receivers {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct receiver);
};

extern struct ingress_receivers in_receivers SEC(".maps");

struct reading {
	uint64_t time; /* only of UDP */
	uint64_t cgroup;
	uint32_t pid, bytes;
	char comm[TW_SOCKTS_COMM_LEN];
};

struct position {
	uint64_t cookie; /* of the socket */
	uint32_t number;
	uint32_t unused;
};

/* A datagram in the queue of a socket. If it is read before become_ready() has seen it in the queue, there is only the reading. */
struct queued {
	struct bytes bytes;
	struct reading reading;
	uint64_t read_by; /* enum tw_sockts_hook of the reading; 0 = it was not read */
};

struct ingress_queued {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 32768);
	__type(key, struct position);
	__type(value, struct queued);
};

extern struct ingress_queued in_queue SEC(".maps");

/* What a CPU is about to do. */
struct doing {
	struct bytes enters;    /* the datagram that is about to enter the queue of a socket */
	uint64_t enters_cookie; /* the socket; 0 = none */
	uint64_t enters_data;   /* address of its data */
	uint64_t ready_cookie;  /* the socket whose readers are about to be woken; 0 = none */
	uint64_t ready_time, ready_task;
	uint32_t ready_key, ready_bytes;
};

struct ingress_doing {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct doing);
};

extern struct ingress_doing in_doing SEC(".maps");

/* A wake-up for bytes of a socket. */
struct wake {
	uint64_t cookie;
	uint64_t wake, run; /* times; 0 = not yet */
	uint32_t key, bytes;
};

/* The key is the pid of the task. */
struct ingress_wakes {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, uint32_t);
	__type(value, struct wake);
};

extern struct ingress_wakes in_wakes SEC(".maps");

static __always_inline struct doing *this_cpu(void)
{
	const uint32_t zero = 0;

	return bpf_map_lookup_elem(&in_doing, &zero);
}

/* Reads the headers of a received packet. @ip: the IP header. Return: false if it has no bytes of TCP or UDP */
static __always_inline bool read_bytes(struct sk_buff *skb, const unsigned char *ip, enum sockets_access access,
				       struct bytes *ret)
{
	struct sk_buff___data *data = (void *)skb;
	/* Headers that are not in the linear part cannot be read. */
	const unsigned char *end = skb->data + skb->len - data->data_len;
	struct sockets_headers headers = { 0 };
	const struct tcp *tcp = &headers.transport;

	sockets__set_flow_at(&ret->flow, skb, ip, true, &headers, access);
	if (!headers.has_transport || !ret->flow.sport)
		return false;
	if (ret->flow.protocol == PROTOCOL_UDP) {
		if (headers.next + sizeof(struct udp) > end || sockets__is_own_datagram(&ret->flow))
			return false;
		ret->bytes = bpf_ntohs(((const struct udp *)tcp)->length) - (uint32_t)sizeof(struct udp);
		ret->is_fragment = headers.has_more_fragments;
		return (int32_t)ret->bytes >= 0; /* the kernel drops a shorter one, except jumbograms */
	}
	if (ret->flow.protocol != PROTOCOL_TCP || headers.next + TCP_HEADER_MIN > end)
		return false;
	ret->bytes = (headers.length ? headers.length : skb->len) - (uint32_t)(headers.next - ip) -
		     (uint32_t)(tcp->offset >> 4) * 4;
	ret->first = bpf_ntohl(tcp->seq);
	ret->key = ret->first + ret->bytes - 1;
	return (int32_t)ret->bytes > 0 && !(tcp->flags & TCP_SYN);
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

	if (settings.has_tasks && (!reading || !sockets__selects_task(&reading->pid)))
		return false;
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

/* Reserves an event of a flow. The fields that not all events have are 0. Return: NULL if there is no room */
static __always_inline struct tw_sockts_ingress_ts *reserve(enum tw_sockts_ingress_type type, enum tw_sockts_hook hook,
							    const struct tw_sockts_socket *flow)
{
	struct tw_sockts_ingress_ts *event = sockets__reserve_for(flow, TW_SOCKTS_ID_ingress_ts, sizeof(*event));

	if (!event)
		return NULL;
	event->type = type;
	event->hook = hook;
	event->phc = -1;
	event->sample = (uint16_t)sockets__sample();
	event->software = sockets__time(event);
	return event;
}

static __always_inline void set_key(struct tw_sockts_ingress_ts *event, uint32_t key, uint32_t bytes)
{
	event->key = key;
	event->seq = event->protocol == PROTOCOL_TCP ? key : 0;
	event->bytes = bytes;
}

/* Reserves an event of bytes. Return: as reserve() */
static __always_inline struct tw_sockts_ingress_ts *
reserve_for_bytes(enum tw_sockts_ingress_type type, enum tw_sockts_hook hook, const struct bytes *bytes)
{
	struct tw_sockts_ingress_ts *event = reserve(type, hook, &bytes->flow);

	if (!event)
		return NULL;
	set_key(event, bytes->key, bytes->bytes);
	event->ifindex = bytes->ifindex;
	return event;
}

static __always_inline void set_reading(struct tw_sockts_ingress_ts *event, const struct reading *reading)
{
	event->pid = (int32_t)reading->pid;
	event->cgroup = reading->cgroup;
	__builtin_memcpy(event->comm, reading->comm, sizeof(event->comm));
}

static __always_inline void report_datagram_read(const struct bytes *bytes, const struct reading *reading,
						 enum tw_sockts_hook hook)
{
	struct tw_sockts_ingress_ts *event;

	if (!wants(TW_SOCKTS_INGRESS_READ, &bytes->flow, bytes->ifindex, reading))
		return;
	event = reserve_for_bytes(TW_SOCKTS_INGRESS_READ, hook, bytes);
	if (!event)
		return;
	set_reading(event, reading);
	event->bytes = reading->bytes;
	event->software = reading->time;
	sockets__submit(event);
}

#endif
