/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to sockets. Shared by the programs that make sockts:egress_ts of UDP: egress_udp.bpf.c, and egress_udp_functions.bpf.c for
 * kernels before Linux 6.2.
 *
 * When a datagram is complete, it is counted, and its event is kept. At the devices, it is found again by the address of its data. If the
 * kernel divides a packet with several datagrams (UDP_SEGMENT), each of them has another address, but the payload of the first one stays in
 * its page.
 *
 * The file that includes this one defines what differs:
 *   AT(pointer, type)      makes a pointer to const for
 *   MEMBER(pointer, name)  which reads members of a structure that the verifier does not know
 *   NAME(program)          the name of a program that both have; names are unique among all programs, because hooks.c names a program by it
 */
#ifndef TW_EGRESS_UDP_BPF_H
#define TW_EGRESS_UDP_BPF_H

#include "producer/sockets/sockets.bpf.h"

#define SOCK_DGRAM              2
#define SOF_TIMESTAMPING_OPT_ID (1u << 7)
#define UDP_HEADER              8
#define OFFSET_V6               0xfff8
#define NEXT_IS_FRAGMENT        44
#define SENT                    16384
#define TASKS                   4096

/* A part of a packet's payload, in all kernels since Linux 5.4. */
struct fragment {
	uint64_t page;
	uint32_t length, offset;
};

/* The parts of the kernel's structures that are read; libbpf adapts the offsets to the running kernel. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock___udp {
	uint16_t sk_type;
	uint32_t sk_tsflags;
};

struct sk_buff___udp {
	unsigned int end;
};

struct net_device___udp {
	unsigned char lower_level;
};

struct skb_shared_info {
	uint8_t nr_frags, tx_flags;
	unsigned short gso_size, gso_segs;
	uint32_t tskey;
	struct fragment frags[1];
};

struct iphdr {
	uint16_t frag_off;
};

struct ipv6hdr {
	uint8_t nexthdr;
};

struct frag_hdr {
	uint16_t frag_off;
};

struct kernfs_node {
	uint64_t id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct task_struct {
	int pid;
	struct css_set *cgroups;
	char comm[TW_SOCKTS_COMM_LEN];
};

#pragma clang attribute pop

/* What is known about a socket. */
struct counted {
	uint32_t datagrams;
	uint32_t key_base; /* enum tw_sockts_key_base */
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct counted);
} udp_sockets SEC(".maps");

/* A sent packet: one datagram, or several of the same size. */
struct sent {
	struct tw_sockts_egress_ts event; /* the fields that all its events have */
	uint64_t payload;                 /* place of the first byte of payload that has a page; 0 = none has */
	uint32_t gso_size;                /* payload of each datagram; 0 = there is one */
	uint32_t unused;
};

/* The key is the address of the data. A packet of several datagrams also has the place of its payload as a key. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, SENT);
	__type(key, uint64_t);
	__type(value, struct sent);
} udp_sent SEC(".maps");

/* A task that sends */
struct begun {
	uint64_t skaddr; /* 0 = its datagram is complete */
	uint64_t time;
	uint32_t bytes, unused;
};

/* The key is the number of the task. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, TASKS);
	__type(key, uint64_t);
	__type(value, struct begun);
} udp_begun SEC(".maps");

static __always_inline bool is_udp(const struct sock *sk)
{
	const struct sock___udp *of = (const void *)sk;

	return sk && sk->sk_protocol == PROTOCOL_UDP && of->sk_type == SOCK_DGRAM;
}

static __always_inline const struct skb_shared_info *shared_info(const struct sk_buff *skb)
{
	return AT(skb->head + ((const struct sk_buff___udp *)skb)->end, struct skb_shared_info);
}

/* Whether a packet at a device is a fragment. @ret_is_first: whether it would be the first one */
static __always_inline bool is_fragment(const struct sk_buff *skb, bool *ret_is_first)
{
	const unsigned char *at = skb->head + skb->network_header;
	uint16_t offset;

	if (skb->protocol == bpf_htons(ETHERTYPE_IPV4)) {
		offset = MEMBER(AT(at, struct iphdr), frag_off);
		*ret_is_first = !(offset & bpf_htons(FRAGMENT_OFFSET));
		return offset & bpf_htons((MORE_FRAGMENTS | FRAGMENT_OFFSET));
	}
	if (MEMBER(AT(at, struct ipv6hdr), nexthdr) != NEXT_IS_FRAGMENT)
		return false;
	offset = MEMBER(AT(at + sizeof(struct ipv6), struct frag_hdr), frag_off);
	*ret_is_first = !(offset & bpf_htons(OFFSET_V6));
	return true;
}

/* The place of the first payload that has a page, in one number. Addresses of data are other numbers. Return: 0 if there is none */
static __always_inline uint64_t place_of_payload(const struct skb_shared_info *shared)
{
	struct fragment first;

	if (!MEMBER(shared, nr_frags) || bpf_probe_read_kernel(&first, sizeof(first), &shared->frags))
		return 0;
	return first.page << 16 ^ first.offset;
}

/* Number of bytes of payload of a packet that has its headers. */
static __always_inline uint32_t count_payload(const struct sk_buff *skb)
{
	const uint32_t headroom = (uint32_t)((uint64_t)skb->data - (uint64_t)skb->head);

	return skb->len - (skb->transport_header - headroom) - UDP_HEADER;
}

/* The pid, the name and the cgroup of the current task. Not all kernels have helper functions for this type of program. */
static __always_inline void set_sender(struct tw_sockts_egress_ts *event)
{
	const struct task_struct *task = (const void *)bpf_get_current_task_btf();

	event->pid = task->pid;
	event->cgroup = task->cgroups->dfl_cgrp->kn->id;
	bpf_probe_read_kernel(event->comm, sizeof(event->comm), task->comm);
}

/* Counts the datagrams of a packet. @ret_number: the number of the last of them. Return: false if they have no events */
static __always_inline bool choose_datagrams(struct counted *counted, const struct skb_shared_info *shared,
					     uint32_t *ret_number)
{
	const uint32_t of_packet = MEMBER(shared, gso_segs), segments = of_packet ? of_packet : 1;

	*ret_number = __sync_fetch_and_add(&counted->datagrams, segments) + segments - 1;
	if (!sockets__selects_current())
		return false;
	if (sockets__samples_number(*ret_number, segments))
		return true;
	sockets__count_unsampled(segments);
	return false;
}

/*
 * Sets the key: the number of the datagram, the last one of the packet; or what the application gets on its error queue if it has asked for
 * a time stamp of this packet.
 */
static __always_inline void set_key(struct tw_sockts_egress_ts *event, const struct counted *counted,
				    const struct skb_shared_info *shared, uint32_t number)
{
	event->key = number;
	event->key_base = (uint8_t)counted->key_base;
	if (event->tsflags & SOF_TIMESTAMPING_OPT_ID && MEMBER(shared, tx_flags) & settings.tx_flags_of_sockets) {
		event->key = MEMBER(shared, tskey);
		event->key_base = TW_SOCKTS_KEY_BASE_OPT_ID;
	}
}

static __always_inline bool wants(const struct tw_sockts_egress_ts *sent, enum tw_sockts_egress_type type,
				  uint32_t ifindex)
{
	const volatile struct tw_sockts_condition *condition = sockets__condition(TW_SOCKTS_egress_ts);
	struct tw_sockts_facts facts;

	if (!condition->n)
		return true;
	sockets__know_current(condition, &facts);
	sockets__know_task(&facts, sent->pid, sent->cgroup, sent->comm);
	facts.type = type;
	facts.ifindex = ifindex;
	return tw_sockts_condition__passes(condition, (const struct tw_sockts_socket *)sent, &facts);
}

/* Records that a packet has reached a step. @time: of the step, by the stream's clock; 0 = now */
static __always_inline void record_step(const struct sent *sent, enum tw_sockts_egress_type type,
					enum tw_sockts_hook hook, uint32_t ifindex, uint64_t time)
{
	struct tw_sockts_egress_ts *event;

	if (!wants(&sent->event, type, ifindex))
		return;
	event = sockets__reserve(sizeof(*event));
	if (!event)
		return;
	__builtin_memcpy(event, &sent->event, sizeof(*event));
	sockets__set_common(&event->common, TW_SOCKTS_ID_egress_ts);
	event->type = type;
	event->hook = hook;
	event->ifindex = ifindex;
	event->software = time ? time : sockets__time(event);
	sockets__submit(event);
}

/* A socket is created, so its datagrams are counted from the first one. */
static __always_inline int begin_counting(struct bpf_sock *sk)
{
	const struct counted begin = { .key_base = TW_SOCKTS_KEY_BASE_FIRST };

	if (sk->protocol == PROTOCOL_UDP && sk->type == SOCK_DGRAM)
		bpf_sk_storage_get(&udp_sockets, sk, (void *)&begin, BPF_SK_STORAGE_GET_F_CREATE);
	return 1;
}

/* A task begins to send. Its datagram is not known yet, so the event is made when it is complete. */
static __always_inline int begin_sendmsg(const struct sock *sk, size_t size)
{
	const uint64_t task = bpf_get_current_pid_tgid();
	const struct begun now = { .skaddr = (uint64_t)sk, .time = sockets__now(), .bytes = (uint32_t)size };
	struct begun *begun = bpf_map_lookup_elem(&udp_begun, &task);

	if (begun)
		*begun = now;
	else
		bpf_map_update_elem(&udp_begun, &task, &now, BPF_ANY);
	return 0;
}

static __always_inline void record_begin(struct sent *sent)
{
	const uint64_t task = bpf_get_current_pid_tgid();
	struct begun *begun = settings.has_udp_entry ? bpf_map_lookup_elem(&udp_begun, &task) : NULL;
	const uint32_t bytes = sent->event.bytes;

	if (!begun || begun->skaddr != sent->event.skaddr)
		return;
	begun->skaddr = 0;
	sent->event.bytes = begun->bytes;
	record_step(sent, TW_SOCKTS_EGRESS_SENDMSG_ENTRY, TW_SOCKTS_HOOK_FUNCTION, 0, begun->time);
	sent->event.bytes = bytes;
}

/*
 * Keeps a datagram that is complete and has events, and records it. @sent: its flow, and the socket's address, cookie and namespace are set
 * @hook: of the program
 */
static __always_inline void keep(struct sent *sent, struct counted *counted, struct sk_buff *skb, uint32_t tsflags,
				 enum tw_sockts_hook hook)
{
	const struct skb_shared_info *shared = shared_info(skb);
	struct tw_sockts_egress_ts *event = &sent->event;
	uint64_t data = (uint64_t)skb->head;
	uint32_t number;

	if (!choose_datagrams(counted, shared, &number))
		return;
	event->tsflags = tsflags;
	event->bytes = count_payload(skb);
	event->phc = -1;
	event->sample = (uint16_t)sockets__sample();
	set_sender(event);
	set_key(event, counted, shared, number);
	sent->gso_size = MEMBER(shared, gso_size);
	sent->payload = place_of_payload(shared);
	bpf_map_update_elem(&udp_sent, &data, sent, BPF_ANY);
	if (sent->gso_size && sent->payload)
		bpf_map_update_elem(&udp_sent, &sent->payload, sent, BPF_ANY);
	record_begin(sent);
	record_step(sent, TW_SOCKTS_EGRESS_SENDMSG, hook, 0, 0);
}

/*
 * Whether what is kept belongs to a packet, and not to an earlier one at the same place. Only the first fragment of a datagram does, which
 * is smaller than the datagram.
 */
static __always_inline bool is_same(const struct sent *sent, const struct sk_buff *skb, uint64_t payload)
{
	bool is_first;

	if (!sent || sent->event.skaddr != (uint64_t)skb->sk || sent->payload != payload)
		return false;
	return !is_fragment(skb, &is_first) || (is_first && sent->event.bytes > count_payload(skb));
}

/* The first of the datagrams that the kernel has separated. From now on, it has an address of its own. */
static __always_inline const struct sent *find_separated(const struct sk_buff *skb, uint64_t data, uint64_t payload)
{
	const struct sent *of_all = bpf_map_lookup_elem(&udp_sent, &payload);
	struct sent first;

	if (!of_all || !is_same(of_all, skb, payload))
		return NULL;
	first = *of_all;
	if (first.event.bytes > first.gso_size)
		first.event.bytes = first.gso_size;
	first.gso_size = 0;
	bpf_map_delete_elem(&udp_sent, &payload); /* the page will have other payload */
	bpf_map_update_elem(&udp_sent, &data, &first, BPF_ANY);
	return bpf_map_lookup_elem(&udp_sent, &data);
}

/* Whether a device passes its packets to another one, as a bridge does. */
static __always_inline bool is_stacked(const struct net_device *dev)
{
	return ((const struct net_device___udp *)dev)->lower_level > 1;
}

/* The last device sends a packet. Its memory will be that of others, also of datagrams that were separated, which are not kept. */
static __always_inline void forget(const struct sent *sent, uint64_t data)
{
	const uint64_t payload = sent->gso_size ? sent->payload : 0;

	bpf_map_delete_elem(&udp_sent, &data);
	if (payload)
		bpf_map_delete_elem(&udp_sent, &payload);
}

/* A packet is passed to a device, or sent. Of IP fragments, and of datagrams that the kernel has separated, only the first one is found. */
static __always_inline int follow_packet(struct sk_buff *skb, enum tw_sockts_egress_type type)
{
	const uint64_t data = (uint64_t)skb->head;
	const struct net_device *dev = skb->dev;
	const struct skb_shared_info *shared;
	const struct sent *sent;
	uint64_t payload;
	uint32_t gso_size;

	if (!is_udp(skb->sk) || !dev)
		return 0;
	shared = shared_info(skb);
	gso_size = MEMBER(shared, gso_size);
	payload = place_of_payload(shared);
	sent = bpf_map_lookup_elem(&udp_sent, &data);
	if (!is_same(sent, skb, payload) || sent->gso_size != gso_size)
		sent = payload && !gso_size ? find_separated(skb, data, payload) : NULL;
	if (!sent)
		return 0;
	record_step(sent, type, TW_SOCKTS_HOOK_TRACEPOINT, (uint32_t)dev->ifindex, 0);
	if (type == TW_SOCKTS_EGRESS_SND_SW && !is_stacked(dev))
		forget(sent, data);
	return 0;
}

/* As BPF_PROG(), which does not expand its first argument. */
#define PROGRAM(name, args...) BPF_PROG(name, args)

SEC("cgroup/sock_create")
int NAME(socket)(struct bpf_sock *sk)
{
	return begin_counting(sk);
}

SEC("tp_btf/net_dev_queue")
int PROGRAM(NAME(sched), struct sk_buff *skb)
{
	return follow_packet(skb, TW_SOCKTS_EGRESS_SCHED);
}

SEC("tp_btf/net_dev_start_xmit")
int PROGRAM(NAME(sent), struct sk_buff *skb)
{
	return follow_packet(skb, TW_SOCKTS_EGRESS_SND_SW);
}

SEC("fentry/udp_sendmsg")
int PROGRAM(NAME(entry), struct sock *sk, void *msg, size_t size)
{
	/* IPv6 sockets send to IPv4 addresses by this function, too. */
	return sk->__sk_common.skc_family == FAMILY_INET ? begin_sendmsg(sk, size) : 0;
}

SEC("fentry/udpv6_sendmsg")
int PROGRAM(NAME(entry_v6), struct sock *sk, void *msg, size_t size)
{
	return begin_sendmsg(sk, size);
}

#endif
