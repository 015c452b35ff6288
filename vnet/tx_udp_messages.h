/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts frames into messages for one system call. A message is a batch of frames that passes the kernel's network stack as one packet. Then
 * the kernel cuts it into datagrams of one size (UDP GSO). All frames of a batch but the last are therefore padded to the longest one. If
 * the first frame is almost as long as frame_max, all frames but the last are padded to frame_max. Such frames fill their slots. The slots
 * are adjacent in memory, so one iovec covers the batch, and the kernel copies it as one piece. The length in the frame header excludes
 * the padding. Used inside vnet/ only.
 */
#ifndef TW_TX_UDP_MESSAGES_H
#define TW_TX_UDP_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define TX_UDP_FRAMES 64    /* limit of datagrams in a batch, in kernels before 6.9 */
#define TX_UDP_BYTES  65507 /* limit of a UDP datagram, or of a batch */

/* The ancillary data with the size of a batch's datagrams. */
union tx_udp_segment {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(uint16_t))];
};

struct tx_udp_messages {
	unsigned int n;
	unsigned int ends[TX_UDP_FRAMES];   /* for each message: number of frames up to its end */
	struct iovec pieces[TX_UDP_FRAMES]; /* all frames of a message as one piece, if they are contiguous */
	struct mmsghdr headers[TX_UDP_FRAMES];
	union tx_udp_segment segments[TX_UDP_FRAMES];
};

/**
 * tx_udp_messages__write() - put frames into messages, in order
 * @frames: TX_UDP_FRAMES at most, at equal distances in memory; frames of length 0 are omitted. Borrowed. Padding increases the lengths in
 * @frames
 * @max: limit of the length of a frame, bytes
 * @batches: put several frames into a message
 */
void tx_udp_messages__write(struct tx_udp_messages *m, struct iovec *frames, unsigned int n, size_t max, bool batches);

/**
 * tx_udp_messages__takes() - length of a frame of @len bytes in a batch
 * Return: @max if the frame may be padded to @max, otherwise @len. If the batch has a longer frame, the frame can take more.
 */
size_t tx_udp_messages__takes(size_t len, size_t max);

/** tx_udp_messages__frames() - number of frames in the first @sent messages, including omitted frames before and between them */
unsigned int tx_udp_messages__frames(const struct tx_udp_messages *m, unsigned int sent);

#endif
