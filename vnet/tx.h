/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sending frames to a network interface: a sink (transport/sink.h) that adds an Ethernet header with EtherType TW_ETHERTYPE to each frame.
 * By default, the sink uses AF_XDP if possible, otherwise AF_PACKET. sink->how names the transport and, if AF_XDP was refused, the error.
 */
#ifndef TW_TX_H
#define TW_TX_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "transport/sink.h"

/* Default destination: a locally administered group address that contains "TWR1". Switches flood frames to such an address. */
#define TW_TX_GROUP                                \
	{                                          \
		0x03, 0x54, 0x57, 0x52, 0x31, 0x00 \
	}

enum tw_transport {
	TW_TRANSPORT_AUTO, /* AF_XDP if possible, otherwise AF_PACKET */
	TW_TRANSPORT_XDP,
	TW_TRANSPORT_PACKET,
};

struct tw_tx_options {
	const char *ifname; /* interface that sends: tw_iface.tx_name */
	unsigned int queue; /* index; each queue can have one AF_XDP sink. AF_PACKET ignores it: the kernel chooses */
	size_t frame_max;   /* largest frame, bytes, without the Ethernet header; 0 = the fastest size */
	enum tw_transport transport;
	const uint8_t *destination; /* 6 bytes, copied; NULL = TW_TX_GROUP */
};

/**
 * tw_tx__open() - open a sink on an interface
 * @ret: close it with tw_sink__close(). Its member frame_max is a multiple of 4 that the interface, the kernel and @opts permit; it may be
 * smaller than requested.
 *
 * On one of Tracewire's veth pairs, the operation stats reads the interface's drop counter, which needs system calls: do not call it for
 * each frame. Several sinks on one veth pair together count each drop once, but not always at the sink that sent the frame.
 *
 * The source address is that of the interface. flush returns -EAGAIN for back-pressure, and while the interface is down; in both cases, the
 * frames are kept. When the interface was removed, flush returns -ENODEV, and unsent frames count as dropped.
 *
 * Return: 0; -ENODEV if there is no such interface; -ENETDOWN if it is down; -EPERM without CAP_NET_RAW; -EINVAL if the interface has no
 * Ethernet address or not the queue, or if no frame fits its MTU; -EBUSY if another AF_XDP socket uses the queue; another -errno of the
 * kernel, with @error filled.
 */
int tw_tx__open(const struct tw_tx_options *opts, struct tw_sink **ret, struct tw_error *error);

#endif
