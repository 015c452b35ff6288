/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_packet.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "vnet/rx_link.h"
#include "vnet/rx_out_of_band.h"
#include "vnet/socket.h"
#include "wire/tracewire.h"

/*
 * Size of a block, in which the largest frame of any interface fits. The kernel closes a block some ms after its first frame (retire_ms),
 * even if the block is almost empty. So at low rates, a reader loses no frame while it is late by less than retire_ms multiplied by the
 * number of blocks.
 */
#define BLOCK_BYTES (128u << 10)
#define BLOCKS_MAX  8192 /* 1 GiB */
#define FRAME_STEP  2048 /* the kernel requires a frame size, but stores the frames without gaps */

/* A packet socket with a TPACKET_V3 ring that receives only Tracewire frames. */
struct ring {
	int fd; /* -1 = not open */
	uint8_t *blocks;
	unsigned int n;
};

/*
 * Accepts only frames of Tracewire's EtherType, in full length. Called before the socket is bound, so that the socket receives no other
 * frame.
 */
static int set_filter(int fd, const struct tw_rx_packet_options *o)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 2 * ETH_ALEN),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TW_ETHERTYPE, 0, 5),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, ETH_HLEN + offsetof(struct tw_frame_hdr, source)),
		/* If the option is false, both branches lead to the next instruction. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TW_SOURCE_OUT_OF_BAND, o->separate ? 3 : 0, 0),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, ETH_HLEN + offsetof(struct tw_frame_hdr, channel)),
		/* If the option is false, both branches lead to the instruction that accepts the frame. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TW_CHANNEL_CONTROL, 0, o->control_only),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};

	return tw_socket__set_filter(fd, code, sizeof(code) / sizeof(code[0]));
}

static int set_ring(int fd, unsigned int blocks, unsigned int retire_ms)
{
	const struct tpacket_req3 req = {
		.tp_block_size = BLOCK_BYTES,
		.tp_block_nr = blocks,
		.tp_frame_size = FRAME_STEP,
		.tp_frame_nr = blocks * (BLOCK_BYTES / FRAME_STEP),
		.tp_retire_blk_tov = retire_ms ? retire_ms : 1,
	};
	const int err = tw_socket__set(fd, SOL_PACKET, PACKET_VERSION, TPACKET_V3);

	if (err)
		return err;
	return setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req)) < 0 ? -errno : 0;
}

static int set_up(struct ring *ring, int ifindex, const struct tw_rx_packet_options *o)
{
	void *blocks;
	int err = set_filter(ring->fd, o);

	if (!err)
		err = tw_socket__set(ring->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
	if (!err)
		err = set_ring(ring->fd, ring->n, o->retire_ms);
	if (err)
		return err;
	blocks = mmap(NULL, (size_t)ring->n * BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (blocks == MAP_FAILED)
		return -errno;
	ring->blocks = blocks;
	return tw_socket__bind_packet(ring->fd, ETH_P_ALL, ifindex);
}

static void ring__close(struct ring *ring)
{
	if (ring->blocks)
		munmap(ring->blocks, (size_t)ring->n * BLOCK_BYTES);
	if (ring->fd >= 0)
		close(ring->fd);
}

/* Return: 0 or -errno. Close @ring in either case */
static int ring__open(int ifindex, const struct tw_rx_packet_options *o, struct ring *ring)
{
	const size_t wanted = (o->ring ? o->ring : TW_RX_PACKET_RING) / BLOCK_BYTES;

	ring->n = wanted < 1 ? 1 : wanted > BLOCKS_MAX ? BLOCKS_MAX : (unsigned int)wanted;
	ring->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	return ring->fd < 0 ? -errno : set_up(ring, ifindex, o);
}

struct rx_packet {
	struct tw_receiver rx;
	struct rx_link link;
	struct ring ring;
	int out_of_band_fd; /* -1 = the ring has out-of-band frames, too */
	unsigned int block; /* the block being read, or the next one */
	bool held;          /* the block belongs to the reader until it is returned */
	unsigned int left;  /* frames of the block not yet handed out */
	const struct tpacket3_hdr *next;
	struct tw_receiver_stats stats;
	uint64_t dropped; /* the part of stats.dropped that the frames handed out have reported */
	uint64_t taken;   /* number of blocks taken */
	/*
	 * The ring was full when the statistics were last read. So no block in the ring follows the frames that had been dropped by then.
	 * The kernel will not mark the next block for these drops, because reading its drop counter has reset the counter to 0.
	 */
	bool full;
	uint64_t full_from; /* the part of stats.dropped that may have been dropped before a block in the ring */
	uint64_t report_at; /* blocks from this value of @taken on were closed after the last loss; 0 = unknown */
	uint64_t last;      /* the part of stats.dropped that was dropped after the last block in the ring */
	struct tw_peer peer;
	uint8_t out_of_band[RX_OUT_OF_BAND_MAX]; /* the last one of these frames */
};

static struct rx_packet *of(struct tw_receiver *rx)
{
	return (struct rx_packet *)rx;
}

static struct tpacket_block_desc *block_at(const struct rx_packet *rx, unsigned int block)
{
	return (struct tpacket_block_desc *)(rx->ring.blocks + (size_t)block * BLOCK_BYTES);
}

static uint32_t status_of(const struct rx_packet *rx, unsigned int block)
{
	return __atomic_load_n(&block_at(rx, block)->hdr.bh1.block_status, __ATOMIC_ACQUIRE);
}

static void return_block(struct rx_packet *rx)
{
	if (!rx->held)
		return;
	rx->full = false;
	__atomic_store_n(&block_at(rx, rx->block)->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	rx->block = (rx->block + 1) % rx->ring.n;
	rx->held = false;
}

/* Adds the kernel's counters to the statistics. The read resets the kernel's counters to 0. Return: 0 or -errno */
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
 * Return: the number of blocks in the ring, after the one that is read, that are marked (TP_STATUS_LOSING), plus one for a block that the
 * kernel may be marking now
 */
static uint64_t marked_after(const struct rx_packet *rx)
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
 * After a loss, the kernel marks each block that it closes, until its drop counter is read. The counter then has the sum of the losses
 * before all marked blocks, but not the number of frames lost before each block. Therefore this block reports the sum less one frame for
 * each block that marked_after() counts, but at least one frame. So each later marked block still has a loss to report.
 */
static void report_loss(struct rx_packet *rx)
{
	uint64_t kept, unreported;

	update_stats(rx);
	kept = marked_after(rx);
	if (rx->taken >= rx->report_at)
		rx->report_at = 0;
	unreported = rx->stats.dropped - rx->dropped;
	if (unreported)
		rx->dropped += unreported > kept ? unreported - kept : 1;
}

static bool take_block(struct rx_packet *rx)
{
	struct tpacket_block_desc *block = block_at(rx, rx->block);
	const uint32_t status = status_of(rx, rx->block);

	if (!(status & TP_STATUS_USER))
		return false;
	if (rx->report_at && rx->taken >= rx->report_at)
		rx->last = 0;
	if (status & TP_STATUS_LOSING || (rx->report_at && rx->taken >= rx->report_at))
		report_loss(rx);
	rx->taken++;
	rx->held = true;
	rx->left = block->hdr.bh1.num_pkts;
	rx->next = (const struct tpacket3_hdr *)((uint8_t *)block + block->hdr.bh1.offset_to_first_pkt);
	return true;
}

static void take_frame(struct rx_packet *rx, struct tw_received_frame *ret)
{
	const struct tpacket3_hdr *h = rx->next;
	const uint8_t *ethernet = (const uint8_t *)h + h->tp_mac;
	uint8_t tag[RX_LINK_TAG];

	rx_link__peer(&rx->link, ethernet,
		      rx_link__tag(h->tp_status, h->hv1.tp_vlan_tpid, (uint16_t)h->hv1.tp_vlan_tci, tag), &rx->peer);
	ret->data = ethernet + ETH_HLEN;
	ret->len = h->tp_snaplen > ETH_HLEN ? h->tp_snaplen - ETH_HLEN : 0;
	ret->time = (uint64_t)h->tp_sec * TW_NS_PER_SECOND + h->tp_nsec;
	ret->time_by = TW_STAMP_SOFTWARE;
	ret->card = (struct tw_card_stamp){ 0 };
	ret->dropped = rx->dropped;
	ret->from = &rx->peer;
	rx->next = (const struct tpacket3_hdr *)((const uint8_t *)h + h->tp_next_offset);
	rx->left--;
}

/* The interface's state is reported on the socket of the ring, too, so errors are ignored. Return: whether there was a frame */
static bool take_out_of_band(struct rx_packet *rx, struct tw_received_frame *ret)
{
	if (rx->out_of_band_fd < 0 ||
	    rx_out_of_band__take(&rx->link, rx->out_of_band_fd, rx->out_of_band, &rx->peer, ret) != 1)
		return false;
	ret->dropped = rx->dropped;
	rx->stats.frames++;
	return true;
}

/* Return: whether the ring had a block with frames, which is now the current one */
static bool next_block(struct rx_packet *rx)
{
	return_block(rx);
	while (take_block(rx)) {
		if (rx->left)
			return true;
		return_block(rx);
	}
	return false;
}

static int packet_next(struct tw_receiver *base, int timeout_ms, struct tw_received_frame *ret)
{
	struct rx_packet *rx = of(base);
	struct pollfd fds[] = {
		{ .fd = rx->ring.fd, .events = POLLIN },
		{ .fd = rx->out_of_band_fd, .events = POLLIN },
	};

	while (!rx->left) {
		int err;

		if (take_out_of_band(rx, ret))
			return 1;
		if (next_block(rx))
			break;
		err = rx_link__wait(&rx->link, fds, 2, &timeout_ms);
		if (err <= 0)
			return err;
	}
	take_frame(rx, ret);
	return 1;
}

static int packet_answer(struct tw_receiver *base, const struct tw_peer *to, const void *frame, size_t len,
			 uint32_t cookie)
{
	struct rx_packet *rx = of(base);

	return rx_link__answer(&rx->link, rx->ring.fd, to, frame, len, cookie);
}

static bool packet_sent(struct tw_receiver *base, struct tw_sent_stamp *ret)
{
	return rx_link__sent(&of(base)->link, ret);
}

/* Return: whether the ring is full. If it is, @ret_losing is set to whether a block that was not taken yet is marked (TP_STATUS_LOSING). */
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

/* Updates the statistics and @last, the number of drops after the last block in the ring. Return: 0 or -errno */
static int look_for_last(struct rx_packet *rx)
{
	const uint64_t before = rx->stats.dropped;
	bool losing;
	const bool full = is_full(rx, &losing);
	const int err = update_stats(rx);

	if (err || !full)
		return err;
	if (!rx->full)
		rx->full_from = losing ? rx->stats.dropped : before;
	rx->full = true;
	rx->last = rx->stats.dropped - rx->full_from;
	if (rx->stats.dropped != before)
		rx->report_at = rx->taken + rx->ring.n - rx->held;
	return 0;
}

static int packet_stats(struct tw_receiver *base, struct tw_receiver_stats *ret)
{
	struct rx_packet *rx = of(base);
	const int err = look_for_last(rx);

	if (err)
		return err;
	*ret = rx->stats;
	ret->dropped_last = rx->last;
	return 0;
}

/* Rejects all later frames with a socket filter. The kernel does not count such frames as dropped. */
static void packet_stop(struct tw_receiver *base)
{
	struct rx_packet *rx = of(base);

	tw_socket__reject_all(rx->ring.fd);
	look_for_last(rx);
}

static void packet_close(struct tw_receiver *base)
{
	struct rx_packet *rx = of(base);

	ring__close(&rx->ring);
	if (rx->out_of_band_fd >= 0)
		close(rx->out_of_band_fd);
	free(rx);
}

static const struct tw_receiver_ops packet_ops = {
	.next = packet_next,
	.answer = packet_answer,
	.sent = packet_sent,
	.stop = packet_stop,
	.stats = packet_stats,
	.close = packet_close,
};

static int refused(const struct tw_rx_packet_options *o, int err, struct tw_error *error)
{
	if (err == -EPERM)
		return tw_error__set(error, err, "cannot receive on %s: this requires root or CAP_NET_RAW", o->ifname);
	if (err == -ENOMEM)
		return tw_error__set(error, err, "cannot receive on %s: the kernel has no memory for the ring",
				     o->ifname);
	return tw_error__set(error, err, "cannot receive on %s: %s", o->ifname,
			     err == -ENODEV ? "there is no such interface; `ip -br link` lists all interfaces"
					    : strerror(-err));
}

static int open_sockets(struct rx_packet *rx, const struct tw_rx_packet_options *opts)
{
	struct tw_rx_packet_options o = *opts;
	int err;

	o.separate = !o.control_only && (o.separate || rx_link__is_stamped(o.ifname));
	err = ring__open(rx->link.ifindex, &o, &rx->ring);
	if (!err && o.separate)
		err = rx_out_of_band__open(rx->link.ifindex, &rx->out_of_band_fd);
	if (err)
		return err;
	tx_stamps__enable(&rx->link.stamps, rx->ring.fd, rx->link.ifindex, &rx->rx.card_stamps);
	if (o.separate)
		tx_stamps__receive(rx->out_of_band_fd);
	return 0;
}

int tw_rx_packet__open(const struct tw_rx_packet_options *opts, struct tw_receiver **ret, struct tw_error *error)
{
	struct rx_packet *rx;
	int err;

	rx = calloc(1, sizeof(*rx));
	if (!rx)
		return refused(opts, -ENOMEM, error);
	rx->rx = (struct tw_receiver){ .ops = &packet_ops, .how = "TPACKET_V3" };
	rx->ring.fd = rx->out_of_band_fd = -1;
	err = rx_link__find(opts->ifname, &rx->link);
	if (err == 0)
		err = open_sockets(rx, opts);
	if (err < 0) {
		packet_close(&rx->rx);
		return refused(opts, err, error);
	}
	rx->rx.frame_max = rx->link.frame_max;
	*ret = &rx->rx;
	return 0;
}
