/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_ring.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/tracewire.h"

#define BLOCKS_MOST 8192 /* 1 GiB */
#define FRAME_STEP  2048 /* what the kernel wants to know for the ring's arithmetic; frames lie densely */

static int set_option(int fd, int level, int name, const void *value, size_t len)
{
	return setsockopt(fd, level, name, value, (socklen_t)len) < 0 ? -errno : 0;
}

/* Nothing but our EtherType, whole, and not what the interface sends. Before the socket is bound: no frame slips by. */
static int set_filter(int fd, bool control_only)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 2 * ETH_ALEN),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TW_ETHERTYPE, 0, 3),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, ETH_HLEN + offsetof(struct tw_frame_hdr, channel)),
		/* Without the wish both ways lead on. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TW_CHANNEL_CONTROL, 0, control_only),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };
	const int one = 1;
	const int ret = set_option(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));

	return ret < 0 ? ret : set_option(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one));
}

static int set_ring(int fd, unsigned int blocks, unsigned int retire_ms)
{
	const int version = TPACKET_V3;
	const struct tpacket_req3 req = {
		.tp_block_size = RX_RING_BLOCK,
		.tp_block_nr = blocks,
		.tp_frame_size = FRAME_STEP,
		.tp_frame_nr = blocks * (RX_RING_BLOCK / FRAME_STEP),
		.tp_retire_blk_tov = retire_ms ? retire_ms : 1,
	};
	const int ret = set_option(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version));

	return ret < 0 ? ret : set_option(fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req));
}

static int bind_to(int fd, int ifindex)
{
	const struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = ifindex,
	};

	return bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
}

static int set_up(struct rx_ring *ring, int ifindex, const struct tw_rx_packet_options *o)
{
	void *blocks;
	int ret = set_filter(ring->fd, o->control_only);

	if (ret == 0)
		ret = set_ring(ring->fd, ring->n, o->retire_ms);
	if (ret < 0)
		return ret;
	blocks = mmap(NULL, (size_t)ring->n * RX_RING_BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (blocks == MAP_FAILED)
		return -errno;
	ring->blocks = blocks;
	return bind_to(ring->fd, ifindex);
}

void rx_ring__close(struct rx_ring *ring)
{
	if (ring->blocks)
		munmap(ring->blocks, (size_t)ring->n * RX_RING_BLOCK);
	if (ring->fd >= 0)
		close(ring->fd);
}

int rx_ring__open(int ifindex, const struct tw_rx_packet_options *o, struct rx_ring *ret)
{
	const size_t wanted = (o->ring ? o->ring : TW_RX_PACKET_RING) / RX_RING_BLOCK;
	struct rx_ring ring = { .n = wanted < 1 ? 1 : wanted > BLOCKS_MOST ? BLOCKS_MOST : (unsigned int)wanted };
	int error;

	ring.fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (ring.fd < 0)
		return -errno;
	error = set_up(&ring, ifindex, o);
	if (!error) {
		*ret = ring;
		return 0;
	}
	rx_ring__close(&ring);
	return error;
}
