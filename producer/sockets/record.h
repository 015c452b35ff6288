/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of socket events, shared by the BPF programs and this process. For each event there is one list of fields. The struct that a
 * program fills and the format text (formats.c) are made from it. A record is laid out like the records of a trace ring: it begins with the
 * kernel's common fields, and its numbers have the byte order of the host.
 *
 * A list of fields calls S(type, name) for a number, A(type, name, n) for an array, and P(name) for an address in the kernel.
 */
#ifndef TW_SOCKETS_RECORD_H
#define TW_SOCKETS_RECORD_H

#include <linux/types.h>
#include <stdbool.h>

#include "schema/socket_events.h"

/* Ids and names of the events. The kernel numbers its own events upwards from small numbers, and does not use these ids. */
#define TW_SOCKTS_LIST(X)       \
	X(0xff00, egress_ts)    \
	X(0xff01, egress_stats) \
	X(0xff02, ingress_ts)   \
	X(0xff03, held)         \
	X(0xff04, icmp_echo)    \
	X(0xff05, tcp_reset)    \
	X(0xff06, drop)         \
	X(0xff07, ecn_ce)

enum tw_sockts_id {
#define X(id, name) TW_SOCKTS_ID_##name = (id),
	TW_SOCKTS_LIST(X)
#undef X
};

/* Numbers of the events, for tables and bits. */
enum tw_sockts_event {
#define X(id, name) TW_SOCKTS_##name,
	TW_SOCKTS_LIST(X)
#undef X
		TW_SOCKTS_EVENTS,
};

#define TW_SOCKTS_DEV_LEN 16

/*
 * The socket. Addresses and ports as in sock:inet_sock_set_state: ports in host byte order, and an IPv4 address is also in the IPv6 field,
 * as a mapped address.
 */
#define TW_SOCKTS_IDENTITY(S, A, P) \
	P(skaddr)                   \
	S(__u64, cookie)            \
	S(__u64, netns_cookie)      \
	S(__u16, family)            \
	S(__u16, protocol)          \
	S(__u16, sport)             \
	S(__u16, dport)             \
	A(__u8, saddr, 4)           \
	A(__u8, daddr, 4)           \
	A(__u8, saddrv6, 16)        \
	A(__u8, daddrv6, 16)

#define TW_SOCKTS_FIELDS_egress_ts(S, A, P)                                     \
	TW_SOCKTS_IDENTITY(S, A, P)                                             \
	S(__u32, tsflags)                                                       \
	S(__u8, type)          /* enum tw_sockts_egress_type */                 \
	S(__u8, key_base)      /* enum tw_sockts_key_base */                    \
	S(__u16, transmission) /* 0 = the first */                              \
	S(__u32, key)                                                           \
	S(__u32, seq) /* of TCP: absolute sequence number of the last byte */   \
	S(__u32, bytes)                                                         \
	S(__u32, ifindex)                                                       \
	S(__u64, software) /* time stamp by the stream's clock, ns */           \
	S(__u64, hardware) /* time of the PTP hardware clock, ns; 0 = none */   \
	S(__u64, cgroup)   /* id of the sender's cgroup */                      \
	S(__s32, pid)      /* of the sender */                                  \
	S(__s16, phc)      /* number of the PTP hardware clock; -1 = unknown */ \
	S(__u16, sample)   /* one in this number of messages has events */      \
	S(__u8, hook)                                                           \
	A(char, comm, TW_SOCKTS_COMM_LEN) /* of the sender */

/* The state of the connection when data were acknowledged: what SOF_TIMESTAMPING_OPT_STATS gives to an application. */
#define TW_SOCKTS_FIELDS_egress_stats(S, A, P)                                         \
	TW_SOCKTS_IDENTITY(S, A, P)                                                    \
	S(__u32, key)                                                                  \
	S(__u32, seq)                                                                  \
	S(__u64, busy_us)                                                              \
	S(__u64, rwnd_limited_us)                                                      \
	S(__u64, sndbuf_limited_us)                                                    \
	S(__u64, pacing_rate)   /* bytes/s; 2^64-1 = not limited */                    \
	S(__u64, delivery_rate) /* bytes/s */                                          \
	S(__u64, bytes_acked)                                                          \
	S(__u64, bytes_sent)                                                           \
	S(__u64, bytes_retrans)                                                        \
	S(__u32, srtt_us)                                                              \
	S(__u32, min_rtt_us)                                                           \
	S(__u32, cwnd)                                                                 \
	S(__u32, ssthresh)                                                             \
	S(__u32, delivered)                                                            \
	S(__u32, delivered_ce)                                                         \
	S(__u32, lost)                                                                 \
	S(__u32, data_segs_out)                                                        \
	S(__u32, retransmits)                                                          \
	S(__u32, reordering)                                                           \
	S(__u32, reord_seen)                                                           \
	S(__u32, dsack_dups)                                                           \
	S(__u32, sndq_size) /* bytes sent or to send that are not acknowledged */      \
	S(__u32, bytes_notsent)                                                        \
	S(__u32, peer_elapsed) /* ticks of the peer's TCP time stamps since its SYN */ \
	S(__u16, timeout_rehash)                                                       \
	S(__u8, recur_retrans) /* timeouts in a row */                                 \
	S(__u8, app_limited)   /* 1 = the application limited delivery_rate */         \
	S(__u8, ca_state)                                                              \
	S(__u8, hook)

#define TW_SOCKTS_FIELDS_ingress_ts(S, A, P)                                     \
	TW_SOCKTS_IDENTITY(S, A, P)                                              \
	S(__u8, type)    /* enum tw_sockts_ingress_type */                       \
	S(__u8, hole)    /* 1 = waited for an earlier segment */                 \
	S(__u8, backlog) /* 1 = went through the socket's backlog */             \
	S(__u8, ksoftirqd)                                                       \
	S(__u32, key) /* TCP: as seq; UDP: number of the datagram in its flow */ \
	S(__u32, seq) /* of TCP: absolute sequence number of the last byte */    \
	S(__u32, bytes)                                                          \
	S(__u64, software) /* time of the step by the stream's clock, ns */      \
	S(__u64, hardware)                                                       \
	S(__u64, cgroup) /* id of the reader's cgroup */                         \
	S(__u32, ifindex)                                                        \
	S(__s32, pid) /* of the reader */                                        \
	S(__s16, phc)                                                            \
	S(__u16, sample) /* as in egress_ts */                                   \
	S(__u8, hook)                                                            \
	A(char, dev, TW_SOCKTS_DEV_LEN)                                          \
	A(char, comm, TW_SOCKTS_COMM_LEN) /* of the reader */

/* Data of TCP that a program sent have waited. */
#define TW_SOCKTS_FIELDS_held(S, A, P)                                                 \
	TW_SOCKTS_IDENTITY(S, A, P)                                                    \
	S(__u64, since)  /* when the wait began, by the stream's clock, ns */          \
	S(__u64, waited) /* its length, ns */                                          \
	S(__u32, seq)    /* absolute sequence number of the first byte that waited */  \
	S(__u32, bytes)  /* that waited when the kernel was last asked; 0 = unknown */ \
	S(__u8, reason)  /* enum tw_sockts_held_reason */                              \
	S(__u8, hook)    /* of the end of the wait */

/* The ports are 0. */
#define TW_SOCKTS_FIELDS_icmp_echo(S, A, P)                                            \
	TW_SOCKTS_IDENTITY(S, A, P)                                                    \
	S(__u64, rtt)   /* of a reply: since its request was passed to a device, ns */ \
	S(__u32, bytes) /* with the ICMP header */                                     \
	S(__u32, ifindex)                                                              \
	S(__u16, id)                                                                   \
	S(__u16, seq)                                                                  \
	S(__u8, type) /* enum tw_sockts_echo_type */                                   \
	S(__u8, hook)

/* A packet with the ECN bits CE. */
#define TW_SOCKTS_FIELDS_ecn_ce(S, A, P)                                \
	TW_SOCKTS_IDENTITY(S, A, P)                                     \
	S(__u32, bytes) /* with the IP header */                        \
	S(__u32, ifindex)                                               \
	S(__u16, segments) /* packets that the kernel handles as one */ \
	S(__u8, direction) /* enum tw_sockts_direction */               \
	S(__u8, hook)

#define TW_SOCKTS_FIELDS_tcp_reset(S, A, P)                                 \
	TW_SOCKTS_IDENTITY(S, A, P)                                         \
	S(__u32, reason) /* the kernel's enum sk_rst_reason; 0 = unknown */ \
	S(__u32, seq)                                                       \
	S(__u8, direction) /* enum tw_sockts_direction */                   \
	S(__u8, hook)

/* The addresses and ports are those of the packet. */
#define TW_SOCKTS_FIELDS_drop(S, A, P)                           \
	TW_SOCKTS_IDENTITY(S, A, P)                              \
	P(location)                                              \
	S(__u32, ifindex)                                        \
	S(__u32, bytes)                                          \
	S(__u16, reason) /* the kernel's enum skb_drop_reason */ \
	S(__u8, hook)

/* The first fields of each record of the kernel. */
struct tw_sockts_common {
	__u16 common_type;
	__u8 common_flags;
	__u8 common_preempt_count;
	__s32 common_pid;
};

#define S(type, name)    type name;
#define A(type, name, n) type name[n];
#define P(name)          __u64 name;
#define X(id, event)                              \
	struct tw_sockts_##event {                \
		struct tw_sockts_common common;   \
		TW_SOCKTS_FIELDS_##event(S, A, P) \
	};
TW_SOCKTS_LIST(X)

/* The first fields of the records of all events. */
struct tw_sockts_socket {
	struct tw_sockts_common common;
	TW_SOCKTS_IDENTITY(S, A, P)
};
#undef X
#undef P
#undef A
#undef S

/*
 * A ring is an array of slots that programs write and this process reads, through the same memory. A slot has this head and one record.
 * Slots are numbered from 0 in the order of their reservation; number n is element n modulo the number of slots.
 */
struct tw_sockts_head {
	__u64 state; /* TW_SOCKTS_COMPLETE(number of the slot) when the record is complete; before, that with TW_SOCKTS_BUSY or an older one */
	__u64 time;  /* when the slot was reserved, by the stream's clock, ns */
	__u64 lost;  /* number of events that this CPU had lost until then, because its ring was full */
	__u32 len;   /* bytes of the record */
	__u32 unused;
};

#define TW_SOCKTS_SLOT_SIZE        256            /* the head and the longest record */
#define TW_SOCKTS_COMPLETE(number) ((number) + 1) /* memory that was never written is not complete */
#define TW_SOCKTS_BUSY             (1ull << 63)

#define TW_SOCKTS_CPUS_MAX   1024
#define TW_SOCKTS_SAMPLE_MAX UINT16_MAX /* by the field `sample` */

/* The counters of one CPU, which programs and this process share. Each side writes a cache line of its own. */
struct tw_sockts_cpu {
	__u64 reserved;  /* slots; each gets a record */
	__u64 lost;      /* events for which the ring had no room */
	__u64 unsampled; /* messages that have no events because of @sample */
	__u64 consumed __attribute__((
		aligned(64))); /* slots that may be written again; set by this process, as all from here */
	__u32 wants_wakeup;    /* 1 = the reader sleeps until the next event; cleared by the program that wakes it */
	__u32 sample;          /* one in this number of messages has events. 0 = all have */
} __attribute__((aligned(64)));

/* A network device: its network namespace and its index there. */
struct tw_sockts_device {
	__u64 netns_cookie;
	__u32 ifindex;
	__u32 unused;
};

/* The stream's clock, for the programs. */
enum tw_sockts_clock { TW_SOCKTS_CLOCK_MONO, TW_SOCKTS_CLOCK_BOOT, TW_SOCKTS_CLOCK_TAI };

/*
 * What a program knows of an event before it makes the record. The names are those of the record's fields. SOCKET(name): a member of struct
 * tw_sockts_socket; OTHER(name): one of struct tw_sockts_facts.
 */
#define TW_SOCKTS_FACT_LIST(SOCKET, OTHER) \
	SOCKET(cookie)                     \
	SOCKET(netns_cookie)               \
	SOCKET(family)                     \
	SOCKET(protocol)                   \
	SOCKET(sport)                      \
	SOCKET(dport)                      \
	SOCKET(saddr)                      \
	SOCKET(daddr)                      \
	SOCKET(saddrv6)                    \
	SOCKET(daddrv6)                    \
	OTHER(cgroup)                      \
	OTHER(type)                        \
	OTHER(direction)                   \
	OTHER(reason)                      \
	OTHER(ifindex)                     \
	OTHER(pid)                         \
	OTHER(common_pid)                  \
	OTHER(comm)

enum tw_sockts_fact {
#define X(name) TW_SOCKTS_FACT_##name,
	TW_SOCKTS_FACT_LIST(X, X)
#undef X
		TW_SOCKTS_FACTS,
};

struct tw_sockts_facts {
	__u64 cgroup;
	__u32 type, direction, reason, ifindex;
	__s32 pid, common_pid;
	char comm[TW_SOCKTS_COMM_LEN]; /* zeros after the name */
};

/*
 * A test of a fact. If it has up to 8 bytes: (number & mask[0]) - value[0] <= value[1], modulo 2^64 (struct tw_range of filter/compare.h). If
 * it has 16 bytes: two words, of which each, with its mask, equals its value.
 */
struct tw_sockts_test {
	__u8 is_of_socket; /* 1 = a member of struct tw_sockts_socket, 0 = of struct tw_sockts_facts */
	__u8 offset, size; /* in that struct, bytes */
	__u8 is_signed;    /* of 4 bytes */
	__u8 holds, fails; /* index of the next test, which is a later one, or one of the results below */
	__u16 unused;
	__u64 mask[2], value[2];
};

#define TW_SOCKTS_TESTS_MAX 16
#define TW_SOCKTS_PASSES    0xff
#define TW_SOCKTS_FAILS     0xfe

/* A condition that is true for all events that pass the filter, and perhaps for others. It begins with the first test. */
struct tw_sockts_condition {
	__u32 n;     /* number of tests; 0 = always true */
	__u32 facts; /* bits 1 << enum tw_sockts_fact of the facts that it compares */
	struct tw_sockts_test tests[TW_SOCKTS_TESTS_MAX];
};

static inline __attribute__((always_inline)) bool tw_sockts_test__fits(const volatile struct tw_sockts_test *test,
								       const void *of)
{
	const char *at = (const char *)of + test->offset;
	const __u64 *words = (const __u64 *)at;
	__u64 number;

	if (test->size == 16)
		return (words[0] & test->mask[0]) == test->value[0] && (words[1] & test->mask[1]) == test->value[1];
	if (test->size == 8)
		number = words[0];
	else if (test->size == 2)
		number = *(const __u16 *)at;
	else if (test->is_signed)
		number = (__u64)(__s64) * (const __s32 *)at;
	else
		number = *(const __u32 *)at;
	return (number & test->mask[0]) - test->value[0] <= test->value[1];
}

/** tw_sockts_condition__passes() - whether a condition that has tests is true. Only the facts that it compares are read */
static inline __attribute__((always_inline)) bool
tw_sockts_condition__passes(const volatile struct tw_sockts_condition *condition, const struct tw_sockts_socket *socket,
			    const struct tw_sockts_facts *facts)
{
	__u32 at = 0;

	for (__u32 i = 0; i < TW_SOCKTS_TESTS_MAX && at < TW_SOCKTS_TESTS_MAX; i++) {
		const volatile struct tw_sockts_test *test = &condition->tests[at];
		const bool fits =
			test->is_of_socket ? tw_sockts_test__fits(test, socket) : tw_sockts_test__fits(test, facts);

		at = fits ? test->holds : test->fails;
	}
	return at == TW_SOCKTS_PASSES;
}

/* The conditions of one kind of event. */
struct tw_sockts_conditions {
	struct tw_sockts_condition event;
	struct tw_sockts_condition
		socket; /* compares only facts of the socket, which are the same for all of its events */
};

#define TW_SOCKTS_CGROUPS_MAX 4

/* A selected cgroup. Its sockets, and those of the cgroups below it, have events. */
struct tw_sockts_cgroup {
	__u64 id;    /* number of its folder */
	__u32 level; /* 0 = the root */
	__u32 unused;
};

/* The two ends of the datagrams that carry the stream: this process, and a capture host, which may be on this machine. */
struct tw_sockts_own_flow {
	__u32 addresses[2][4]; /* of IPv6; of IPv4 as mapped addresses */
	__u16 ports[2];        /* in host byte order; 0 = there are no such datagrams */
	__u32 unused;
};

/* What all programs are told before they are loaded. */
struct tw_sockts_settings {
	__u32 clock;               /* enum tw_sockts_clock */
	__u32 own_tgid;            /* process of the run, whose own events are left out; 0 = none */
	__u32 events;              /* bits 1 << enum tw_sockts_event of the events that are recorded */
	__u32 has_wakes;           /* 1 = wake-ups are events, too */
	__u32 has_udp_entry;       /* 1 = there is a hook where a task begins to send a datagram */
	__u32 tx_flags_of_sockets; /* bits of skb_shared_info.tx_flags that an application can set by SO_TIMESTAMPING */
	__u32 us_per_jiffy;
	__u32 has_samples;                  /* 1 = @sample of struct tw_sockts_cpu is used */
	__u32 has_tasks;                    /* 1 = only messages of the tasks in the map `tasks` have events */
	__u32 n_cgroups;                    /* number of selected cgroups; 0 = all */
	__u32 last_slot;                    /* number of slots of each ring - 1 */
	__u32 stores_in_order;              /* 1 = by this processor, other CPUs see stores in their order, as on x86 */
	struct tw_sockts_own_flow own_flow; /* its received datagrams are left out */
	struct tw_sockts_cgroup cgroups[TW_SOCKTS_CGROUPS_MAX];
	struct tw_sockts_conditions conditions[TW_SOCKTS_EVENTS];
};

#endif
