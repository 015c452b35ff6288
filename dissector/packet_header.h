/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The headers of a captured packet up to TCP, UDP, or an echo of ICMP. The plugin reads them itself: Wireshark gives the fields of its dissectors only to
 * plugins that make it build a tree of each packet, also in captures without socket events.
 */
#ifndef TW_PACKET_HEADER_H
#define TW_PACKET_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/decode.h"

#define TW_IP_ICMP   1 /* numbers of IP protocols */
#define TW_IP_TCP    6
#define TW_IP_UDP    17
#define TW_IP_ICMPV6 58

/*
 * The addresses of one direction of a connection; of an echo, those of the request, also for the reply. It is a key of a hash table, so it
 * has no padding.
 */
struct tw_packet_flow {
	uint8_t source[16], destination[16];    /* an IPv4 address as a mapped address */
	uint16_t source_port, destination_port; /* of an echo: its id, and 0 */
	uint16_t protocol;                      /* TW_IP_... */
	uint16_t zero;
};

struct tw_packet_header {
	struct tw_packet_flow flow;
	uint32_t seq; /* of TCP: absolute sequence number of the first byte of payload; of an echo, its number */
	uint32_t len; /* bytes of payload */
	bool syn;
	bool reply; /* it is the reply to an echo */
};

/* What the headers of a packet begin with. */
enum tw_link_type {
	TW_LINK_OTHER, /* not supported */
	TW_LINK_ETHERNET,
	TW_LINK_NULL, /* four bytes of address family; BSD loopback */
	TW_LINK_RAW,  /* the IP header */
	TW_LINK_SLL,
	TW_LINK_SLL2,
};

/** tw_packet_flow__is_echo() - whether the protocol is ICMP or ICMPv6 */
static inline bool tw_packet_flow__is_echo(const struct tw_packet_flow *flow)
{
	return flow->protocol == TW_IP_ICMP || flow->protocol == TW_IP_ICMPV6;
}

/**
 * tw_packet_header__parse() - read the headers of a TCP segment, a UDP datagram or an echo, also of the first fragment
 * @bytes: the captured bytes of the packet
 * @missing: number of bytes at its end that were not captured
 * Return: false if it is no such packet, or if the headers were not captured whole
 */
bool tw_packet_header__parse(struct tw_cursor bytes, uint32_t missing, enum tw_link_type link,
			     struct tw_packet_header *ret);

#endif
