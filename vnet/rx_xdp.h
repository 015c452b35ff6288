/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Receiving frames from a network interface (transport/receiver.h) through AF_XDP, before the kernel makes packets of them, on all its
 * queues. Only frames of EtherType TW_ETHERTYPE, plain or behind one VLAN tag, are taken, and those are then seen by nobody else;
 * all other traffic passes as it did. It takes an interface that has no XDP program, and nothing of it stays, however the process
 * ends.
 */
#ifndef TW_RX_XDP_H
#define TW_RX_XDP_H

#include <stdint.h>

#include "base/error.h"
#include "transport/receiver.h"

#define TW_RX_XDP_RING  16384 /* default ring, chunks of 4 KiB */
#define TW_RX_XDP_PAUSE 1000  /* default pause, us */

struct tw_rx_xdp_options {
	const char *ifname;
	/*
	 * Of each queue, chunks: a power of two from 64 on. 0 = TW_RX_XDP_RING, or less where there are so many queues that these
	 * would take more than 512 MiB.
	 */
	uint32_t ring;
	/*
	 * After frames came, how long others may collect before they are looked for, microseconds, 999999 at most; 0 =
	 * TW_RX_XDP_PAUSE. A wake-up costs as much as many frames; the ring must have room for what comes meanwhile.
	 */
	uint32_t pause_us;
};

/**
 * tw_rx_xdp__open() - receive from an interface, from now on
 * @ret: its how says what the kernel and the driver have: native or generic, zero-copy or copy mode, multi-buffer or the length
 *       of frames beyond which none can come, queues. Close it with tw_receiver__close().
 *
 * A frame's time is that of the look into the ring that found it, CLOCK_REALTIME: drivers have no stamp for it. So it is late by
 * the pause, or by as much as the receiver is behind. Out-of-band frames, whose times matter, have the kernel's: they are left
 * to it, and others see them, too.
 *
 * Dropped counts what found a ring full, and frames of ours that had to be left to the kernel: longer than a chunk or in
 * several pieces where there is no multi-buffer (Linux 6.6), or of a queue that was added later.
 *
 * Senders and answers are those of vnet/rx_packet.h; an answer takes the VLAN tag that the frame had.
 *
 * Return: 0; -ENODEV if there is no such interface; -EEXIST if it has an XDP program; -EBUSY if another process has one of its
 * queues; -EPERM without CAP_NET_ADMIN, CAP_NET_RAW and CAP_BPF; -EAFNOSUPPORT where the kernel has no AF_XDP; -ENOMEM; another
 * -errno of the kernel's. @error says which.
 */
int tw_rx_xdp__open(const struct tw_rx_xdp_options *opts, struct tw_receiver **ret, struct tw_error *error);

#endif
