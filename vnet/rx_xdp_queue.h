/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An AF_XDP socket that receives from one queue of an interface, with a separate UMEM. Used inside vnet/ only.
 *
 * The kernel puts descriptors of chunks into the ring, those of one frame in sequence. After the receiver has read chunks, it returns them
 * to the kernel through the fill ring, in batches. The UMEM has more chunks than the ring has descriptors. Therefore, if the receiver is
 * slow, the ring becomes full before the chunks run out. This is useful because the kernel counts the frames that are lost at a full ring,
 * but each driver counts missing chunks in its own way.
 */
#ifndef TW_RX_XDP_QUEUE_H
#define TW_RX_XDP_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vnet/af_xdp.h"

/* Packet bytes in a chunk. The kernel reserves the rest, at the start of the chunk, for XDP. */
#define RX_XDP_CHUNK_ROOM (AF_XDP_CHUNK - 256)

/*
 * Maximum of stored losses. It is larger than the number of positions in a ring at which the ring can become full: these positions are an
 * eighth of the ring apart.
 */
#define RX_XDP_LOSSES 16

/* A loss: frames were dropped while the ring was full. The next descriptor of the kernel was then the one at @position. */
struct rx_xdp_loss {
	uint32_t position;
	uint64_t dropped; /* number of frames of the queue dropped by then */
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
	uint32_t end;      /* kernel's position when it was last read; descriptors before it can be read */
	uint64_t time;     /* when the kernel's position was last read, ns of CLOCK_REALTIME */

	uint64_t frames;   /* number of frames handed out */
	uint64_t dropped;  /* number of dropped frames, as last read from the kernel */
	uint64_t placed;   /* the part of dropped whose position in the ring is known */
	uint64_t reported; /* the part of dropped that the packets handed out have reported */
	uint64_t at_stop;  /* value of dropped when the receiver was stopped */
	struct rx_xdp_loss losses[RX_XDP_LOSSES];
	unsigned int first_loss, n_losses; /* the losses whose position @next has not reached yet */
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

/** rx_xdp_queue__is_zero_copy() - whether the NIC writes the packets into the chunks, without a copy by the kernel */
bool rx_xdp_queue__is_zero_copy(const struct rx_xdp_queue *queue);

/* A packet, from the Ethernet header on. */
struct rx_xdp_packet {
	const uint8_t *data;
	size_t len;
	uint64_t time; /* ns of CLOCK_REALTIME */
};

/**
 * rx_xdp_queue__take() - get the next packet, borrowed until the next call. Return: false if there is none
 * @whole: memory of @room bytes, to which a packet of several chunks is copied
 */
bool rx_xdp_queue__take(struct rx_xdp_queue *queue, uint8_t *whole, size_t room, struct rx_xdp_packet *ret);

/**
 * rx_xdp_queue__dropped_last() - get a lower bound of the number of frames dropped after the last packet in the ring
 * @dropped: number of all dropped frames
 */
uint64_t rx_xdp_queue__dropped_last(const struct rx_xdp_queue *queue, uint64_t dropped);

/** rx_xdp_queue__update_dropped() - set @queue->dropped from the kernel's counters. Return: 0 or -errno */
int rx_xdp_queue__update_dropped(struct rx_xdp_queue *queue);

/** rx_xdp_queue__waiting() - number of frames in the ring that were not handed out yet */
uint64_t rx_xdp_queue__waiting(const struct rx_xdp_queue *queue);

/** rx_xdp_queue__close() - close the socket and free its memory, also after a failure of rx_xdp_queue__open() */
void rx_xdp_queue__close(struct rx_xdp_queue *queue);

#endif
