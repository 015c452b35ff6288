/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_packet.h"

#include <errno.h>
#include <linux/filter.h>
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
	struct tw_receiver rx;
	struct rx_link link;
	struct rx_ring ring;
	unsigned int block; /* being read, or the next to be */
	bool held;          /* it is ours until given back */
	unsigned int left;  /* frames of it not yet handed out */
	const struct tpacket3_hdr *next;
	struct tw_receiver_stats stats;
	uint64_t dropped; /* of stats.dropped, what frames were told of */
	uint64_t taken;   /* blocks */
	/*
	 * While the ring is full, nothing comes after what is dropped. Asking for the counter then keeps the kernel from marking the block
	 * that comes after it later.
	 */
	bool full;
	uint64_t full_from; /* of stats.dropped, what may have been lost before a block that is in the ring */
	uint64_t tell_at; /* when as many blocks were taken, one comes that was closed after a loss; 0 = not known of */
	uint64_t last; /* of stats.dropped, what was lost when it was full last, unless a block has come behind that */
	struct tw_peer peer;
};

static struct rx_packet *of(struct tw_receiver *rx)
{
	return (struct rx_packet *)rx;
}

static struct tpacket_block_desc *block_at(const struct rx_packet *rx)
{
	return (struct tpacket_block_desc *)(rx->ring.blocks + (size_t)rx->block * RX_RING_BLOCK);
}

static uint32_t status_of(const struct rx_packet *rx, unsigned int block)
{
	struct tpacket_block_desc *desc =
		(struct tpacket_block_desc *)(rx->ring.blocks + (size_t)block * RX_RING_BLOCK);

	return __atomic_load_n(&desc->hdr.bh1.block_status, __ATOMIC_ACQUIRE);
}

static void give_back(struct rx_packet *rx)
{
	if (!rx->held)
		return;
	rx->full = false;
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

/* How many blocks after this one the kernel has marked, and one more: it may just be marking that. */
static uint64_t marked_behind(const struct rx_packet *rx)
{
	uint64_t n = 1;

	for (unsigned int i = 1; i < rx->ring.n; i++) {
		const uint32_t status = status_of(rx, (rx->block + i) % rx->ring.n);

		if (!(status & TP_STATUS_USER))
			break;
		n += !!(status & TP_STATUS_LOSING);
	}
	return n;
}

/*
 * The kernel marks the blocks that it closed after a loss, until it is asked, and then tells the sum. So marked blocks that
 * are in the ring already share one answer: of that something is kept for each.
 */
static void tell_loss(struct rx_packet *rx)
{
	uint64_t kept, untold;

	update_stats(rx);
	kept = marked_behind(rx);
	if (rx->taken >= rx->tell_at)
		rx->tell_at = 0;
	untold = rx->stats.dropped - rx->dropped;
	if (untold)
		rx->dropped += untold > kept ? untold - kept : 1;
}

static bool take_block(struct rx_packet *rx)
{
	struct tpacket_block_desc *block = block_at(rx);
	const uint32_t status = status_of(rx, rx->block);

	if (!(status & TP_STATUS_USER))
		return false;
	if (rx->tell_at && rx->taken >= rx->tell_at)
		rx->last = 0;
	if (status & TP_STATUS_LOSING || (rx->tell_at && rx->taken >= rx->tell_at))
		tell_loss(rx);
	rx->taken++;
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

static void take_frame(struct rx_packet *rx, struct tw_received_frame *ret)
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

static int packet_next(struct tw_receiver *base, int timeout_ms, struct tw_received_frame *ret)
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

static int packet_answer(struct tw_receiver *base, const struct tw_peer *to, const void *frame, size_t len)
{
	struct rx_packet *rx = of(base);

	return rx_link__answer(&rx->link, rx->ring.fd, to, frame, len);
}

/* Return: whether it has no room; @ret_losing: and a block that tells of a loss before it */
static bool is_full(const struct rx_packet *rx, bool *ret_losing)
{
	*ret_losing = false;
	for (unsigned int i = 0; i < rx->ring.n; i++) {
		const uint32_t status = status_of(rx, i);

		if (!(status & TP_STATUS_USER))
			return false;
		*ret_losing |= status & TP_STATUS_LOSING && !(rx->held && i == rx->block);
	}
	return true;
}

/* Return: 0 or -errno */
static int look_for_last(struct rx_packet *rx)
{
	const uint64_t before = rx->stats.dropped;
	bool losing;
	const bool full = is_full(rx, &losing);
	const int error = update_stats(rx);

	if (error || !full)
		return error;
	if (!rx->full)
		rx->full_from = losing ? rx->stats.dropped : before;
	rx->full = true;
	rx->last = rx->stats.dropped - rx->full_from;
	if (rx->stats.dropped != before)
		rx->tell_at = rx->taken + rx->ring.n - rx->held;
	return 0;
}

static int packet_stats(struct tw_receiver *base, struct tw_receiver_stats *ret)
{
	struct rx_packet *rx = of(base);
	const int error = look_for_last(rx);

	if (error)
		return error;
	*ret = rx->stats;
	ret->dropped_last = rx->last;
	return 0;
}

/* What a filter rejects is not counted. */
static void packet_stop(struct tw_receiver *base)
{
	struct sock_filter nothing[] = { BPF_STMT(BPF_RET | BPF_K, 0) };
	const struct sock_fprog program = { .len = 1, .filter = nothing };

	struct rx_packet *rx = of(base);

	setsockopt(rx->ring.fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
	look_for_last(rx);
}

static void packet_close(struct tw_receiver *base)
{
	struct rx_packet *rx = of(base);

	rx_ring__close(&rx->ring);
	free(rx);
}

static const struct tw_receiver_ops packet_ops = {
	.next = packet_next,
	.answer = packet_answer,
	.stop = packet_stop,
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

int tw_rx_packet__open(const struct tw_rx_packet_options *opts, struct tw_receiver **ret, struct tw_error *err)
{
	struct rx_packet *rx;
	int code;

	rx = calloc(1, sizeof(*rx));
	if (!rx)
		return refused(opts, -ENOMEM, err);
	rx->rx = (struct tw_receiver){ .ops = &packet_ops, .how = "TPACKET_V3" };
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
