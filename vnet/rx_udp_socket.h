/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A socket that receives datagrams and is told all there is to know about them. Used inside vnet/ only. */
#ifndef TW_RX_UDP_SOCKET_H
#define TW_RX_UDP_SOCKET_H

#include <stdbool.h>

#include "vnet/rx_udp.h"

struct rx_udp_socket {
	int fd;
	bool gro;
	size_t buffer; /* bytes, as the kernel has given it */
};

/** rx_udp_socket__open() - Return: as tw_rx_udp__open() */
int rx_udp_socket__open(const struct tw_rx_udp_options *opts, struct rx_udp_socket *ret, struct tw_error *err);

#endif
