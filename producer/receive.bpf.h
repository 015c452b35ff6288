/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What BPF programs read of received packets and of the sockets that receive them. Each folder of programs defines the parts of the
 * kernel's structures that it reads, so the structures have names of their own here. libbpf ignores ___ and what follows.
 */
#ifndef TW_RECEIVE_BPF_H
#define TW_RECEIVE_BPF_H

#include <stdbool.h>
#include <stdint.h>

#include <bpf/bpf_core_read.h>

#include "producer/packet_headers.bpf.h"
#include "producer/readable.bpf.h"

#define NETFILTER_ACCEPT 1 /* what a program at a netfilter hook returns */

struct sk_buff;
struct sock;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sk_buff___received {
	int64_t tstamp;
	uint8_t tstamp_type : 2;
};

/* Before Linux 6.11 */
struct sk_buff___before {
	uint8_t mono_delivery_time : 1;
};

struct sk_buff_head___received {
	struct sk_buff *prev;
};

struct sock_common___receiver {
	unsigned short skc_family;
};

struct sock___receiver {
	struct sock_common___receiver __sk_common;
	struct sk_buff_head___received sk_receive_queue;
};

struct bpf_nf_ctx {
	const void *state;
	struct sk_buff *skb;
};

#pragma clang attribute pop

/*
 * When the kernel received a packet. Return: ns by CLOCK_REALTIME; 0 if the packet has no such stamp. The same member has the time at which
 * a packet was to be sent, by another clock, until a packet that came over lo or veth is delivered.
 */
static __always_inline int64_t receive_stamp(struct sk_buff *skb)
{
	struct sk_buff___received *received = (void *)skb;
	struct sk_buff___before *before = (void *)skb;

	if (bpf_core_field_exists(received->tstamp_type)) {
		if (BPF_CORE_READ_BITFIELD(received, tstamp_type))
			return 0;
	} else if (bpf_core_field_exists(before->mono_delivery_time)) {
		if (BPF_CORE_READ_BITFIELD(before, mono_delivery_time))
			return 0;
	}
	return received->tstamp;
}

/* Whether a socket is one of IPv4 or IPv6. */
static __always_inline bool is_internet(struct sock *sk)
{
	const unsigned short family = ((struct sock___receiver *)sk)->__sk_common.skc_family;

	return family == FAMILY_INET || family == FAMILY_INET6;
}

/* The packet that was put into the receive queue last. Return: NULL if the queue is empty */
static __always_inline struct sk_buff *last_queued(struct sock *sk)
{
	struct sock___receiver *receiver = (void *)sk;
	struct sk_buff *last = receiver->sk_receive_queue.prev;

	/* The last element of an empty list is the head of the list. */
	return (const void *)last == (const void *)&receiver->sk_receive_queue ? NULL : last;
}

#endif
