/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames as messages of one system call. A message is a batch of frames that the kernel takes through its stack as one and
 * cuts into datagrams of one size (UDP GSO). So all frames of a batch but the last are padded to the longest, or to the longest
 * that may be where they nearly are: then they fill their slots, and the kernel copies them as one piece. A frame's own length tells
 * it from padding. Used inside vnet/ only.
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
	unsigned int ends[TX_UDP_FRAMES];   /* frames up to the end of each */
	struct iovec pieces[TX_UDP_FRAMES]; /* of those whose frames lie end to end */
	struct mmsghdr headers[TX_UDP_FRAMES];
	union tx_udp_segment segments[TX_UDP_FRAMES];
};

/**
 * tx_udp_messages__write() - put frames into messages, in order
 * @frames: TX_UDP_FRAMES at most, equally far from each other; those of length 0 are left out. Borrowed; lengths become padded ones
 * @max: the longest that a frame may be, bytes; none is longer
 * @batches: several frames a message
 */
void tx_udp_messages__write(struct tx_udp_messages *m, struct iovec *frames, unsigned int n, size_t max, bool batches);

/** tx_udp_messages__takes() - bytes of a batch that a frame takes, unless others in it are longer */
size_t tx_udp_messages__takes(size_t len, size_t max);

/** tx_udp_messages__frames() - how many frames have left with the first @sent messages, left-out ones between included */
unsigned int tx_udp_messages__frames(const struct tx_udp_messages *m, unsigned int sent);

#endif
