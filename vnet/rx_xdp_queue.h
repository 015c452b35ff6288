/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An AF_XDP socket that receives from one queue of an interface, with a separate UMEM. Used inside vnet/ only.
 *
 * The kernel puts descriptors of chunks into the ring, those of one frame in sequence; chunks that were read return to the kernel
 * through the fill ring, in batches. There are more chunks than descriptors in the ring. Therefore a slow receiver shows as a full ring,
 * which the kernel counts in frames, before chunks run out, which each driver counts differently.
 */
#ifndef TW_RX_XDP_QUEUE_H
#define TW_RX_XDP_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vnet/af_xdp.h"

/* Packet bytes in a chunk: the kernel reserves the start of the chunk for XDP. */
#define RX_XDP_CHUNK_ROOM (AF_XDP_CHUNK - 256)

#define RX_XDP_LOSSES 16 /* more than the positions at which a ring can become full: they are a release apart */

/* The ring was full when the descriptor at this position was the next. */
struct rx_xdp_loss {
	uint32_t position;
	uint64_t dropped; /* frames by then */
};

struct rx_xdp_queue {
	struct xsk_umem *umem;
	struct xsk_socket *socket;
	struct xsk_ring_prod fill;
	struct xsk_ring_cons ring, completion;
	uint8_t *area;
	size_t bytes;
	uint32_t size; /* of the ring, descriptors */

	/* Positions in the ring; they wrap at 32 bits. */
	uint32_t released; /* descriptors before this one belong to the kernel again */
	uint32_t next;     /* to be read */
	uint32_t end;      /* of the descriptors, when the kernel's position was last read */
	uint64_t time;     /* of that reading, ns of CLOCK_REALTIME */

	uint64_t frames;   /* handed out */
	uint64_t dropped;  /* the kernel's last value */
	uint64_t placed;   /* of these, losses whose position in the ring is known */
	uint64_t reported; /* of these, losses that are in the counters of returned frames */
	uint64_t at_stop;  /* dropped at the time of stop */
	struct rx_xdp_loss losses[RX_XDP_LOSSES];
	unsigned int first_loss, n_losses; /* not yet reached */
};

struct rx_xdp_queue_options {
	const char *ifname;
	unsigned int queue;
	uint32_t size;  /* of the ring, descriptors, a power of two */
	uint16_t flags; /* of bind(): XDP_USE_SG */
};

/** rx_xdp_queue__bytes() - memory of a queue with a ring of that size */
size_t rx_xdp_queue__bytes(uint32_t size);

/** rx_xdp_queue__open() - Return: 0 or -errno; -EINVAL if the kernel does not support the flags. Close @queue in either case */
int rx_xdp_queue__open(const struct rx_xdp_queue_options *options, struct rx_xdp_queue *queue);

/** rx_xdp_queue__fd() - descriptor for poll() */
int rx_xdp_queue__fd(const struct rx_xdp_queue *queue);

/** rx_xdp_queue__is_zero_copy() - whether the NIC writes into the chunks itself */
bool rx_xdp_queue__is_zero_copy(const struct rx_xdp_queue *queue);

/* A packet, from the Ethernet header on. */
struct rx_xdp_packet {
	const uint8_t *data;
	size_t len;
	uint64_t time; /* ns of CLOCK_REALTIME */
};

/**
 * rx_xdp_queue__take() - the next packet, if there is one; borrowed until the next call
 * @whole: memory of @room bytes, to which a packet of several chunks is copied
 */
bool rx_xdp_queue__take(struct rx_xdp_queue *queue, uint8_t *whole, size_t room, struct rx_xdp_packet *ret);

/** rx_xdp_queue__dropped_last() - of the first @dropped frames, the number dropped after the last packet taken, at least */
uint64_t rx_xdp_queue__dropped_last(const struct rx_xdp_queue *queue, uint64_t dropped);

/** rx_xdp_queue__update_dropped() - read the kernel's counter. Return: 0 or -errno */
int rx_xdp_queue__update_dropped(struct rx_xdp_queue *queue);

/** rx_xdp_queue__waiting() - number of frames in the ring */
uint64_t rx_xdp_queue__waiting(const struct rx_xdp_queue *queue);

void rx_xdp_queue__close(struct rx_xdp_queue *queue);

#endif
