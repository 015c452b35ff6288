/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_packet.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/bytes.h"
#include "base/time.h"
#include "vnet/rx_link.h"
#include "vnet/rx_ring.h"

struct rx_packet {
	struct tw_rx rx;
	struct rx_link link;
	struct rx_ring ring;
	unsigned int block; /* being read, or the next to be */
	bool held;          /* it is ours until given back */
	unsigned int left;  /* frames of it not yet handed out */
	const struct tpacket3_hdr *next;
	struct tw_rx_stats stats;
	uint64_t dropped; /* of stats.dropped, what frames were told of */
	struct tw_rx_peer peer;
};

static struct rx_packet *of(struct tw_rx *rx)
{
	return (struct rx_packet *)rx;
}

static struct tpacket_block_desc *block_at(const struct rx_packet *rx)
{
	return (struct tpacket_block_desc *)(rx->ring.blocks + (size_t)rx->block * RX_RING_BLOCK);
}

static void give_back(struct rx_packet *rx)
{
	if (!rx->held)
		return;
	__atomic_store_n(&block_at(rx)->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	rx->block = (rx->block + 1) % rx->ring.n;
	rx->held = false;
}

/* Reading the kernel's counters sets them to zero. Return: 0 or -errno */
static int update_stats(struct rx_packet *rx)
{
	struct tpacket_stats_v3 since;
	socklen_t len = sizeof(since);

	if (getsockopt(rx->ring.fd, SOL_PACKET, PACKET_STATISTICS, &since, &len) < 0)
		return -errno;
	rx->stats.frames += since.tp_packets - since.tp_drops;
	rx->stats.dropped += since.tp_drops;
	return 0;
}

/*
 * The kernel marks the blocks that it closed after a loss, until it is asked, and then tells the sum. So marked blocks that
 * are in the ring already share one answer: of that something is kept for each.
 */
static void tell_loss(struct rx_packet *rx)
{
	const uint64_t kept = rx->ring.n - 1;
	uint64_t untold;

	update_stats(rx);
	untold = rx->stats.dropped - rx->dropped;
	if (untold)
		rx->dropped += untold > kept ? untold - kept : 1;
}

static bool take_block(struct rx_packet *rx)
{
	struct tpacket_block_desc *block = block_at(rx);
	const uint32_t status = __atomic_load_n(&block->hdr.bh1.block_status, __ATOMIC_ACQUIRE);

	if (!(status & TP_STATUS_USER))
		return false;
	if (status & TP_STATUS_LOSING)
		tell_loss(rx);
	rx->held = true;
	rx->left = block->hdr.bh1.num_pkts;
	rx->next = (const struct tpacket3_hdr *)((uint8_t *)block + block->hdr.bh1.offset_to_first_pkt);
	return true;
}

/* The kernel takes the first tag out of the frame. Return: it as it was, or NULL */
static const uint8_t *tag_of(const struct tpacket3_hdr *h, uint8_t tag[RX_LINK_TAG])
{
	if (!(h->tp_status & TP_STATUS_VLAN_VALID))
		return NULL;
	tw_store_be16(tag, h->tp_status & TP_STATUS_VLAN_TPID_VALID ? h->hv1.tp_vlan_tpid : ETH_P_8021Q);
	tw_store_be16(tag + sizeof(uint16_t), (uint16_t)h->hv1.tp_vlan_tci);
	return tag;
}

static void take_frame(struct rx_packet *rx, struct tw_rx_frame *ret)
{
	const struct tpacket3_hdr *h = rx->next;
	const uint8_t *ethernet = (const uint8_t *)h + h->tp_mac;
	uint8_t tag[RX_LINK_TAG];

	rx_link__peer(&rx->link, ethernet, tag_of(h, tag), &rx->peer);
	ret->data = ethernet + ETH_HLEN;
	ret->len = h->tp_snaplen > ETH_HLEN ? h->tp_snaplen - ETH_HLEN : 0;
	ret->time = (uint64_t)h->tp_sec * TW_NS_PER_SECOND + h->tp_nsec;
	ret->dropped = rx->dropped;
	ret->from = &rx->peer;
	rx->next = (const struct tpacket3_hdr *)((const uint8_t *)h + h->tp_next_offset);
	rx->left--;
}

/* Step to a block that has frames. Return: 1, or what rx_link__wait() says */
static int next_block(struct rx_packet *rx, int timeout_ms)
{
	struct pollfd fd = { .fd = rx->ring.fd, .events = POLLIN };
	int ret;

	for (;;) {
		give_back(rx);
		while (take_block(rx)) {
			if (rx->left)
				return 1;
			give_back(rx);
		}
		ret = rx_link__wait(&rx->link, &fd, 1, &timeout_ms);
		if (ret <= 0)
			return ret;
	}
}

static int packet_next(struct tw_rx *base, int timeout_ms, struct tw_rx_frame *ret)
{
	struct rx_packet *rx = of(base);

	if (!rx->left) {
		const int code = next_block(rx, timeout_ms);

		if (code <= 0)
			return code;
	}
	take_frame(rx, ret);
	return 1;
}

static int packet_answer(struct tw_rx *base, const struct tw_rx_peer *to, const void *frame, size_t len)
{
	struct rx_packet *rx = of(base);

	return rx_link__answer(&rx->link, rx->ring.fd, to, frame, len);
}

static int packet_stats(struct tw_rx *base, struct tw_rx_stats *ret)
{
	struct rx_packet *rx = of(base);
	const int error = update_stats(rx);

	if (!error)
		*ret = rx->stats;
	return error;
}

static void packet_close(struct tw_rx *base)
{
	struct rx_packet *rx = of(base);

	rx_ring__close(&rx->ring);
	free(rx);
}

static const struct tw_rx_ops packet_ops = {
	.next = packet_next,
	.answer = packet_answer,
	.stats = packet_stats,
	.close = packet_close,
};

static int refused(const struct tw_rx_packet_options *o, int code, struct tw_error *err)
{
	if (code == -EPERM)
		return tw_error__set(err, code, "cannot receive on %s: that takes root or CAP_NET_RAW", o->ifname);
	if (code == -ENOMEM)
		return tw_error__set(
			err, code, "cannot receive on %s: the kernel has no memory for the ring; ask for a smaller one",
			o->ifname);
	return tw_error__set(err, code, "cannot receive on %s: %s", o->ifname,
			     code == -ENODEV ? "there is no such interface; ip -br link lists those there are"
					     : strerror(-code));
}

int tw_rx_packet__open(const struct tw_rx_packet_options *opts, struct tw_rx **ret, struct tw_error *err)
{
	struct rx_packet *rx;
	int code;

	rx = calloc(1, sizeof(*rx));
	if (!rx)
		return refused(opts, -ENOMEM, err);
	rx->rx = (struct tw_rx){ .ops = &packet_ops, .how = "TPACKET_V3" };
	rx->ring.fd = -1;
	code = rx_link__find(opts->ifname, &rx->link);
	if (code == 0)
		code = rx_ring__open(rx->link.ifindex, opts, &rx->ring);
	if (code < 0) {
		packet_close(&rx->rx);
		return refused(opts, code, err);
	}
	rx->rx.frame_max = rx->link.frame_max;
	*ret = &rx->rx;
	return 0;
}
