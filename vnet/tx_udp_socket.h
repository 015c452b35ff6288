/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The socket that the sinks of a run share. Used inside vnet/ only. */
#ifndef TW_TX_UDP_SOCKET_H
#define TW_TX_UDP_SOCKET_H

#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "vnet/tx_udp.h"

struct tw_tx_udp {
	int fd;
	int family;
	in_port_t port; /* that the stream comes from */
	bool gso;
	_Atomic uint64_t refused;
	char to[TW_UDP_TEXT_MAX];
	struct sockaddr_storage address;
	socklen_t address_len;
};

/** tx_udp__payload() - the largest datagram that leaves whole, as far as is known, bytes without headers; 0 = no way leads there */
size_t tx_udp__payload(const struct tw_tx_udp *udp);

/**
 * tx_udp__connect_again() - if no way leads to the host, choose an address of ours anew: a socket keeps to the one it had, which may
 * have gone
 * Return: 0, or -EAGAIN if still none does
 */
int tx_udp__connect_again(struct tw_tx_udp *udp);

/** tx_udp__overhead() - bytes of headers in front of a datagram's, on Ethernet */
size_t tx_udp__overhead(const struct tw_tx_udp *udp);

#endif
