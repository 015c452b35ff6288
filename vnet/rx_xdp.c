/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_xdp.h"

#include <errno.h>
#include <limits.h>
#include <linux/if_ether.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/time.h"
#include "vnet/rx_aside.h"
#include "vnet/rx_xdp_port.h"
#include "wire/tracewire.h"

#define RING_LEAST 64
#define RING_MOST  (1u << 20)
#define TURN       64 /* frames of a queue before the next one has its turn */

struct rx_xdp {
	struct tw_receiver rx;
	struct rx_xdp_port port;
	unsigned int current; /* queue whose turn it is */
	unsigned int turn;    /* frames left of it */
	long pause;           /* ns */
	bool pause_due;       /* frames came since the last one */
	bool stopped;         /* what is dropped from now on does not count */
	uint64_t told;        /* of the losses of all queues, what frames handed out know of */
	uint64_t asides;      /* frames beside streams */
	struct tw_peer peer;
	uint8_t whole[RX_XDP_PACKET_MOST]; /* of several chunks, put together; or out of band */
};

static struct rx_xdp *of(struct tw_receiver *rx)
{
	return (struct rx_xdp *)rx;
}

static void next_queue(struct rx_xdp *rx)
{
	rx->current = rx->current + 1 < rx->port.n ? rx->current + 1 : 0;
	rx->turn = TURN;
}

static bool take_packet(struct rx_xdp *rx, struct rx_xdp_packet *ret)
{
	if (!rx->turn)
		next_queue(rx);
	for (unsigned int i = 0; i < rx->port.n; i++) {
		struct rx_xdp_queue *queue = &rx->port.queues[rx->current];
		const uint64_t told = queue->told;

		if (rx_xdp_queue__take(queue, rx->whole, sizeof(rx->whole), ret)) {
			rx->told += queue->told - told;
			rx->turn--;
			return true;
		}
		next_queue(rx);
	}
	return false;
}

static uint64_t dropped(const struct rx_xdp *rx)
{
	return rx->told + rx_xdp_program__missed(&rx->port.program);
}

/* The program has seen that there is nothing else in front of our EtherType. */
static void make_frame(struct rx_xdp *rx, const struct rx_xdp_packet *packet, struct tw_received_frame *ret)
{
	const uint8_t *ethertype = packet->data + 2 * ETH_ALEN;
	const uint8_t *tag = tw_load_be16(ethertype) == TW_ETHERTYPE ? NULL : ethertype;
	const size_t header = ETH_HLEN + (tag ? RX_LINK_TAG : 0);

	rx_link__peer(&rx->port.link, packet->data, tag, &rx->peer);
	ret->data = packet->data + header;
	ret->len = packet->len - header;
	ret->time = packet->time;
	ret->dropped = dropped(rx);
	ret->from = &rx->peer;
}

/* Return: whether there was a pause, so that it is worth to look again */
static bool make_pause(struct rx_xdp *rx, int *timeout_ms)
{
	const long rest = *timeout_ms < 0 ? LONG_MAX : *timeout_ms * (long)TW_NS_PER_MS;
	const struct timespec pause = { .tv_nsec = rx->pause < rest ? rx->pause : rest };

	if (!rx->pause_due || !pause.tv_nsec)
		return false;
	rx->pause_due = false;
	if (*timeout_ms > 0)
		*timeout_ms -= (int)(pause.tv_nsec / (long)TW_NS_PER_MS);
	return nanosleep(&pause, NULL) == 0;
}

/* Return: as rx_aside__receive() */
static int take_aside(struct rx_xdp *rx, struct tw_received_frame *ret)
{
	int code;

	if (!(rx->port.fds[0].revents & POLLIN))
		return 0;
	rx->port.fds[0].revents = 0;
	code = rx_aside__receive(rx->port.aside_fd, &rx->port.link, rx->whole, &rx->peer, ret);
	if (code <= 0)
		return code;
	ret->dropped = dropped(rx);
	rx->asides++;
	return 1;
}

/* Return: 1 with a frame; 0 if there is none; -errno */
static int take_frame(struct rx_xdp *rx, struct tw_received_frame *ret)
{
	struct rx_xdp_packet packet;

	if (!take_packet(rx, &packet))
		return take_aside(rx, ret);
	make_frame(rx, &packet, ret);
	rx->pause_due = true;
	return 1;
}

static int xdp_next(struct tw_receiver *base, int timeout_ms, struct tw_received_frame *ret)
{
	struct rx_xdp *rx = of(base);
	int code;

	while (!(code = take_frame(rx, ret))) {
		const bool paused = make_pause(rx, &timeout_ms);
		int at_once = 0;

		code = rx_link__wait(&rx->port.link, rx->port.fds, rx->port.n + 1, paused ? &at_once : &timeout_ms);
		if (code < 0 || (!code && !paused))
			break;
	}
	return code;
}

static int xdp_answer(struct tw_receiver *base, const struct tw_peer *to, const void *frame, size_t len)
{
	struct rx_xdp *rx = of(base);

	return rx_link__answer(&rx->port.link, rx->port.aside_fd, to, frame, len);
}

static int xdp_stats(struct tw_receiver *base, struct tw_receiver_stats *ret)
{
	struct rx_xdp *rx = of(base);
	struct tw_receiver_stats stats = { .frames = rx->asides, .dropped = rx_xdp_program__missed(&rx->port.program) };

	for (unsigned int i = 0; i < rx->port.n; i++) {
		struct rx_xdp_queue *queue = &rx->port.queues[i];
		const int error = rx_xdp_queue__update_dropped(queue);

		if (error)
			return error;
		stats.frames += queue->frames + rx_xdp_queue__waiting(queue);
		stats.dropped += rx->stopped ? queue->at_stop : queue->dropped;
		stats.dropped_last += rx_xdp_queue__dropped_last(queue, rx->stopped ? queue->at_stop : queue->dropped);
	}
	*ret = stats;
	return 0;
}

/* The program goes on: frames that it passed on would find nobody else. */
static void xdp_stop(struct tw_receiver *base)
{
	struct rx_xdp *rx = of(base);

	for (unsigned int i = 0; i < rx->port.n; i++) {
		rx_xdp_queue__update_dropped(&rx->port.queues[i]);
		rx->port.queues[i].at_stop = rx->port.queues[i].dropped;
	}
	rx->stopped = true;
}

static void xdp_close(struct tw_receiver *base)
{
	struct rx_xdp *rx = of(base);

	rx_xdp_port__close(&rx->port);
	free(rx);
}

static const struct tw_receiver_ops xdp_ops = {
	.next = xdp_next,
	.answer = xdp_answer,
	.stop = xdp_stop,
	.stats = xdp_stats,
	.close = xdp_close,
};

/* The interface is not free: of which there are two kinds. */
static int not_free(const char *ifname, int ifindex, struct tw_error *err)
{
	const struct rx_xdp_other other = rx_xdp_program__find_other(ifindex);

	if (!other.id)
		return tw_error__set(err, -EBUSY,
				     "cannot receive on %s through AF_XDP: another process has one of its queues",
				     ifname);
	return tw_error__set(
		err, -EEXIST,
		"cannot receive on %s through AF_XDP: it has an XDP program already, %s with id %u, and AF_XDP "
		"takes the interface for itself; TPACKET_V3 receives beside others",
		ifname, *other.name ? other.name : "without a name", other.id);
}

static int refused(const char *ifname, int ifindex, int code, struct tw_error *err)
{
	const char *why = strerror(-code);

	switch (code) {
	case -EEXIST:
	case -EBUSY:
		return not_free(ifname, ifindex, err);
	case -ENODEV:
		why = "there is no such interface; ip -br link lists those there are";
		break;
	case -EPERM:
		why = "that takes root or CAP_NET_ADMIN, CAP_NET_RAW and CAP_BPF";
		break;
	case -EAFNOSUPPORT:
		why = "this kernel is built without it (CONFIG_XDP_SOCKETS)";
		break;
	case -ENOMEM:
	case -ENOBUFS:
		why = "there is not enough memory for the rings; ask for smaller ones";
		break;
	}
	return tw_error__set(err, code, "cannot receive on %s through AF_XDP: %s", ifname, why);
}

static bool is_ring(uint32_t ring)
{
	return !ring || (ring >= RING_LEAST && ring <= RING_MOST && !(ring & (ring - 1)));
}

int tw_rx_xdp__open(const struct tw_rx_xdp_options *opts, struct tw_receiver **ret, struct tw_error *err)
{
	struct rx_xdp *rx;
	int code;

	if (!is_ring(opts->ring))
		return tw_error__set(err, -EINVAL,
				     "a ring of %u chunks cannot be: a power of two from %u to %u is needed",
				     opts->ring, RING_LEAST, RING_MOST);
	rx = calloc(1, sizeof(*rx));
	if (!rx)
		return refused(opts->ifname, 0, -ENOMEM, err);
	rx->pause = (opts->pause_us ? opts->pause_us : TW_RX_XDP_PAUSE) * (long)(TW_NS_PER_MS / 1000);
	code = rx_xdp_port__open(opts->ifname, opts->ring, &rx->port);
	rx->rx = (struct tw_receiver){ .ops = &xdp_ops, .frame_max = rx->port.frame_max, .how = rx->port.how };
	if (!code) {
		*ret = &rx->rx;
		return 0;
	}
	code = refused(opts->ifname, rx->port.link.ifindex, code, err);
	xdp_close(&rx->rx);
	return code;
}
