/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code shared by AF_XDP and AF_PACKET transmit: the interface, the layout of a slot, and the counters. Used inside vnet/ only.
 *
 *   slot:  2 bytes of padding | Ethernet header, 14 | frame, up to frame_max | slack of TW_COPY_STEP
 *
 * With the padding, the offset of the frame is a multiple of 4, as the encoder needs it.
 */
#ifndef TW_TX_LINK_H
#define TW_TX_LINK_H

#include <linux/if_ether.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "vnet/tx.h"
#include "wire/encode.h"

#define TX_PAD      2
#define TX_OVERHEAD (TX_PAD + ETH_HLEN) /* bytes of a slot before the frame */
#define TX_SLOTS    64                  /* number of slots; few, so that the slots stay in the cache */
#define TX_BATCH    32                  /* frames or descriptors per system call; the kernel's limit for AF_XDP */
/*
 * Size of a send buffer for all slots, bytes. It includes room for what the kernel counts as its own overhead. If the kernel does not
 * permit this size, frames wait in some slots.
 */
#define TX_SEND_BUFFER(slot_bytes) (4 * TX_SLOTS * (slot_bytes))
#define TX_DOWN                    "the link is down" /* tw_sink.blocked_by at ENETDOWN */

struct tx_device;

/* The interface, as it was when the sink was opened. */
struct tx_link {
	char name[IFNAMSIZ];
	int ifindex;
	unsigned int queue;
	size_t frame_max;           /* largest frame to send, bytes; a multiple of 4 within the MTU */
	uint8_t ethernet[ETH_HLEN]; /* header of every frame */
	bool veth; /* one of Tracewire's veth pairs: no other program sends on it, so all its drops are frames of the sinks */
	uint64_t dropped_before; /* tx_dropped when the sink was opened */
};

/* First member of each transport's sink. */
struct tx_sink {
	struct tw_sink sink;
	struct tx_link link;
	struct tw_sink_stats stats; /* stats.dropped: frames that this sink knows to be dropped, without @claimed */
	struct tx_device *device;   /* NULL if other programs may also send on the interface */
	uint64_t claimed;           /* number of drops that only the interface's counter showed (vnet/tx.c) */
	int broken;                 /* -errno if no more frames can be sent */
	char how[256];
};

/** tx_sink__init() - initialise the members shared by the transports, except how. Return: 0 or -ENOMEM */
int tx_sink__init(struct tx_sink *tx, const struct tw_sink_ops *ops, const struct tx_link *link);

/** tx_sink__fini() - free what tx_sink__init() took; does not free members of the transport */
void tx_sink__fini(struct tx_sink *tx);

/** tx_sink__drop() - count the frame in this slot as dropped */
static inline void tx_sink__drop(struct tx_sink *tx, const uint8_t *slot)
{
	tw_sink_stats__drop(&tx->stats, slot + TX_OVERHEAD);
}

/**
 * tx_sink__explain() - note that this sink handles a drop which the interface has counted: the sink sends the frame again, or has counted
 * the drop itself
 */
void tx_sink__explain(struct tx_sink *tx);

/** tx_sink__stats() - the operation stats of both transports */
void tx_sink__stats(struct tw_sink *sink, struct tw_sink_stats *ret);

/** tx_slot__init() - write the Ethernet header into a slot, once for all frames */
static inline void tx_slot__init(uint8_t *slot, const struct tx_link *link)
{
	memcpy(slot + TX_PAD, link->ethernet, ETH_HLEN);
}

/** tx_slot__bytes() - size of a slot for frames of @frame_max */
static inline size_t tx_slot__bytes(size_t frame_max)
{
	return TX_OVERHEAD + frame_max + TW_COPY_STEP;
}

/** tx_xdp__open() - open a sink that sends through AF_XDP. Return: 0, or -errno with @error filled */
int tx_xdp__open(const struct tx_link *link, struct tw_sink **ret, struct tw_error *error);

/** tx_packet__open() - open a sink that sends through AF_PACKET; @why: reason for sink->how, or NULL. Return: as tx_xdp__open() */
int tx_packet__open(const struct tx_link *link, const char *why, struct tw_sink **ret, struct tw_error *error);

#endif
