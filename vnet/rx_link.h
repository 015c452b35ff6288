/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What receivers on an interface share: the interface, waiting for what comes or for its end, who sent a frame by its Ethernet
 * header, and the way back. Used inside vnet/ only.
 */
#ifndef TW_RX_LINK_H
#define TW_RX_LINK_H

#include <linux/if_ether.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/receiver.h"

/* The interface, as it was at the opening. */
struct rx_link {
	int ifindex;
	uint8_t address[ETH_ALEN];
	size_t frame_max; /* bytes */
	bool down;        /* when last looked at, after the kernel had said so */
	bool gone;        /* for good */
};

/** rx_link__index() - Return: the interface's, more than 0; -ENODEV if there is none of that name; another -errno of asking */
int rx_link__index(const char *ifname);

/** rx_link__find() - Return: 0; -ENODEV if there is none of that name; another -errno */
int rx_link__find(const char *ifname, struct rx_link *ret);

/** rx_link__queues() - how many queues it receives on, one at least */
unsigned int rx_link__queues(const char *ifname);

/**
 * rx_link__wait() - poll() sockets on the interface
 * @fds: the first is a packet socket, bound to the interface and receiving: the kernel tells it when that goes
 * @timeout_ms: as poll() has it; made less by the time that was waited
 *
 * Return: 1 = look again, 0 = the time is over or a signal came; -ENETDOWN, once, when the interface went down; -ENODEV when it
 * has vanished; another -errno.
 */
int rx_link__wait(struct rx_link *link, struct pollfd *fds, nfds_t n, int *timeout_ms);

/**
 * rx_link__failed() - what the kernel holds against the packet socket, which it says only once: to whoever calls it next
 *
 * Return: as rx_link__wait(), which knows of it from then on.
 */
int rx_link__failed(struct rx_link *link, int error);

#define RX_LINK_TAG 4 /* bytes of a VLAN tag */

/**
 * rx_link__peer() - the sender of a frame on the interface
 * @ethernet: the frame's Ethernet header
 * @tag: its VLAN tag, RX_LINK_TAG bytes, which an answer is to have, too; NULL = none
 */
void rx_link__peer(const struct rx_link *link, const uint8_t *ethernet, const uint8_t *tag, struct tw_peer *ret);

/** rx_link__answer() - send a frame to that sender; @fd is any packet socket. Return: as the operation of struct tw_receiver */
int rx_link__answer(struct rx_link *link, int fd, const struct tw_peer *to, const void *frame, size_t len);

#endif
