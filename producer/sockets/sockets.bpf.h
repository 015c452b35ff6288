/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to sockets. Shared by the BPF programs: structures of the kernel, the settings, the rings, and the parts of records that all
 * events have. Each file of programs becomes an object, together with sockets.bpf.c, which has the maps; objects.c lets all objects use the
 * same ones.
 *
 * A program makes an event like this, if its condition is true (conditions.bpf.h):
 *
 *     struct tw_sockts_drop *event = sockets__reserve_for(&flow, TW_SOCKTS_ID_drop, sizeof(*event));
 *
 *     if (!event)
 *             return 0;
 *     ...
 *     sockets__submit(event);
 *
 * A program can be interrupted by another one on the same CPU, so counters are changed by atomic operations.
 */
#ifndef TW_SOCKETS_BPF_H
#define TW_SOCKETS_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "producer/packet_headers.bpf.h"
#include "producer/readable.bpf.h"
#include "producer/sockets/record.h"

#define STATE_CLOSE 7 /* TCP_CLOSE, which sockets of other protocols have, too */

#pragma clang diagnostic ignored "-Wunused-parameter" /* by BPF_PROG() */

/* The parts of the kernel's structures that are read; libbpf adapts the offsets to the running kernel. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct net {
	uint64_t net_cookie;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct in6_addr {
	uint32_t words[4];
};

struct net_device {
	int ifindex;
	possible_net_t nd_net;
};

typedef struct {
	int64_t counter;
} atomic64_t;

struct sock_common {
	uint32_t skc_daddr, skc_rcv_saddr;
	uint16_t skc_dport, skc_num;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
	atomic64_t skc_cookie;
};

struct sock {
	struct sock_common __sk_common;
	uint16_t sk_protocol;
};

struct inet_sock {
	uint16_t inet_sport;
};

struct sk_buff {
	struct net_device *dev;
	struct sock *sk;
	unsigned int len;
	unsigned char *head, *data;
	uint16_t transport_header, network_header;
	uint16_t protocol;
	int skb_iif;
};

#pragma clang attribute pop

/* The selected tasks, by their ids. */
struct sockets_tasks {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* objects.c creates the real map */
	__type(key, uint32_t);
	__type(value, uint32_t);
};

/* The PTP hardware clock of each device that has one. */
struct sockets_phcs {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* phcs.c creates the real map */
	__type(key, struct tw_sockts_device);
	__type(value, int32_t);
};

extern struct sockets_tasks tasks SEC(".maps");
extern struct sockets_phcs phcs SEC(".maps");
extern struct tw_sockts_cpu cpus[TW_SOCKTS_CPUS_MAX];
extern const volatile struct tw_sockts_settings settings;

/* Whether an event is recorded; programs that make several events ask */
static __always_inline bool sockets__is_on(enum tw_sockts_event event)
{
	return settings.events & 1u << event;
}

/* The time by the stream's clock, ns */
static __always_inline uint64_t sockets__now(void)
{
	if (settings.clock == TW_SOCKTS_CLOCK_BOOT)
		return bpf_ktime_get_boot_ns();
	if (settings.clock == TW_SOCKTS_CLOCK_TAI)
		return bpf_ktime_get_tai_ns();
	return bpf_ktime_get_ns();
}

/*
 * Whether the current task belongs to the run itself; the events of such a task are left out. Only for programs that are called by the task
 * whose event it is: the programs of an interrupt find the task that is interrupted.
 */
static __always_inline bool sockets__is_own(void)
{
	return settings.own_tgid && bpf_get_current_pid_tgid() >> 32 == settings.own_tgid;
}

static __always_inline bool sockets__is_address(const uint8_t *address, const volatile uint32_t *own)
{
	const uint32_t *words = (const uint32_t *)(const void *)address;

	return words[0] == own[0] && words[1] == own[1] && words[2] == own[2] && words[3] == own[3];
}

/* The same for a received datagram. Without this, each frame to a capture host on this machine would make events, and these make frames. */
static __always_inline bool sockets__is_own_datagram(const struct tw_sockts_socket *flow)
{
	const volatile struct tw_sockts_own_flow *own = &settings.own_flow;

	if (!own->ports[0])
		return false;
	if (flow->sport == own->ports[0] && flow->dport == own->ports[1])
		return sockets__is_address(flow->saddrv6, own->addresses[0]) &&
		       sockets__is_address(flow->daddrv6, own->addresses[1]);
	return flow->sport == own->ports[1] && flow->dport == own->ports[0] &&
	       sockets__is_address(flow->saddrv6, own->addresses[1]) &&
	       sockets__is_address(flow->daddrv6, own->addresses[0]);
}

/* Whether messages of a task are selected. @pid: in memory of the program */
static __always_inline bool sockets__selects_task(const uint32_t *pid)
{
	return !settings.has_tasks || bpf_map_lookup_elem(&tasks, pid);
}

/* The same for the current task */
static __always_inline bool sockets__selects_current(void)
{
	const uint32_t pid = (uint32_t)bpf_get_current_pid_tgid();

	return sockets__selects_task(&pid);
}

/* The counters of this CPU; NULL if it has no ring */
static __always_inline struct tw_sockts_cpu *sockets__this_cpu(uint32_t *ret_number)
{
	const uint32_t number = bpf_get_smp_processor_id();
	struct tw_sockts_cpu *of_cpu;

	if (number >= TW_SOCKTS_CPUS_MAX)
		return NULL;
	of_cpu = &cpus[number];
	/* Verifiers of older kernels know the limits of the number here, but not if the compiler loads it again from the stack. */
	barrier_var(of_cpu);
	*ret_number = number;
	return of_cpu;
}

#include "producer/sockets/sampling.bpf.h"

#include "producer/sockets/rings.bpf.h"

/*
 * Sets the common fields of a record whose bytes are 0. common_flags stay 0: a program cannot read on all kernels whether it is called in an
 * interrupt.
 */
static __always_inline void sockets__set_common(struct tw_sockts_common *common, enum tw_sockts_id id)
{
	common->common_type = (uint16_t)id;
	common->common_pid = (int32_t)bpf_get_current_pid_tgid();
}

/*
 * Reserves a record of @size bytes, a constant, and sets the fields that all events have; the others are 0. @flow: its fields of the socket
 * Return: NULL if the ring is full; the loss is counted
 */
static __always_inline void *sockets__reserve_for(const struct tw_sockts_socket *flow, enum tw_sockts_id id,
						  uint32_t size)
{
	struct tw_sockts_socket *event = sockets__reserve(size);

	if (!event)
		return NULL;
	*event = *flow;
	__builtin_memset(event + 1, 0, size - sizeof(*flow));
	sockets__set_common(&event->common, id);
	return event;
}

/* Makes an IPv4-mapped IPv6 address. */
static __always_inline void sockets__map_address(uint8_t *v6, const uint8_t *v4)
{
	__builtin_memset(v6, 0, 10);
	v6[10] = v6[11] = 0xff;
	__builtin_memcpy(v6 + 12, v4, 4);
}

/* The local port of a socket of any kind. When a socket has been closed, the kernel has set skc_num to 0, but still sends and receives. */
static __always_inline uint16_t sockets__local_port(struct sock *sk)
{
	const struct sock_common *of = &sk->__sk_common;

	if (of->skc_num || of->skc_state != STATE_CLOSE ||
	    (of->skc_family != FAMILY_INET && of->skc_family != FAMILY_INET6))
		return of->skc_num;
	return bpf_ntohs(BPF_CORE_READ((struct inet_sock *)sk, inet_sport));
}

/*
 * Sets the fields of the socket in a record whose bytes are 0. @event: the record, whose first fields are the same for all events
 * @sk: a pointer whose members can be read directly. It may be of any kind, such as a request socket, because of those that are not closed,
 * only members of struct sock_common are read. @cookie: from bpf_get_socket_cookie(), whose argument depends on the type of the program
 */
static __always_inline void sockets__set_identity(void *event, struct sock *sk, uint64_t cookie, uint16_t protocol)
{
	const struct sock_common *of = &sk->__sk_common;
	struct tw_sockts_socket *to = event;

	to->skaddr = (uint64_t)sk;
	to->cookie = cookie;
	to->netns_cookie = of->skc_net.net->net_cookie;
	to->family = of->skc_family;
	to->protocol = protocol;
	to->sport = sockets__local_port(sk);
	to->dport = bpf_ntohs(of->skc_dport);
	if (to->family == FAMILY_INET) {
		const uint32_t local = of->skc_rcv_saddr, remote = of->skc_daddr;

		__builtin_memcpy(to->saddr, &local, sizeof(to->saddr));
		__builtin_memcpy(to->daddr, &remote, sizeof(to->daddr));
		sockets__map_address(to->saddrv6, to->saddr);
		sockets__map_address(to->daddrv6, to->daddr);
	} else if (to->family == FAMILY_INET6) {
		const struct in6_addr local = of->skc_v6_rcv_saddr, remote = of->skc_v6_daddr;

		__builtin_memcpy(to->saddrv6, &local, sizeof(to->saddrv6));
		__builtin_memcpy(to->daddrv6, &remote, sizeof(to->daddrv6));
	}
}

/* How the bytes of a packet are read. The functions below get a constant. */
enum sockets_access {
	SOCKETS_BY_HELPER,
	SOCKETS_DIRECTLY, /* takes less time; since Linux 6.2 */
};

/* What is read of the headers of a packet. */
struct sockets_headers {
	const unsigned char *next; /* the header after the IP header; NULL = there is no IP header */
	uint32_t
		length; /* of the IP packet with its headers, by its IP header; 0 in large packets that the kernel has put together */
	bool has_more_fragments;
	bool has_transport; /* @transport was read: the packet has its first bytes */
	union {
		struct tcp transport; /* the header at @next; of UDP and SCTP, only the ports are valid */
		uint64_t words[2];
	};
};

/* The first bytes of an IP header. */
union sockets_ip {
	struct ipv4 v4;
	struct ipv6 v6;
	uint64_t words[5];
};

/* Copies @size bytes of a packet; copying directly, up to 7 more, for which there must be room. Return: whether they could be read */
static __always_inline bool sockets__copy(void *to, const void *at, uint32_t size, enum sockets_access access)
{
	if (access == SOCKETS_BY_HELPER)
		return !bpf_probe_read_kernel(to, size, at);
	copy_readable(to, at, (size + 7) / 8 * 8);
	return true;
}

/* Sets the family, the protocol and the addresses. @event and @ret as below. Return: whether the packet begins with a transport header */
static __always_inline bool sockets__set_addresses(struct tw_sockts_socket *to, struct sk_buff *skb,
						   const unsigned char *at, bool reversed, struct sockets_headers *ret,
						   enum sockets_access access)
{
	uint8_t *const from = reversed ? to->daddr : to->saddr, *const onto = reversed ? to->saddr : to->daddr;
	uint8_t *const from_v6 = reversed ? to->daddrv6 : to->saddrv6, *const onto_v6 =
									       reversed ? to->saddrv6 : to->daddrv6;
	const uint16_t network = skb->network_header, transport = skb->transport_header;
	const unsigned char *const head = skb->head;
	union sockets_ip ip;

	if (skb->protocol == bpf_htons(ETHERTYPE_IPV4)) {
		if (!sockets__copy(&ip, at, sizeof(ip.v4), access) || ip.v4.version_length >> 4 != 4)
			return false;
		to->family = FAMILY_INET;
		to->protocol = ip.v4.protocol;
		__builtin_memcpy(from, ip.v4.saddr, sizeof(ip.v4.saddr));
		__builtin_memcpy(onto, ip.v4.daddr, sizeof(ip.v4.daddr));
		sockets__map_address(to->saddrv6, to->saddr);
		sockets__map_address(to->daddrv6, to->daddr);
		ret->length = bpf_ntohs(ip.v4.length);
		ret->has_more_fragments = ip.v4.fragment & bpf_htons(MORE_FRAGMENTS);
		ret->next = at + (ip.v4.version_length & 15) * 4u;
		return !(ip.v4.fragment & bpf_htons(FRAGMENT_OFFSET));
	}
	if (skb->protocol != bpf_htons(ETHERTYPE_IPV6) || !sockets__copy(&ip, at, sizeof(ip.v6), access) ||
	    ip.v6.version_class >> 4 != 6)
		return false;
	to->family = FAMILY_INET6;
	to->protocol = ip.v6.next_header;
	__builtin_memcpy(from_v6, ip.v6.saddr, sizeof(ip.v6.saddr));
	__builtin_memcpy(onto_v6, ip.v6.daddr, sizeof(ip.v6.daddr));
	ret->length = ip.v6.length ? bpf_ntohs(ip.v6.length) + (uint32_t)sizeof(ip.v6) : 0;
	/* after extension headers, the kernel knows where the transport header is */
	ret->next = at + sizeof(ip.v6);
	if (at == head + network && transport > network + sizeof(ip.v6) && transport != UINT16_MAX)
		ret->next = head + transport;
	return true;
}

/*
 * Sets the addresses, the ports and the protocol in a record from the headers of a packet. @event: as above; @at: the IP header
 * @reversed: the packet came from the other side, so its source is the destination in the record
 * @ret: all 0 before
 */
static __always_inline void sockets__set_flow_at(void *event, struct sk_buff *skb, const unsigned char *at,
						 bool reversed, struct sockets_headers *ret, enum sockets_access access)
{
	struct tw_sockts_socket *to = event;

	if (!sockets__set_addresses(to, skb, at, reversed, ret, access) ||
	    (to->protocol != PROTOCOL_TCP && to->protocol != PROTOCOL_UDP && to->protocol != PROTOCOL_SCTP) ||
	    !sockets__copy(&ret->transport, ret->next, sizeof(ret->transport), access))
		return;
	ret->has_transport = true;
	to->sport = bpf_ntohs(reversed ? ret->transport.dport : ret->transport.sport);
	to->dport = bpf_ntohs(reversed ? ret->transport.sport : ret->transport.dport);
}

/* The same for a packet whose place of the IP header is set: after the device that received it, or before the one that sends it. */
static __always_inline void sockets__set_flow(void *event, struct sk_buff *skb, bool reversed,
					      struct sockets_headers *ret)
{
	sockets__set_flow_at(event, skb, skb->head + skb->network_header, reversed, ret, SOCKETS_BY_HELPER);
}

/* The namespace of a packet without socket */
static __always_inline uint64_t sockets__netns_of(struct sk_buff *skb)
{
	const struct net_device *dev = skb->dev;

	return dev ? dev->nd_net.net->net_cookie : 0;
}

/* The number of the PTP hardware clock that makes a device's time stamps; -1 = unknown */
static __always_inline int16_t sockets__phc_of(const struct net_device *dev)
{
	const struct tw_sockts_device key = { .netns_cookie = dev->nd_net.net->net_cookie,
					      .ifindex = (uint32_t)dev->ifindex };
	const int32_t *phc = bpf_map_lookup_elem(&phcs, &key);

	return phc ? (int16_t)*phc : -1;
}

#include "producer/sockets/cgroups.bpf.h"
#include "producer/sockets/conditions.bpf.h"

#endif
