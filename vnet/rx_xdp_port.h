/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What it takes to receive from an interface through AF_XDP: the program, a socket for each queue, and one for what is out of band. Used
 * inside vnet/ only.
 */
#ifndef TW_RX_XDP_PORT_H
#define TW_RX_XDP_PORT_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "vnet/rx_link.h"
#include "vnet/rx_xdp_program.h"
#include "vnet/rx_xdp_queue.h"

#define RX_XDP_PACKET_MOST (80u << 10) /* more than the kernel's largest, bytes */

struct rx_xdp_port {
	struct rx_link link;
	size_t frame_max; /* bytes */
	char how[96];
	struct rx_xdp_program program;
	int aside_fd; /* answers leave here; the kernel tells it when the interface goes */
	struct rx_xdp_queue *queues;
	unsigned int n;     /* queues that are to be closed */
	struct pollfd *fds; /* of aside_fd and of each queue, n + 1 */
};

/**
 * rx_xdp_port__open()
 * @ring: of each queue, descriptors; 0 = TW_RX_XDP_RING or what there is memory for
 *
 * Return: 0 or -errno; -EEXIST if the interface has an XDP program, -EBUSY if a queue is taken. @ret is to be closed in any case.
 */
int rx_xdp_port__open(const char *ifname, uint32_t ring, struct rx_xdp_port *ret);

void rx_xdp_port__close(struct rx_xdp_port *port);

#endif
