/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What receivers on an interface share: the interface, who sent a frame by its Ethernet header, and the way back. Used
 * inside vnet/ only.
 */
#ifndef TW_RX_LINK_H
#define TW_RX_LINK_H

#include <linux/if_ether.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/rx.h"

/* The interface, as it was at the opening. */
struct rx_link {
	int ifindex;
	uint8_t address[ETH_ALEN];
	size_t frame_max; /* bytes */
};

/** rx_link__find() - Return: 0; -ENODEV if there is none of that name; another -errno */
int rx_link__find(const char *ifname, struct rx_link *ret);

/** rx_link__peer() - the sender of a frame on the interface, from its Ethernet header */
void rx_link__peer(const struct rx_link *link, const uint8_t *ethernet, struct tw_rx_peer *ret);

/** rx_link__answer() - send a frame to that sender; @fd is any packet socket. Return: as the operation of struct tw_rx */
int rx_link__answer(const struct rx_link *link, int fd, const struct tw_rx_peer *to, const void *frame, size_t len);

#endif
