/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The headers of packets, and their numbers, for BPF programs. All numbers in the headers are big-endian. */
#ifndef TW_PACKET_HEADERS_BPF_H
#define TW_PACKET_HEADERS_BPF_H

#include <stdint.h>

#define ETHERTYPE_IPV4  0x0800
#define ETHERTYPE_IPV6  0x86dd
#define PROTOCOL_ICMP   1
#define PROTOCOL_TCP    6
#define PROTOCOL_UDP    17
#define PROTOCOL_ICMPV6 58
#define PROTOCOL_SCTP   132
#define FAMILY_INET     2
#define FAMILY_INET6    10

struct ipv4 {
	uint8_t version_length, tos;
	uint16_t length, id, fragment;
	uint8_t ttl, protocol;
	uint16_t checksum;
	uint8_t saddr[4], daddr[4];
};

struct ipv6 {
	uint8_t version_class, class_flow;
	uint16_t flow, length;
	uint8_t next_header, hop_limit;
	uint8_t saddr[16], daddr[16];
};

struct icmp {
	uint8_t type, code;
	uint16_t checksum, id, seq;
};

/* The beginning of a TCP header; the ports are also those of UDP and SCTP. */
struct tcp {
	uint16_t sport, dport;
	uint32_t seq, ack_seq;
	uint8_t offset, flags;
};

#define TCP_SYN 0x02
#define TCP_ACK 0x10

struct udp {
	uint16_t sport, dport, length, checksum;
};

/* In the field `fragment` of IPv4, in host byte order */
#define MORE_FRAGMENTS  0x2000
#define FRAGMENT_OFFSET 0x1fff

#endif
