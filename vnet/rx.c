/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "wire/tracewire.h"

#define BLOCK       (1u << 20)
#define BLOCKS_MOST 1024
#define FRAME_STEP  2048 /* what the kernel wants to know for the ring's arithmetic; frames lie densely */

struct tw_rx {
	int fd;
	int ifindex;
	uint8_t *ring;
	unsigned int blocks;
	unsigned int block; /* being read, or the next to be */
	bool held;          /* it is ours until given back */
	unsigned int left;  /* frames of it not yet handed out */
	const struct tpacket3_hdr *next;
	bool gone; /* the interface, for good */
	struct tw_rx_stats stats;
};

static struct tpacket_block_desc *block_at(const struct tw_rx *rx)
{
	return (struct tpacket_block_desc *)(rx->ring + (size_t)rx->block * BLOCK);
}

static void give_back(struct tw_rx *rx)
{
	if (!rx->held)
		return;
	__atomic_store_n(&block_at(rx)->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	rx->block = (rx->block + 1) % rx->blocks;
	rx->held = false;
}

static bool take_block(struct tw_rx *rx)
{
	struct tpacket_block_desc *block = block_at(rx);

	if (!(__atomic_load_n(&block->hdr.bh1.block_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER))
		return false;
	rx->held = true;
	rx->left = block->hdr.bh1.num_pkts;
	rx->next = (const struct tpacket3_hdr *)((uint8_t *)block + block->hdr.bh1.offset_to_first_pkt);
	return true;
}

static void take_frame(struct tw_rx *rx, struct tw_rx_frame *ret)
{
	const struct tpacket3_hdr *h = rx->next;

	ret->data = (const uint8_t *)h + h->tp_mac + ETH_HLEN;
	ret->len = h->tp_snaplen > ETH_HLEN ? h->tp_snaplen - ETH_HLEN : 0;
	ret->time = (uint64_t)h->tp_sec * 1000000000u + h->tp_nsec;
	rx->next = (const struct tpacket3_hdr *)((const uint8_t *)h + h->tp_next_offset);
	rx->left--;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* What the kernel holds against the socket, which it says only once: the interface went down, or has vanished. */
static int socket_error(struct tw_rx *rx)
{
	char name[IFNAMSIZ];
	socklen_t len = sizeof(int);
	int err = 0;

	if (getsockopt(rx->fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
		return -errno;
	rx->gone = err == ENETDOWN && !if_indextoname((unsigned int)rx->ifindex, name);
	return rx->gone ? -ENODEV : -err;
}

/* Return: 1 = look again, 0 = the time is over or a signal came, -errno */
static int wait_for_block(struct tw_rx *rx, int timeout_ms)
{
	struct pollfd pfd = { .fd = rx->fd, .events = POLLIN | POLLERR };
	int n, err;

	if (rx->gone)
		return -ENODEV;
	n = poll(&pfd, 1, timeout_ms);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (n == 0)
		return 0;
	err = pfd.revents & POLLERR ? socket_error(rx) : 0;
	return err ? err : 1;
}

/* Step to a block that has frames. Return: 1, or what wait_for_block() says */
static int next_block(struct tw_rx *rx, int timeout_ms)
{
	const int64_t end = timeout_ms > 0 ? now_ms() + timeout_ms : 0;
	int ret;

	for (;;) {
		give_back(rx);
		while (take_block(rx)) {
			if (rx->left)
				return 1;
			give_back(rx);
		}
		ret = wait_for_block(rx, timeout_ms);
		if (ret <= 0)
			return ret;
		if (timeout_ms > 0) {
			const int64_t rest = end - now_ms();

			timeout_ms = rest > 0 ? (int)rest : 0;
		}
	}
}

int tw_rx__next(struct tw_rx *rx, int timeout_ms, struct tw_rx_frame *ret)
{
	if (!rx->left) {
		const int code = next_block(rx, timeout_ms);

		if (code <= 0)
			return code;
	}
	take_frame(rx, ret);
	return 1;
}

int tw_rx__stats(struct tw_rx *rx, struct tw_rx_stats *ret)
{
	struct tpacket_stats_v3 since; /* the last call: the kernel starts anew */
	socklen_t len = sizeof(since);

	if (getsockopt(rx->fd, SOL_PACKET, PACKET_STATISTICS, &since, &len) < 0)
		return -errno;
	rx->stats.frames += since.tp_packets - since.tp_drops;
	rx->stats.dropped += since.tp_drops;
	*ret = rx->stats;
	return 0;
}

void tw_rx__close(struct tw_rx *rx)
{
	if (!rx)
		return;
	if (rx->ring)
		munmap(rx->ring, (size_t)rx->blocks * BLOCK);
	if (rx->fd >= 0)
		close(rx->fd);
	free(rx);
}

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

static int set_ring(struct tw_rx *rx, unsigned int retire_ms)
{
	const int version = TPACKET_V3;
	const struct tpacket_req3 req = {
		.tp_block_size = BLOCK,
		.tp_block_nr = rx->blocks,
		.tp_frame_size = FRAME_STEP,
		.tp_frame_nr = rx->blocks * (BLOCK / FRAME_STEP),
		.tp_retire_blk_tov = retire_ms ? retire_ms : 1,
	};
	void *ring;
	int ret = set_option(rx->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version));

	if (ret == 0)
		ret = set_option(rx->fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req));
	if (ret < 0)
		return ret;
	ring = mmap(NULL, (size_t)rx->blocks * BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, rx->fd, 0);
	if (ring == MAP_FAILED)
		return -errno;
	rx->ring = ring;
	return 0;
}

static int bind_to(struct tw_rx *rx)
{
	const struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = rx->ifindex,
	};

	return bind(rx->fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
}

static int set_up(struct tw_rx *rx, const struct tw_rx_options *o)
{
	int ret;

	rx->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (rx->fd < 0)
		return -errno;
	ret = set_filter(rx->fd, o->control_only);
	if (ret == 0)
		ret = set_ring(rx, o->retire_ms);
	return ret < 0 ? ret : bind_to(rx);
}

static int refused(const struct tw_rx_options *o, int code, struct tw_error *err)
{
	if (code == -EPERM)
		return tw_error__set(err, code, "cannot receive on %s: that takes root or CAP_NET_RAW", o->ifname);
	if (code == -ENOMEM)
		return tw_error__set(
			err, code, "cannot receive on %s: the kernel has no memory for the ring; ask for a smaller one",
			o->ifname);
	return tw_error__set(err, code, "cannot receive on %s: %s", o->ifname,
			     code == -ENODEV ? "there is no such interface" : strerror(-code));
}

int tw_rx__open(const struct tw_rx_options *opts, struct tw_rx **ret, struct tw_error *err)
{
	const size_t blocks = (opts->ring ? opts->ring : TW_RX_RING) / BLOCK;
	struct tw_rx *rx;
	int code;

	rx = calloc(1, sizeof(*rx));
	if (!rx)
		return refused(opts, -ENOMEM, err);
	rx->fd = -1;
	rx->blocks = blocks < 1 ? 1 : blocks > BLOCKS_MOST ? BLOCKS_MOST : (unsigned int)blocks;
	rx->ifindex = (int)if_nametoindex(opts->ifname);
	code = rx->ifindex ? set_up(rx, opts) : -ENODEV;
	if (code < 0) {
		tw_rx__close(rx);
		return refused(opts, code, err);
	}
	*ret = rx;
	return 0;
}
