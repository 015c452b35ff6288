/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sending through AF_PACKET: a ring of slots, passed to sendmmsg() in batches. Frames go through the interface's queue, which holds them
 * while the receiver is slow. The socket's send buffer limits the frames in this queue to about the number of slots. A frame that is
 * refused stays in its slot and is sent again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "vnet/socket.h"
#include "vnet/tx_link.h"

struct tx_packet {
	struct tx_sink tx;
	int fd;
	uint8_t *area;
	size_t slot_bytes;
	unsigned int head, tail; /* number of frames committed, number of frames sent, since the opening */
	struct iovec iov[TX_SLOTS];
	struct mmsghdr msgs[TX_SLOTS];
};

_Static_assert((TX_SLOTS & (TX_SLOTS - 1)) == 0, "head and tail may wrap");

static struct tx_packet *of(struct tw_sink *sink)
{
	return (struct tx_packet *)sink;
}

static uint8_t *slot_of(const struct tx_packet *p, unsigned int number)
{
	return p->area + number % TX_SLOTS * p->slot_bytes;
}

static void drop_waiting(struct tx_packet *p)
{
	for (; p->tail != p->head; p->tail++)
		tx_sink__drop(&p->tx, slot_of(p, p->tail));
}

static int break_down(struct tx_packet *p)
{
	drop_waiting(p);
	p->tx.broken = -ENODEV;
	return p->tx.broken;
}

/* Return: 0 = continue; -EAGAIN = try again later; another -errno = no more frames can be sent */
static int handle_failure(struct tx_packet *p)
{
	switch (errno) {
	case EINTR:
		return 0;
	case ENOBUFS: /* the interface has dropped the frame: send it again */
		tx_sink__explain(&p->tx);
		return -EAGAIN;
	case ENETDOWN: /* the interface may come up again */
		p->tx.sink.blocked_by = TX_DOWN;
		return -EAGAIN;
	case EAGAIN:
	case ENOMEM:
		return -EAGAIN;
	case EMSGSIZE: /* the MTU was lowered */
		tx_sink__drop(&p->tx, slot_of(p, p->tail++));
		return 0;
	default:
		return break_down(p);
	}
}

/* Sends one batch, at most up to the end of the ring of slots. */
static int send_batch(struct tx_packet *p)
{
	const unsigned int first = p->tail % TX_SLOTS;
	unsigned int n = p->head - p->tail;
	int sent;

	if (n > TX_BATCH)
		n = TX_BATCH;
	if (n > TX_SLOTS - first)
		n = TX_SLOTS - first;
	p->tx.sink.blocked_by = NULL;
	sent = sendmmsg(p->fd, p->msgs + first, n, MSG_DONTWAIT);
	if (sent < 0)
		return handle_failure(p);
	p->tail += (unsigned int)sent;
	return 0;
}

static int packet_flush(struct tw_sink *sink)
{
	struct tx_packet *p = of(sink);
	int ret = p->tx.broken;

	while (!ret && p->tail != p->head)
		ret = send_batch(p);
	return ret;
}

static void *packet_reserve(struct tw_sink *sink)
{
	struct tx_packet *p = of(sink);

	if (p->head - p->tail == TX_SLOTS) {
		p->tx.stats.waits++;
		return NULL;
	}
	return slot_of(p, p->head) + TX_OVERHEAD;
}

static void packet_commit(struct tw_sink *sink, size_t len)
{
	struct tx_packet *p = of(sink);

	p->tx.stats.frames++;
	p->tx.stats.bytes += len;
	if (p->tx.broken) {
		tx_sink__drop(&p->tx, slot_of(p, p->head));
		return;
	}
	p->iov[p->head % TX_SLOTS].iov_len = ETH_HLEN + len;
	p->head++;
	if (p->head % TX_BATCH == 0)
		send_batch(p); /* the next batch or flush sends the rest */
}

static void packet_give_up(struct tw_sink *sink)
{
	drop_waiting(of(sink));
}

static void packet_close(struct tw_sink *sink)
{
	struct tx_packet *p = of(sink);

	if (p->fd >= 0)
		close(p->fd);
	tx_sink__fini(&p->tx);
	free(p->area);
	free(p);
}

static const struct tw_sink_ops packet_ops = {
	.reserve = packet_reserve,
	.commit = packet_commit,
	.flush = packet_flush,
	.stats = tx_sink__stats,
	.give_up = packet_give_up,
	.close = packet_close,
};

static void init_slots(struct tx_packet *p)
{
	for (unsigned int i = 0; i < TX_SLOTS; i++) {
		uint8_t *slot = p->area + i * p->slot_bytes;

		tx_slot__init(slot, &p->tx.link);
		p->iov[i].iov_base = slot + TX_PAD;
		p->msgs[i].msg_hdr.msg_iov = &p->iov[i];
		p->msgs[i].msg_hdr.msg_iovlen = 1;
	}
}

/* Opens a socket that only sends (protocol 0). Return: the socket, or -errno */
static int open_socket(int ifindex)
{
	const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return -errno;
	err = tw_socket__bind_packet(fd, 0, ifindex);
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int refused(const struct tx_link *link, int err, struct tw_error *error)
{
	if (err == -EPERM)
		return tw_error__set(error, err, "cannot send on %s: this requires root or CAP_NET_RAW", link->name);
	return tw_error__set(error, err, "cannot send on %s through AF_PACKET: %s", link->name, strerror(-err));
}

int tx_packet__open(const struct tx_link *link, const char *why, struct tw_sink **ret, struct tw_error *error)
{
	struct tx_packet *p = calloc(1, sizeof(*p));
	int err = -ENOMEM;

	if (!p)
		return refused(link, err, error);
	p->slot_bytes = (tx_slot__bytes(link->frame_max) + 63) & ~(size_t)63;
	if (tx_sink__init(&p->tx, &packet_ops, link)) {
		free(p);
		return refused(link, err, error);
	}
	p->fd = open_socket(link->ifindex);
	if (p->fd < 0) {
		err = p->fd;
		goto fail;
	}
	tw_socket__set_send_buffer(p->fd, TX_SEND_BUFFER(p->slot_bytes));
	p->area = aligned_alloc(64, TX_SLOTS * p->slot_bytes);
	if (!p->area)
		goto fail;
	init_slots(p);
	snprintf(p->tx.how, sizeof(p->tx.how), "AF_PACKET sendmmsg%s%s%s", why ? " (" : "", why ? why : "",
		 why ? ")" : "");
	*ret = &p->tx.sink;
	return 0;
fail:
	packet_close(&p->tx.sink);
	return refused(link, err, error);
}
