/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code shared by receivers on an interface: it looks up the interface, waits for frames or for the removal of the interface, finds the
 * sender of a frame in the Ethernet header, and sends answers. Used inside vnet/ only.
 */
#ifndef TW_RX_LINK_H
#define TW_RX_LINK_H

#include <linux/if_ether.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/receiver.h"
#include "vnet/tx_stamps.h"

/* The interface, and its packet socket. After rx_link__find(), ifindex, address and frame_max are not updated. */
struct rx_link {
	int ifindex;
	uint8_t address[ETH_ALEN];
	size_t frame_max; /* the MTU, but at least 1500 and at most TW_FRAME_MAX, bytes */
	bool down;        /* the kernel reported that the interface went down, and no check has found it up since */
	bool gone;        /* the interface was removed */
	struct tx_stamps stamps; /* of the packet socket that sends answers; all 0 = no stamps */
};

/**
 * rx_link__index() - look up the index of an interface. Return: the index, above 0; -ENODEV if no interface has this name; another -errno
 */
int rx_link__index(const char *ifname);

/** rx_link__find() - look up the properties of an interface. Return: 0; -ENODEV if no interface has this name; another -errno */
int rx_link__find(const char *ifname, struct rx_link *ret);

/** rx_link__queues() - the number of the interface's receive queues; 1 if it is unknown */
unsigned int rx_link__queues(const char *ifname);

/** rx_link__is_stamped() - whether the interface's card can stamp frames that it receives */
bool rx_link__is_stamped(const char *ifname);

/**
 * rx_link__wait() - poll() sockets on the interface
 * @fds: the first one is a packet socket bound to the interface. The kernel reports there that the interface went down, and returns the
 * transmit stamps of answers, which are read
 * @timeout_ms: as for poll(); reduced by the time waited, if a socket is ready
 *
 * Return: 1 = a socket is ready; 0 after the timeout or a signal; -ENETDOWN, once, when the interface went down; -ENODEV when it was
 * removed; another -errno.
 */
int rx_link__wait(struct rx_link *link, struct pollfd *fds, nfds_t n, int *timeout_ms);

/**
 * rx_link__failed() - handle an error of the packet socket. The kernel reports each error only once
 *
 * @err: errno
 *
 * Return: as rx_link__wait(). After ENETDOWN, @link stores that the interface is down, so that rx_link__wait() checks whether it was
 * removed.
 */
int rx_link__failed(struct rx_link *link, int err);

#define RX_LINK_TAG 4 /* bytes of a VLAN tag */

/**
 * rx_link__tag() - get the first VLAN tag of a frame. The kernel removes this tag from the frames that packet sockets receive
 * @status, @tpid, @tci: members of struct tpacket3_hdr or tpacket_auxdata
 * Return: @tag, filled with the tag as it was in the frame; NULL if the frame had no tag.
 */
const uint8_t *rx_link__tag(uint32_t status, uint16_t tpid, uint16_t tci, uint8_t tag[RX_LINK_TAG]);

/**
 * rx_link__peer() - get the sender of a frame on the interface
 * @ethernet: the frame's Ethernet header
 * @tag: the frame's VLAN tag, RX_LINK_TAG bytes, which is also put into answers; NULL = none
 */
void rx_link__peer(const struct rx_link *link, const uint8_t *ethernet, const uint8_t *tag, struct tw_peer *ret);

/**
 * rx_link__answer() - send a frame to @to; @fd is the packet socket of link->stamps. Return: as the operation answer of struct tw_receiver
 */
int rx_link__answer(struct rx_link *link, int fd, const struct tw_peer *to, const void *frame, size_t len,
		    uint32_t cookie);

/** rx_link__sent() - the operation sent of struct tw_receiver */
bool rx_link__sent(struct rx_link *link, struct tw_sent_stamp *ret);

#endif
