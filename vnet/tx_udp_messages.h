/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames as messages of one system call. A message is a batch of frames that the kernel takes through its stack as one and
 * cuts into datagrams of one size (UDP GSO). So all frames of a batch but the last are padded to the longest; a frame's own
 * length tells it from padding. Used inside vnet/ only.
 */
#ifndef TW_TX_UDP_MESSAGES_H
#define TW_TX_UDP_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define TX_UDP_FRAMES 64    /* the most datagrams that Linux takes in a batch, before 6.9 */
#define TX_UDP_BYTES  65507 /* what a UDP datagram can hold, or a batch of them */

/* The ancillary data that tells the size of a batch's datagrams. */
union tx_udp_segment {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(uint16_t))];
};

struct tx_udp_messages {
	unsigned int n;
	const struct iovec *frames;
	struct mmsghdr headers[TX_UDP_FRAMES];
	union tx_udp_segment segments[TX_UDP_FRAMES];
};

/**
 * tx_udp_messages__write() - put frames into messages, in order
 * @frames: TX_UDP_FRAMES at most; those of length 0 are left out. Borrowed; lengths become padded ones, up to the longest
 * @batches: several frames a message
 */
void tx_udp_messages__write(struct tx_udp_messages *m, struct iovec *frames, unsigned int n, bool batches);

/** tx_udp_messages__frames() - how many frames have left with the first @sent messages, left-out ones between included */
unsigned int tx_udp_messages__frames(const struct tx_udp_messages *m, unsigned int sent);

#endif
