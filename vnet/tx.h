/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sending frames on a network interface, virtual or real: a sink (transport/sink.h) that puts an Ethernet header with
 * EtherType TW_ETHERTYPE in front of every frame. AF_XDP where the kernel has it, AF_PACKET elsewhere; sink->how says
 * which, and why.
 */
#ifndef TW_TX_H
#define TW_TX_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "transport/sink.h"

/* Default destination: a locally administered group address, "TWR1" in it, so that any switch floods it. */
#define TW_TX_GROUP                                \
	{                                          \
		0x03, 0x54, 0x57, 0x52, 0x31, 0x00 \
	}

enum tw_transport {
	TW_TRANSPORT_AUTO, /* AF_XDP, else AF_PACKET */
	TW_TRANSPORT_XDP,
	TW_TRANSPORT_PACKET,
};

struct tw_tx_options {
	const char *ifname; /* interface that sends: tw_iface.tx_name */
	unsigned int queue; /* from 0; one AF_XDP sink a queue. AF_PACKET leaves the choice to the kernel */
	size_t frame_max;   /* largest frame wanted, bytes, Ethernet header excluded; 0 = what is fastest */
	enum tw_transport transport;
	const uint8_t *destination; /* 6 bytes, copied; NULL = TW_TX_GROUP */
};

/**
 * tw_tx__open() - open a sink on an interface
 * @ret: its frame_max is what the interface, the kernel and @opts allow together, a multiple of 4; it may be less than
 *       was wanted. Close it with tw_sink__close().
 *
 * A sink's stats ask the kernel for the interface's drops where that is one of Tracewire's veth pairs: call them once in a while, not
 * once a frame. Several sinks on one veth pair together tell each drop once, though not always the sink whose frame it was.
 *
 * The source address is the interface's own. Back-pressure shows as -EAGAIN of flush, also while the interface is down:
 * frames are kept. When the interface has vanished, flush returns -ENODEV and what was not sent counts as dropped.
 *
 * Return: 0; -ENODEV if there is no such interface; -ENETDOWN if it is down; -EPERM without CAP_NET_RAW; -EINVAL if no
 * frame fits its MTU; -EBUSY if another AF_XDP socket has the queue; another -errno of the kernel's. @error says which.
 */
int tw_tx__open(const struct tw_tx_options *opts, struct tw_sink **ret, struct tw_error *error);

#endif
