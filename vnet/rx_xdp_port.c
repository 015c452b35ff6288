/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_xdp_port.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "vnet/rx_aside.h"
#include "vnet/rx_xdp.h"

#define RING_LEAST  2048
#define MEMORY_MOST (512u << 20)
#define HEADER_MOST (ETH_HLEN + RX_LINK_TAG)

static uint32_t ring_for(unsigned int queues)
{
	uint32_t ring = TW_RX_XDP_RING;

	while (ring > RING_LEAST && rx_xdp_queue__bytes(ring) * queues > MEMORY_MOST)
		ring /= 2;
	return ring;
}

/* Long frames take several chunks, where the kernel has that. */
static int open_queue(struct rx_xdp_port *port, struct rx_xdp_queue_options *o)
{
	struct rx_xdp_queue *queue = &port->queues[port->n];
	int error = rx_xdp_queue__open(o, queue);

	if (error == -EINVAL && o->flags & XDP_USE_SG) {
		rx_xdp_queue__close(queue);
		o->flags = 0;
		error = rx_xdp_queue__open(o, queue);
	}
	port->n++;
	return error;
}

static int open_queues(struct rx_xdp_port *port, struct rx_xdp_queue_options *o, unsigned int n)
{
	int error = 0;

	port->queues = calloc(n, sizeof(*port->queues));
	port->fds = calloc(n + 1, sizeof(*port->fds));
	if (!port->queues || !port->fds)
		return -ENOMEM;
	port->fds[0] = (struct pollfd){ .fd = port->aside_fd, .events = POLLIN };
	for (o->queue = 0; o->queue < n && !error; o->queue++) {
		error = open_queue(port, o);
		if (!error)
			port->fds[port->n] =
				(struct pollfd){ .fd = rx_xdp_queue__fd(&port->queues[port->n - 1]), .events = POLLIN };
	}
	return error;
}

/* The program is the last: from then on everything is there that it sends to. */
static int attach(struct rx_xdp_port *port, bool multi_buffer)
{
	int error = rx_xdp_program__load(port->n, multi_buffer, &port->program);

	for (unsigned int i = 0; i < port->n && !error; i++)
		error = rx_xdp_program__serve(&port->program, i, port->fds[i + 1].fd);
	return error ? error : rx_xdp_program__attach(&port->program, port->link.ifindex);
}

/* Once all is there, so that it is what the kernel made of it. */
static void say_how(struct rx_xdp_port *port, uint16_t flags)
{
	const size_t one_chunk = RX_XDP_CHUNK_ROOM - HEADER_MOST;
	char length[48] = "";

	if (flags & XDP_USE_SG)
		snprintf(length, sizeof(length), ", multi-buffer");
	else if (port->link.frame_max > one_chunk)
		snprintf(length, sizeof(length), ", frames of %zu bytes at most", one_chunk);
	port->frame_max = flags & XDP_USE_SG || port->link.frame_max < one_chunk ? port->link.frame_max : one_chunk;
	snprintf(port->how, sizeof(port->how), "AF_XDP, %s, %s%s, %u queue%s",
		 port->program.native ? "native" : "generic",
		 rx_xdp_queue__is_zero_copy(&port->queues[0]) ? "zero-copy" : "copy mode", length, port->n,
		 port->n == 1 ? "" : "s");
}

/* The interface is found. */
static int open_all(struct rx_xdp_port *port, const char *ifname, uint32_t ring)
{
	const unsigned int n = rx_link__queues(ifname);
	struct rx_xdp_queue_options queue = { .ifname = ifname, .size = ring ? ring : ring_for(n) };
	int error;

	if (rx_xdp_program__find_other(port->link.ifindex).id)
		return -EEXIST;
	port->aside_fd = rx_aside__open(&port->link);
	if (port->aside_fd < 0)
		return port->aside_fd;
	/* Only if it is needed: some drivers know either this or zero-copy. */
	if (port->link.frame_max + HEADER_MOST > RX_XDP_CHUNK_ROOM)
		queue.flags = XDP_USE_SG;
	error = open_queues(port, &queue, n);
	if (!error)
		error = attach(port, queue.flags & XDP_USE_SG);
	if (!error)
		say_how(port, queue.flags);
	return error;
}

int rx_xdp_port__open(const char *ifname, uint32_t ring, struct rx_xdp_port *ret)
{
	int error;

	*ret = (struct rx_xdp_port){ .aside_fd = -1, .program.link = -1 };
	error = rx_link__find(ifname, &ret->link);
	return error ? error : open_all(ret, ifname, ring);
}

void rx_xdp_port__close(struct rx_xdp_port *port)
{
	rx_xdp_program__close(&port->program);
	for (unsigned int i = 0; i < port->n; i++)
		rx_xdp_queue__close(&port->queues[i]);
	if (port->aside_fd >= 0)
		close(port->aside_fd);
	free(port->queues);
	free(port->fds);
}
