/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Receiving frames over UDP (transport/receiver.h), one frame per datagram. If it can, the kernel delivers several datagrams of one sender
 * and one size together (UDP GRO, udp(7)). Invalid frames are delivered too; the decoder counts them.
 */
#ifndef TW_RX_UDP_H
#define TW_RX_UDP_H

#include <stddef.h>

#include "base/error.h"
#include "transport/receiver.h"
#include "vnet/udp_address.h"

/*
 * Default buffer, bytes. The kernel counts the memory that a datagram takes, at least 768 bytes, and permits twice the size of the buffer.
 * So 174,000 short datagrams fit. If 500,000 short datagrams arrive a second, none is lost while the receiving thread waits 0.2 s for a
 * CPU.
 */
#define TW_RX_UDP_BUFFER (64u << 20)

struct tw_rx_udp_options {
	struct tw_udp_address at; /* without a host: all addresses of IPv6 and IPv4 */
	size_t buffer; /* bytes; 0 = TW_RX_UDP_BUFFER. Without CAP_NET_ADMIN, the kernel's limit is net.core.rmem_max */
};

/**
 * tw_rx_udp__open() - receive at an address, from now on
 * @ret: close it with tw_receiver__close(). Its member `how` contains the size of the buffer.
 *
 * An answer leaves from the address to which the frame was sent, unless this was a group address. The counter `dropped` counts datagrams
 * for which the buffer had no room. Datagrams that the kernel would have delivered together count as one.
 *
 * Return: 0; -EHOSTUNREACH if there is no such host; -EADDRNOTAVAIL if no interface has this address; -EADDRINUSE if the port is in use;
 * -EACCES if the port requires privileges; another -errno of the kernel, with @error filled.
 */
int tw_rx_udp__open(const struct tw_rx_udp_options *opts, struct tw_receiver **ret, struct tw_error *error);

#endif
