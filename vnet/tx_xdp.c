/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sending through AF_XDP in copy mode. A slot consists of consecutive UMEM chunks, so that a frame of any size is written in one piece.
 * A frame of more than one chunk is sent as several descriptors (multi-buffer), if the kernel supports that.
 *
 * The kernel transmits when sendto() is called, at most TX_BATCH descriptors per call. When the kernel no longer needs a descriptor, it
 * returns the descriptor on the completion ring. This does not mean that the frame was delivered.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "vnet/af_xdp.h"
#include "vnet/socket.h"
#include "vnet/tx_link.h"

#define CHUNK      AF_XDP_CHUNK
#define RING       2048 /* number of descriptors in a ring; at least as many as all slots can have */
#define FILL_RING  64   /* not used, because nothing is received, but a UMEM must have it */
#define CHUNKS_MAX ((TX_OVERHEAD + TW_FRAME_MAX + TW_COPY_STEP + CHUNK - 1) / CHUNK)

_Static_assert(TX_SLOTS *CHUNKS_MAX <= RING, "the rings take every descriptor there can be");

struct tx_xdp {
	struct tx_sink tx;
	struct xsk_umem *umem;
	struct xsk_socket *socket;
	struct xsk_ring_prod fill, ring;
	struct xsk_ring_cons completion;
	uint8_t *area;
	size_t slot_bytes;       /* a multiple of CHUNK */
	uint16_t free[TX_SLOTS]; /* a stack of free slots: the slot used last is most likely still in the cache */
	uint16_t n_free;
	uint8_t pending[TX_SLOTS]; /* number of descriptors of the slot that are not completed */
	unsigned int fresh;        /* descriptors put into the ring since the last sendto() */
	uint32_t put;              /* number of descriptors put into the ring since the opening */
	uint32_t taken;            /* number of descriptors in @put that the kernel has taken, as far as is known */
};

static struct tx_xdp *of(struct tw_sink *sink)
{
	return (struct tx_xdp *)sink;
}

static uint8_t *slot_of(const struct tx_xdp *x, uint16_t slot)
{
	return x->area + slot * x->slot_bytes;
}

/* Takes completed descriptors back from the kernel. Return: the number of these descriptors */
static unsigned int reap(struct tx_xdp *x)
{
	uint32_t at;
	const uint32_t n = xsk_ring_cons__peek(&x->completion, RING, &at);

	for (uint32_t i = 0; i < n; i++) {
		const uint64_t slot = *xsk_ring_cons__comp_addr(&x->completion, at + i) / x->slot_bytes;

		if (--x->pending[slot] == 0)
			x->free[x->n_free++] = (uint16_t)slot;
	}
	if (n)
		xsk_ring_cons__release(&x->completion, n);
	return n;
}

/* Called if the interface was removed or the kernel refuses to send: drops all frames that are not completed. */
static int break_down(struct tx_xdp *x, int err)
{
	reap(x);
	for (uint16_t slot = 0; slot < TX_SLOTS; slot++) {
		if (!x->pending[slot])
			continue;
		x->pending[slot] = 0;
		x->free[x->n_free++] = slot;
		tx_sink__drop(&x->tx, slot_of(x, slot));
	}
	x->tx.broken = err;
	return x->tx.broken;
}

/* Updates x->taken, the number of descriptors that the kernel has taken. Return: whether it grew */
static bool renew_taken(struct tx_xdp *x)
{
	const uint32_t reported = x->put - (RING - xsk_prod_nb_free(&x->ring, RING));

	if ((int32_t)(reported - x->taken) <= 0)
		return false;
	x->taken = reported;
	return true;
}

/* Skips the first frame that the kernel has not taken: adds its descriptors to x->taken. */
static void skip_frame(struct tx_xdp *x)
{
	while (xsk_ring_prod__tx_desc(&x->ring, x->taken++)->options & XDP_PKT_CONTD)
		;
}

/*
 * Counts a drop. The interface dropped the last frame that the kernel took. If the same call sent other frames before this frame, the
 * kernel has updated its position in the ring. If it sent none, the kernel updates the position only with the next call, and the dropped
 * frame is the first one after the position.
 */
static void drop_taken(struct tx_xdp *x)
{
	const struct xdp_desc *last;

	if (!renew_taken(x))
		skip_frame(x);
	last = xsk_ring_prod__tx_desc(&x->ring, x->taken - 1);
	tx_sink__drop(&x->tx, slot_of(x, (uint16_t)(last->addr / x->slot_bytes)));
	tx_sink__explain(&x->tx);
}

/*
 * Calls sendto() once.
 * Return: 0 = the ring is empty; -EINTR = the ring may have more frames, call again; -EAGAIN = try again later; another -errno = no more
 * frames can be sent
 */
static int kick(struct tx_xdp *x)
{
	x->fresh = 0;
	x->tx.sink.blocked_by = NULL;
	renew_taken(x);
	if (sendto(xsk_socket__fd(x->socket), NULL, 0, MSG_DONTWAIT, NULL, 0) >= 0)
		return 0;
	switch (errno) {
	case EBUSY: /* the interface dropped a frame; later frames wait in the ring */
		drop_taken(x);
		return -EINTR;
	case EINTR:
		return -EINTR;
	case EAGAIN: /* the call's budget is used up, or the receiver is slow: the completions show which */
		return reap(x) ? -EINTR : -EAGAIN;
	case ENETDOWN: /* the interface may come up again; until then the frames are kept */
		x->tx.sink.blocked_by = TX_DOWN;
		return -EAGAIN;
	case ENOBUFS:
	case ENOMEM:
		return -EAGAIN;
	case ENXIO: /* the interface was removed */
		return break_down(x, -ENODEV);
	default:
		return break_down(x, -errno);
	}
}

static int xdp_flush(struct tw_sink *sink)
{
	struct tx_xdp *x = of(sink);
	int ret = x->tx.broken;

	if (ret)
		return ret;
	if (xsk_prod_nb_free(&x->ring, RING) < RING) {
		do
			ret = kick(x);
		while (ret == -EINTR);
	}
	/*
	 * The kernel may have taken all descriptors but completed none. Then return -EAGAIN, so that the caller does not try again at once.
	 */
	if (ret == 0 && !x->n_free)
		ret = reap(x) ? 0 : -EAGAIN;
	return ret;
}

static void *xdp_reserve(struct tw_sink *sink)
{
	struct tx_xdp *x = of(sink);

	if (!x->n_free)
		reap(x);
	if (!x->n_free) {
		x->tx.stats.waits++;
		return NULL;
	}
	return slot_of(x, x->free[x->n_free - 1]) + TX_OVERHEAD;
}

/* Puts a slot into the ring, from the Ethernet header on, with one descriptor for each chunk. */
static void put_descriptors(struct tx_xdp *x, uint16_t slot, size_t len)
{
	const uint8_t n = (uint8_t)((TX_PAD + len + CHUNK - 1) / CHUNK);
	uint64_t addr = slot * x->slot_bytes + TX_PAD;
	uint32_t at = 0;

	xsk_ring_prod__reserve(&x->ring, n, &at); /* never full: see RING */
	for (uint8_t i = 0; i < n; i++) {
		struct xdp_desc *d = xsk_ring_prod__tx_desc(&x->ring, at + i);
		const size_t room = CHUNK - addr % CHUNK;

		d->addr = addr;
		d->len = (uint32_t)(len < room ? len : room);
		d->options = len > room ? XDP_PKT_CONTD : 0;
		addr += d->len;
		len -= d->len;
	}
	x->pending[slot] = n;
	x->fresh += n;
	x->put = at + n;
	xsk_ring_prod__submit(&x->ring, n);
}

static void xdp_commit(struct tw_sink *sink, size_t len)
{
	struct tx_xdp *x = of(sink);

	x->tx.stats.frames++;
	x->tx.stats.bytes += len;
	if (x->tx.broken) {
		tx_sink__drop(&x->tx, slot_of(x, x->free[x->n_free - 1]));
		return;
	}
	put_descriptors(x, x->free[--x->n_free], ETH_HLEN + len);
	if (x->fresh + x->slot_bytes / CHUNK > TX_BATCH)
		kick(x); /* the next kick or flush sends the rest */
}

/* Counts the frames that the kernel has not taken as dropped, because they are lost when the socket closes. */
static void xdp_give_up(struct tw_sink *sink)
{
	struct tx_xdp *x = of(sink);

	if (x->tx.broken)
		return;
	renew_taken(x);
	while (x->taken != x->put) {
		const struct xdp_desc *first = xsk_ring_prod__tx_desc(&x->ring, x->taken);

		tx_sink__drop(&x->tx, slot_of(x, (uint16_t)(first->addr / x->slot_bytes)));
		skip_frame(x);
	}
}

static void xdp_close(struct tw_sink *sink)
{
	struct tx_xdp *x = of(sink);

	xsk_socket__delete(x->socket);
	xsk_umem__delete(x->umem);
	if (x->area)
		munmap(x->area, TX_SLOTS * x->slot_bytes);
	tx_sink__fini(&x->tx);
	free(x);
}

static const struct tw_sink_ops xdp_ops = {
	.reserve = xdp_reserve,
	.commit = xdp_commit,
	.flush = xdp_flush,
	.stats = tx_sink__stats,
	.give_up = xdp_give_up,
	.close = xdp_close,
};

static int create_umem(struct tx_xdp *x)
{
	const struct xsk_umem_config config = { .fill_size = FILL_RING, .comp_size = RING, .frame_size = CHUNK };

	return af_xdp__create_umem(&x->umem, x->area, TX_SLOTS * x->slot_bytes, &x->fill, &x->completion, &config);
}

static int bind_socket(struct tx_xdp *x)
{
	const uint16_t sg = x->slot_bytes > CHUNK ? XDP_USE_SG : 0;
	const struct xsk_socket_config config = {
		.rx_size = FILL_RING,
		.tx_size = RING,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = XDP_COPY | sg,
	};

	return xsk_socket__create(&x->socket, x->tx.link.name, x->tx.link.queue, x->umem, NULL, &x->ring, &config);
}

static void init_slots(struct tx_xdp *x)
{
	for (uint16_t slot = 0; slot < TX_SLOTS; slot++) {
		tx_slot__init(slot_of(x, slot), &x->tx.link);
		x->free[x->n_free++] = slot;
	}
}

static int open_link(const struct tx_link *link, struct tw_sink **ret)
{
	struct tx_xdp *x = calloc(1, sizeof(*x));
	int err = -ENOMEM;

	if (!x)
		return err;
	x->slot_bytes = (tx_slot__bytes(link->frame_max) + CHUNK - 1) / CHUNK * CHUNK;
	if (tx_sink__init(&x->tx, &xdp_ops, link)) {
		free(x);
		return err;
	}
	x->area = mmap(NULL, TX_SLOTS * x->slot_bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (x->area == MAP_FAILED) {
		x->area = NULL;
		goto fail;
	}
	err = create_umem(x);
	if (err < 0)
		goto fail;
	err = bind_socket(x);
	if (err < 0)
		goto fail;
	tw_socket__set_send_buffer(xsk_socket__fd(x->socket), TX_SEND_BUFFER(x->slot_bytes));
	init_slots(x);
	snprintf(x->tx.how, sizeof(x->tx.how), "AF_XDP, copy mode%s", x->slot_bytes > CHUNK ? ", multi-buffer" : "");
	*ret = &x->tx.sink;
	return 0;
fail:
	xdp_close(&x->tx.sink);
	return err;
}

static int refused(const struct tx_link *link, int err, struct tw_error *error)
{
	const char *why = strerror(-err);

	if (err == -EBUSY)
		return tw_error__set(
			error, err,
			"cannot send on %s through AF_XDP: another program uses its queue %u; choose another queue or "
			"interface",
			link->name, link->queue);
	if (err == -EPERM)
		why = "this requires root or CAP_NET_RAW";
	else if (err == -EAFNOSUPPORT)
		why = "this kernel is built without it (CONFIG_XDP_SOCKETS)";
	return tw_error__set(error, err, "cannot send on %s through AF_XDP: %s", link->name, why);
}

int tx_xdp__open(const struct tx_link *link, struct tw_sink **ret, struct tw_error *error)
{
	struct tx_link one_chunk = *link;
	int err = open_link(link, ret);

	one_chunk.frame_max = CHUNK - TX_OVERHEAD - TW_COPY_STEP;
	if (err == -EINVAL && link->frame_max > one_chunk.frame_max) /* multi-buffer is unknown to this kernel */
		err = open_link(&one_chunk, ret);
	return err < 0 ? refused(link, err, error) : 0;
}
