/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Receiving frames from a network interface (transport/receiver.h) through AF_XDP, on all its queues. Only frames of EtherType
 * TW_ETHERTYPE, with at most one VLAN tag, are received; other programs do not see them. If the driver supports XDP, the kernel allocates
 * no packet buffers (struct sk_buff) for these frames. All other packets pass to the network stack. The interface must not have another XDP
 * program. The receiver's XDP program is removed when the process ends, even if the process is killed.
 */
#ifndef TW_RX_XDP_H
#define TW_RX_XDP_H

#include <stdint.h>

#include "base/error.h"
#include "transport/receiver.h"

#define TW_RX_XDP_RING  16384 /* default number of descriptors in a ring, one for each chunk of 4 KiB */
#define TW_RX_XDP_PAUSE 1000  /* default pause, us */

struct tw_rx_xdp_options {
	const char *ifname;
	/*
	 * Number of descriptors in the ring of each queue, one for each chunk of 4 KiB: a power of two from 64 to 2^20. 0 = TW_RX_XDP_RING;
	 * if the chunks of all queues would then need more than 512 MiB, fewer, but at least 2048.
	 */
	uint32_t ring;
	/*
	 * After frames were received, the receiver pauses before it reads the rings again. This is the pause in microseconds, at most
	 * 999999; 0 = TW_RX_XDP_PAUSE. The reason for the pause: a wake-up costs as much CPU time as many frames. The ring must have room
	 * for the frames that arrive during a pause.
	 */
	uint32_t pause_us;
};

/**
 * tw_rx_xdp__open() - start to receive from an interface
 * @ret: close it with tw_receiver__close(). Its member `how` describes the support of kernel and driver: native or generic, zero-copy or
 * copy mode, multi-buffer or the largest frame, and the number of queues.
 *
 * The time of a frame is the time at which the ring was read (CLOCK_REALTIME), because the ring has no time stamps. This time is later than
 * the arrival of the frame by up to the pause, or by more if the receiver is delayed. Out-of-band frames need accurate times. Therefore the
 * kernel receives them and adds time stamps, and other programs see them too.
 *
 * The counter `dropped` counts the frames that the kernel dropped at the sockets, for example because a ring was full. It also counts the
 * frames that the XDP program left to the kernel's network stack. These are the frames of a queue that was added later. Without
 * multi-buffer, which requires Linux 6.6, they are also the frames that are longer than a chunk or have several fragments.
 *
 * Senders and answers are as in vnet/rx_packet.h.
 *
 * Return: 0; -EINVAL for an invalid ring; -ENODEV if there is no such interface; -EEXIST if it has an XDP program; -EBUSY if another
 * process uses one of its queues; -EPERM without CAP_NET_ADMIN, CAP_NET_RAW and CAP_BPF; -EAFNOSUPPORT if the kernel has no AF_XDP;
 * -ENOMEM; another -errno of the kernel, with @error filled.
 */
int tw_rx_xdp__open(const struct tw_rx_xdp_options *opts, struct tw_receiver **ret, struct tw_error *error);

#endif
