/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who sent a datagram and to which of our addresses, so that the answer comes from where it is expected. Used inside vnet/ only. */
#ifndef TW_RX_UDP_PEER_H
#define TW_RX_UDP_PEER_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "transport/receiver.h"

struct rx_udp_peer {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} from;
	union {
		struct in_addr v4;
		struct in6_addr v6;
	} to;
};

/** rx_udp_peer__init() - from a message received; its own address is learned from the ancillary data */
void rx_udp_peer__init(struct rx_udp_peer *peer, const struct msghdr *msg);

/** rx_udp_peer__learn() - what ancillary data says about it, if it does */
void rx_udp_peer__learn(struct rx_udp_peer *peer, const struct cmsghdr *c);

void rx_udp_peer__emit(const struct rx_udp_peer *peer, struct tw_peer *ret);

/** rx_udp_peer__answer() - Return: as the operation of struct tw_receiver */
int rx_udp_peer__answer(int fd, const struct tw_peer *to, const void *frame, size_t len);

#endif
