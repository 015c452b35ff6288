/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A packet socket with a TPACKET_V3 ring that takes our frames only. Used inside vnet/ only. */
#ifndef TW_RX_RING_H
#define TW_RX_RING_H

#include <stdint.h>

#include "vnet/rx_packet.h"

/*
 * Bytes of a block: room for the largest frame of any interface. The kernel closes a block some ms after its first frame, however little is in
 * it: for that long times the number of blocks a reader may be kept from reading.
 */
#define RX_RING_BLOCK (128u << 10)

struct rx_ring {
	int fd; /* -1 = not open */
	uint8_t *blocks;
	unsigned int n;
};

/** rx_ring__open() - frames that come from now on. Return: 0 or -errno */
int rx_ring__open(int ifindex, const struct tw_rx_packet_options *opts, struct rx_ring *ret);

/** rx_ring__close() - one that is not open is fine */
void rx_ring__close(struct rx_ring *ring);

#endif
