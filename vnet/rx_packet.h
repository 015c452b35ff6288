/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Receiving frames from a network interface (transport/receiver.h) through a TPACKET_V3 ring. The ring gets the frames that a capture on
 * the interface gets, before tc ingress; other captures get the frames too. A socket filter accepts only frames of EtherType TW_ETHERTYPE.
 * Frames that the interface sends are not received.
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
	size_t ring;            /* bytes, rounded down to blocks of 128 KiB: 1 block to 1 GiB; 0 = TW_RX_PACKET_RING */
	unsigned int retire_ms; /* longest time that the kernel delays a frame to fill a block; 0 = 1 ms */
	bool control_only;      /* receive only frames of the control channel */
	/*
	 * Receive out-of-band frames through a socket of their own, which has the stamps of the network card: a ring has only one stamp
	 * of a frame. False = only if the card can make stamps. Unused with @control_only.
	 */
	bool separate;
};

/**
 * tw_rx_packet__open() - start to receive from an interface
 * @ret: close it with tw_receiver__close(). Its member frame_max is the interface's MTU, but at most TW_FRAME_MAX, and at least 1500,
 * because the sender's MTU may be larger.
 *
 * A sender is identified by its Ethernet address and VLAN tag, which struct tw_peer contains. An answer is a frame to this address, with
 * this tag.
 *
 * Return: 0; -ENODEV if there is no such interface; -EPERM without CAP_NET_RAW; -ENOMEM if the ring is too large; another -errno of the
 * kernel; @error is filled after each failure.
 */
int tw_rx_packet__open(const struct tw_rx_packet_options *opts, struct tw_receiver **ret, struct tw_error *error);

#endif
