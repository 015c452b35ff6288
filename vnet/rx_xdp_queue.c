/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_xdp_queue.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/time.h"

#define COMPLETION_RING 64 /* not used, because nothing is sent, but a UMEM must have it */
#define RELEASES        8  /* chunks are returned after 1/RELEASES of the ring was read, or all frames in it */
#define FRAME_CHUNKS    19 /* more than the number of chunks of the longest packet: a head and 17 fragments */

static uint32_t kernel_position(const struct rx_xdp_queue *q)
{
	return __atomic_load_n(q->ring.producer, __ATOMIC_ACQUIRE);
}

int rx_xdp_queue__update_dropped(struct rx_xdp_queue *q)
{
	struct xdp_statistics stats;
	socklen_t len = sizeof(stats);

	if (getsockopt(rx_xdp_queue__fd(q), SOL_XDP, XDP_STATISTICS, &stats, &len) < 0)
		return -errno;
	/* The counter of empty fill rings is not added. It does not count frames: it counts how often a driver found the ring empty. */
	q->dropped = stats.rx_dropped + stats.rx_ring_full;
	return 0;
}

uint64_t rx_xdp_queue__dropped_last(const struct rx_xdp_queue *q, uint64_t dropped)
{
	const uint64_t before =
		q->n_losses ? q->losses[(q->first_loss + q->n_losses - 1) % RX_XDP_LOSSES].dropped : q->placed;

	return dropped > before ? dropped - before : 0;
}

/*
 * Looks for frames that were lost before the last return of chunks. @began: the value of q->released before this return. Frames are lost
 * only while the ring is full, or too full for a long frame. This is possible only if the kernel's position is now almost a ring's size
 * after @began. The kernel's counter is read only in this case.
 */
static void look_for_loss(struct rx_xdp_queue *q, uint32_t began)
{
	const uint32_t full = began + q->size;

	if (q->end - began <= q->size - FRAME_CHUNKS || q->n_losses == RX_XDP_LOSSES)
		return;
	if (rx_xdp_queue__update_dropped(q) || q->dropped == q->placed)
		return;
	q->placed = q->dropped;
	q->losses[(q->first_loss + q->n_losses++) % RX_XDP_LOSSES] = (struct rx_xdp_loss){
		.position = (int32_t)(q->end - full) < 0 ? q->end : full,
		.dropped = q->dropped,
	};
}

/*
 * Called before a packet is handed out. Adds to q->reported the losses that this packet reports. The first packet at or after the position
 * of a loss reports all frames of the loss that are not reported yet. But after the loss of a packet that was too long for the rest of the
 * ring, shorter packets may still be received before this position. Therefore each packet that begins fewer than FRAME_CHUNKS descriptors
 * before the position reports one dropped frame, as long as at least one remains for the packet at or after the position.
 */
static void report_losses(struct rx_xdp_queue *q)
{
	while (q->n_losses) {
		const struct rx_xdp_loss *loss = &q->losses[q->first_loss];
		const int32_t left = (int32_t)(loss->position - q->next);

		if (left > 0) {
			q->reported += left < FRAME_CHUNKS && q->reported + 1 < loss->dropped;
			return;
		}
		q->reported = loss->dropped;
		q->first_loss = (q->first_loss + 1) % RX_XDP_LOSSES;
		q->n_losses--;
	}
}

/* Returns the chunks of @n descriptors to the kernel. The fill ring has room for them: it has twice the size of the ring. */
static void return_chunks(struct rx_xdp_queue *q, uint32_t n)
{
	uint32_t at = 0;

	xsk_ring_prod__reserve(&q->fill, n, &at);
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t addr = xsk_ring_cons__rx_desc(&q->ring, q->released + i)->addr;

		*xsk_ring_prod__fill_addr(&q->fill, at + i) = addr - addr % AF_XDP_CHUNK;
	}
	xsk_ring_prod__submit(&q->fill, n);
	if (xsk_ring_prod__needs_wakeup(&q->fill))
		recvfrom(xsk_socket__fd(q->socket), NULL, 0, MSG_DONTWAIT, NULL, NULL);
}

/* Returns to the kernel the chunks that were read, and reads the kernel's position in the ring. */
static void update_ring(struct rx_xdp_queue *q)
{
	const uint32_t n = q->next - q->released, began = q->released;

	if (n) {
		return_chunks(q, n);
		xsk_ring_cons__release(&q->ring, n);
		q->released = q->next;
	}
	q->end = kernel_position(q);
	if (n)
		look_for_loss(q, began);
	if (q->end != q->next)
		q->time = tw_time__now(CLOCK_REALTIME);
}

/* Copies all chunks of a packet to @whole; @d: descriptor of the first chunk. Return: length of the copy, at most @room bytes */
static size_t copy_chunks(struct rx_xdp_queue *q, const struct xdp_desc *d, uint8_t *whole, size_t room)
{
	size_t len = 0;

	for (;;) {
		const size_t n = d->len < room - len ? d->len : room - len;

		memcpy(whole + len, q->area + d->addr, n);
		len += n;
		if (!(d->options & XDP_PKT_CONTD) || q->next == q->end)
			return len;
		d = xsk_ring_cons__rx_desc(&q->ring, q->next++);
	}
}

bool rx_xdp_queue__take(struct rx_xdp_queue *q, uint8_t *whole, size_t room, struct rx_xdp_packet *ret)
{
	const struct xdp_desc *d;

	if (q->next == q->end || q->next - q->released >= q->size / RELEASES)
		update_ring(q);
	if (q->next == q->end)
		return false;
	report_losses(q);
	d = xsk_ring_cons__rx_desc(&q->ring, q->next++);
	ret->time = q->time;
	ret->data = q->area + d->addr;
	ret->len = d->len;
	if (d->options & XDP_PKT_CONTD) {
		ret->len = copy_chunks(q, d, whole, room);
		ret->data = whole;
	}
	q->frames++;
	return true;
}

uint64_t rx_xdp_queue__waiting(const struct rx_xdp_queue *q)
{
	const uint32_t end = kernel_position(q);
	uint64_t frames = 0;

	for (uint32_t at = q->next; at != end; at++)
		frames += !(xsk_ring_cons__rx_desc(&q->ring, at)->options & XDP_PKT_CONTD);
	return frames;
}

/* The UMEM has a quarter more chunks than the ring has descriptors. All of them fit into the fill ring. */
size_t rx_xdp_queue__bytes(uint32_t size)
{
	return ((size_t)size + size / 4) * AF_XDP_CHUNK;
}

static int create_umem(struct rx_xdp_queue *q)
{
	const struct xsk_umem_config config = {
		.fill_size = 2 * q->size,
		.comp_size = COMPLETION_RING,
		.frame_size = AF_XDP_CHUNK,
	};

	return af_xdp__create_umem(&q->umem, q->area, q->bytes, &q->fill, &q->completion, &config);
}

static int bind_socket(struct rx_xdp_queue *q, const struct rx_xdp_queue_options *o)
{
	const struct xsk_socket_config config = {
		.rx_size = q->size,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = XDP_USE_NEED_WAKEUP | o->flags,
	};

	return xsk_socket__create(&q->socket, o->ifname, o->queue, q->umem, &q->ring, NULL, &config);
}

static void fill(struct rx_xdp_queue *q)
{
	const uint32_t n = (uint32_t)(q->bytes / AF_XDP_CHUNK);
	uint32_t at = 0;

	xsk_ring_prod__reserve(&q->fill, n, &at);
	for (uint32_t i = 0; i < n; i++)
		*xsk_ring_prod__fill_addr(&q->fill, at + i) = (uint64_t)i * AF_XDP_CHUNK;
	xsk_ring_prod__submit(&q->fill, n);
}

int rx_xdp_queue__open(const struct rx_xdp_queue_options *o, struct rx_xdp_queue *q)
{
	int err;

	*q = (struct rx_xdp_queue){ .size = o->size, .bytes = rx_xdp_queue__bytes(o->size) };
	q->area = mmap(NULL, q->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (q->area == MAP_FAILED) {
		q->area = NULL;
		return -ENOMEM;
	}
	err = create_umem(q);
	if (err)
		return err;
	fill(q);
	err = bind_socket(q, o);
	if (err)
		return err;
	q->released = q->next = q->end = kernel_position(q);
	return 0;
}

int rx_xdp_queue__fd(const struct rx_xdp_queue *q)
{
	return xsk_socket__fd(q->socket);
}

bool rx_xdp_queue__is_zero_copy(const struct rx_xdp_queue *q)
{
	struct xdp_options options = { 0 };
	socklen_t len = sizeof(options);

	getsockopt(xsk_socket__fd(q->socket), SOL_XDP, XDP_OPTIONS, &options, &len);
	return options.flags & XDP_OPTIONS_ZEROCOPY;
}

void rx_xdp_queue__close(struct rx_xdp_queue *q)
{
	xsk_socket__delete(q->socket);
	xsk_umem__delete(q->umem);
	if (q->area)
		munmap(q->area, q->bytes);
}
