/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Receiving frames from a network interface (transport/receiver.h) through a TPACKET_V3 ring, which sees what a capture on that
 * interface sees (before tc ingress), and sees it beside any other capture. Only frames of EtherType TW_ETHERTYPE come
 * in; the kernel filters. What the interface itself sends is not received.
 */
#ifndef TW_RX_PACKET_H
#define TW_RX_PACKET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "transport/receiver.h"

#define TW_RX_PACKET_RING (16u << 20) /* default ring, bytes */

struct tw_rx_packet_options {
	const char *ifname;
	size_t ring;            /* bytes, cut to whole blocks of 128 KiB, one at least; 0 = TW_RX_PACKET_RING */
	unsigned int retire_ms; /* the longest that the kernel keeps a frame back to fill a block; 0 = 1 ms */
	bool control_only;      /* frames of the control channel: the kernel leaves events alone */
};

/**
 * tw_rx_packet__open() - receive from an interface, from now on
 * @ret: its frame_max is the interface's MTU, though at least that of Ethernet: the sender's may be another. Close it with
 *       tw_receiver__close().
 *
 * Senders are struct sockaddr_ll, told apart by their Ethernet address. An answer is a frame to that address.
 *
 * Return: 0; -ENODEV if there is no such interface; -EPERM without CAP_NET_RAW; -ENOMEM if the ring is too large;
 * another -errno of the kernel's. @error says which.
 */
int tw_rx_packet__open(const struct tw_rx_packet_options *opts, struct tw_receiver **ret, struct tw_error *error);

#endif
