/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An AF_XDP socket that receives from one queue of an interface, with a separate UMEM. Used inside vnet/ only.
 *
 * The kernel puts descriptors of chunks into the ring, those of one frame in sequence; chunks that were read return to the kernel
 * through the fill ring, in batches. There are more chunks than descriptors in the ring. Therefore, if the receiver is slow, the
 * ring becomes full before the chunks run out. The kernel counts frames lost at a full ring; each driver counts missing chunks differently.
 */
#ifndef TW_RX_XDP_QUEUE_H
#define TW_RX_XDP_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vnet/af_xdp.h"

/* Packet bytes in a chunk: the kernel reserves the start of the chunk for XDP. */
#define RX_XDP_CHUNK_ROOM (AF_XDP_CHUNK - 256)

/* More than the number of positions at which a ring can become full: these positions are an eighth of the ring apart. */
#define RX_XDP_LOSSES 16

/* The ring was full when the kernel's next descriptor was the one at this position. */
struct rx_xdp_loss {
	uint32_t position;
	uint64_t dropped; /* total of frames dropped by then */
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
	uint32_t next;     /* the next descriptor to read */
	uint32_t end;      /* the kernel's position when it was last read: descriptors before this one can be read */
	uint64_t time;     /* when the kernel's position was last read, ns of CLOCK_REALTIME */

	uint64_t frames;   /* number of frames handed out */
	uint64_t dropped;  /* number of dropped frames, as last read from the kernel */
	uint64_t placed;   /* the part of dropped whose position in the ring is known */
	uint64_t reported; /* the part of dropped that the packets handed out have reported */
	uint64_t at_stop;  /* value of dropped when the receiver was stopped */
	struct rx_xdp_loss losses[RX_XDP_LOSSES];
	unsigned int first_loss, n_losses; /* losses whose position is not yet reached */
};

struct rx_xdp_queue_options {
	const char *ifname;
	unsigned int queue;
	uint32_t size;  /* of the ring, descriptors, a power of two */
	uint16_t flags; /* for bind(): 0 or XDP_USE_SG */
};

/** rx_xdp_queue__bytes() - bytes of the UMEM of a queue whose ring has @size descriptors */
size_t rx_xdp_queue__bytes(uint32_t size);

/** rx_xdp_queue__open() - open the socket. Return: 0 or -errno; -EINVAL for flags unknown to the kernel. Close @queue in either case */
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

/** rx_xdp_queue__dropped_last() - lower bound of the frames dropped after the last packet in the ring; @dropped: total of dropped frames */
uint64_t rx_xdp_queue__dropped_last(const struct rx_xdp_queue *queue, uint64_t dropped);

/** rx_xdp_queue__update_dropped() - read the kernel's counter. Return: 0 or -errno */
int rx_xdp_queue__update_dropped(struct rx_xdp_queue *queue);

/** rx_xdp_queue__waiting() - number of frames in the ring that were not handed out yet */
uint64_t rx_xdp_queue__waiting(const struct rx_xdp_queue *queue);

/** rx_xdp_queue__close() - close the socket and free its memory, also after a failure of rx_xdp_queue__open() */
void rx_xdp_queue__close(struct rx_xdp_queue *queue);

#endif
