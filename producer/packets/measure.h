/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to packets. What the programs and this process share: the events, the fields by which samples are divided, the settings. */
#ifndef TW_PACKET_MEASURE_H
#define TW_PACKET_MEASURE_H

#include "producer/kernel_pairs/samples.h"

enum tw_packet_event {
	TW_PACKET_ICMP_ECHO,
	TW_PACKET_ECN,
	TW_PACKET_QDISC_LEAF,
	TW_PACKET_IP_START,
	TW_PACKET_TCP_START,
	TW_PACKET_UDP_START,
	TW_PACKET_TCP_SOCKET_ENQUEUED,
	TW_PACKET_UDP_SOCKET_ENQUEUED,
	TW_PACKET_TCP_SOCKET_READ,
	TW_PACKET_UDP_SOCKET_READ,
	TW_PACKET_EVENTS,
};

/* Bits of the fields that an event can have. */
enum tw_packet_field {
	TW_PACKET_FAMILY = 1 << 0,
	TW_PACKET_PROTOCOL = 1 << 1,
	TW_PACKET_DIRECTION = 1 << 2,
	TW_PACKET_SADDR = 1 << 3,
	TW_PACKET_DADDR = 1 << 4,
	TW_PACKET_SPORT = 1 << 5,
	TW_PACKET_DPORT = 1 << 6,
	TW_PACKET_ID = 1 << 7,
	TW_PACKET_SEQ = 1 << 8,
	TW_PACKET_DEV = 1 << 9,
	TW_PACKET_NETNS = 1 << 10,
	TW_PACKET_PID = 1 << 11,
	TW_PACKET_COMM = 1 << 12,
	TW_PACKET_CGROUP = 1 << 13,
	TW_PACKET_KIND = 1 << 14,
	TW_PACKET_PARENT = 1 << 15,
};

#define TW_PACKET_COMM_LEN 16
#define TW_PACKET_KIND_LEN 16
#define TW_PACKET_IPV4     4
#define TW_PACKET_IPV6     6

/* The values of fields. Fields that do not divide the samples of the event are 0. */
struct tw_packet_fields {
	uint8_t saddr[16], daddr[16]; /* an IPv4 address is in the first 4 bytes */
	union {
		char comm[TW_PACKET_COMM_LEN]; /* of the task that reads */
		char kind[TW_PACKET_KIND_LEN]; /* of the queueing discipline */
	};
	uint64_t cgroup;
	uint32_t ifindex, netns;
	union {
		uint32_t pid;    /* of the task that reads */
		uint32_t parent; /* of the queueing discipline: the handle of its class */
	};
	uint16_t sport, dport, id, seq; /* in host byte order */
	uint8_t family;                 /* TW_PACKET_IPV4 or TW_PACKET_IPV6 */
	uint8_t protocol;
	uint8_t is_sent;
	uint8_t codepoint; /* ECN bits; only for TW_PACKET_ECN */
};

/* Key of the map of groups, whose values are struct tw_kernel_samples: one bucket of a group. */
struct tw_packet_cell {
	struct tw_packet_fields fields;
	uint16_t bucket; /* TW_HISTOGRAM_BUCKETS = beyond */
	uint16_t event;
	uint32_t epoch;
};

/* What identifies an ICMP echo request and its reply: the key of the map of requests. */
struct tw_packet_echo {
	uint8_t address[16]; /* of the other host */
	uint32_t netns;
	uint16_t id, seq;
	uint8_t family, unused[3];
};

/* The settings of an event. */
struct tw_packet_setting {
	struct tw_histogram_scale scale;
	uint32_t by;         /* fields that divide the samples */
	uint32_t is_divided; /* by @by, or by the codepoint */
};

#define TW_PACKET_PIDS_MAX 16

/* Packets that are measured. A number that is 0 selects all. */
struct tw_packet_selection {
	uint64_t cgroup; /* id of the cgroup of the task that reads */
	uint32_t ifindex;
	uint32_t netns;                    /* inode of the network namespace */
	uint32_t pids[TW_PACKET_PIDS_MAX]; /* threads or processes that read; @n_pids of them, 0 = any */
	uint32_t n_pids;
	bool nonempty_queue; /* only reads after which the socket still has data */
	bool blocked_reads;  /* also reads of TCP data that waited for an earlier segment */
};

/* What is known of the holes in the data that a TCP socket has received. */
struct tw_packet_hole {
	uint32_t out_of_order; /* number of segments that had arrived out of order when @until was set */
	uint32_t until;        /* sequence number: data before it have waited */
	uint32_t is_passed;    /* later data were read */
};

#endif
