/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_xdp.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/time.h"
#include "rx_xdp_code.skel.h"
#include "vnet/rx_link.h"
#include "vnet/rx_out_of_band.h"
#include "vnet/rx_xdp_queue.h"
#include "vnet/socket.h"
#include "wire/tracewire.h"

struct rx_xdp_program {
	struct rx_xdp_code *code; /* its skeleton; NULL = not loaded */
	int link;                 /* -1 = not attached */
	bool native;              /* attached in the driver; otherwise generic XDP */
};

/* An XDP program that is already attached. */
struct rx_xdp_other {
	uint32_t id; /* 0 = there is none */
	char name[BPF_OBJ_NAME_LEN];
};

static void read_name(uint32_t id, char name[BPF_OBJ_NAME_LEN])
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);
	const int fd = bpf_prog_get_fd_by_id(id);

	name[0] = '\0';
	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len))
		memcpy(name, info.name, BPF_OBJ_NAME_LEN);
	name[BPF_OBJ_NAME_LEN - 1] = '\0';
	close(fd);
}

static struct rx_xdp_other rx_xdp_program__find_other(int ifindex)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, there);
	struct rx_xdp_other ret = { 0 };

	if (bpf_xdp_query(ifindex, 0, &there))
		return ret;
	ret.id = there.drv_prog_id ? there.drv_prog_id : there.skb_prog_id ? there.skb_prog_id : there.hw_prog_id;
	if (ret.id)
		read_name(ret.id, ret.name);
	return ret;
}

static int open_and_load(unsigned int queues, bool multi_buffer, struct rx_xdp_program *program)
{
	int err;

	program->code = rx_xdp_code__open();
	if (!program->code)
		return -errno;
	program->code->rodata->linear_max = RX_XDP_CHUNK_ROOM;
	program->code->rodata->multi_buffer = multi_buffer;
	err = bpf_map__set_max_entries(program->code->maps.sockets, queues);
	return err ? err : rx_xdp_code__load(program->code);
}

/*
 * Loads the program, with room for @queues sockets in its map
 * @multi_buffer: the sockets accept packets of several fragments. False: they accept only linear packets of at most RX_XDP_CHUNK_ROOM bytes
 */
static int rx_xdp_program__load(unsigned int queues, bool multi_buffer, struct rx_xdp_program *program)
{
	const libbpf_print_fn_t print = libbpf_set_print(NULL); /* the caller reports the error */
	const int err = open_and_load(queues, multi_buffer, program);

	libbpf_set_print(print);
	return err;
}

static int create_link(const struct rx_xdp_program *program, int ifindex, uint32_t flags)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = flags);

	return bpf_link_create(bpf_program__fd(program->code->progs.tw_receive), ifindex, BPF_XDP, &opts);
}

/* Attaches the program. Return: 0; -EEXIST or -EBUSY if there is another program; another -errno */
static int rx_xdp_program__attach(struct rx_xdp_program *program, int ifindex)
{
	int fd = create_link(program, ifindex, XDP_FLAGS_DRV_MODE);

	program->native = fd >= 0;
	if (fd < 0 && fd != -EEXIST && fd != -EBUSY && fd != -EPERM)
		fd = create_link(program, ifindex, XDP_FLAGS_SKB_MODE);
	if (fd < 0)
		return fd;
	program->link = fd;
	return 0;
}

/* Return: the number of Tracewire's frames that no socket accepted; makes no system call */
static uint64_t rx_xdp_program__missed(const struct rx_xdp_program *program)
{
	return __atomic_load_n(&program->code->bss->missed, __ATOMIC_RELAXED);
}

#define DEFAULT_RING_MIN 2048
#define RING_MIN         64
#define RING_MAX         (1u << 20)
#define MEMORY_MAX       (512u << 20)
#define HEADER_MAX       (ETH_HLEN + RX_LINK_TAG)
#define PACKET_MAX       (80u << 10) /* more than the kernel's largest packet, bytes */
#define TURN             64          /* limit of frames read from a queue before those of the next queue */

struct rx_xdp {
	struct tw_receiver rx;
	struct rx_link link;
	struct rx_xdp_program program;
	int out_of_band_fd; /* also sends answers; the kernel reports here that the interface went down */
	struct rx_xdp_queue *queues;
	unsigned int n;       /* number of open queues */
	struct pollfd *fds;   /* of out_of_band_fd and of each queue, n + 1 */
	unsigned int current; /* queue whose turn it is */
	unsigned int turn;    /* number of frames left in this turn */
	long pause;           /* ns */
	bool pause_due;       /* frames were received since the last pause */
	bool stopped;         /* later drops do not count */
	uint64_t reported;    /* the losses of all queues that the frames handed out have reported */
	uint64_t out_of_band; /* number of out-of-band frames received */
	struct tw_peer peer;
	char how[96];
	uint8_t whole[PACKET_MAX]; /* a packet of several chunks, or an out-of-band frame */
};

static struct rx_xdp *of(struct tw_receiver *rx)
{
	return (struct rx_xdp *)rx;
}

static uint32_t ring_for(unsigned int queues)
{
	uint32_t ring = TW_RX_XDP_RING;

	while (ring > DEFAULT_RING_MIN && rx_xdp_queue__bytes(ring) * queues > MEMORY_MAX)
		ring /= 2;
	return ring;
}

/* Opens a queue. If the kernel does not support multi-buffer (-EINVAL), opens the queue without multi-buffer and clears the flag in @o. */
static int open_queue(struct rx_xdp *rx, struct rx_xdp_queue_options *o)
{
	struct rx_xdp_queue *queue = &rx->queues[rx->n];
	int err = rx_xdp_queue__open(o, queue);

	if (err == -EINVAL && o->flags & XDP_USE_SG) {
		rx_xdp_queue__close(queue);
		o->flags = 0;
		err = rx_xdp_queue__open(o, queue);
	}
	rx->n++;
	return err;
}

static int open_queues(struct rx_xdp *rx, struct rx_xdp_queue_options *o, unsigned int n)
{
	int err = 0;

	rx->queues = calloc(n, sizeof(*rx->queues));
	rx->fds = calloc(n + 1, sizeof(*rx->fds));
	if (!rx->queues || !rx->fds)
		return -ENOMEM;
	rx->fds[0] = (struct pollfd){ .fd = rx->out_of_band_fd, .events = POLLIN };
	for (o->queue = 0; o->queue < n && !err; o->queue++) {
		err = open_queue(rx, o);
		if (!err)
			rx->fds[rx->n] =
				(struct pollfd){ .fd = rx_xdp_queue__fd(&rx->queues[rx->n - 1]), .events = POLLIN };
	}
	return err;
}

/* Attaches the program after the map of sockets is complete. */
static int attach(struct rx_xdp *rx, bool multi_buffer)
{
	int err = rx_xdp_program__load(rx->n, multi_buffer, &rx->program);

	for (uint32_t i = 0; i < rx->n && !err; i++)
		err = bpf_map_update_elem(bpf_map__fd(rx->program.code->maps.sockets), &i, &rx->fds[i + 1].fd, BPF_ANY);
	return err ? err : rx_xdp_program__attach(&rx->program, rx->link.ifindex);
}

/* Called after everything is open, so that it describes what the kernel provides. */
static void describe(struct rx_xdp *rx, uint16_t flags)
{
	const size_t one_chunk = RX_XDP_CHUNK_ROOM - HEADER_MAX;
	char length[48] = "";

	if (flags & XDP_USE_SG)
		snprintf(length, sizeof(length), ", multi-buffer");
	else if (rx->link.frame_max > one_chunk)
		snprintf(length, sizeof(length), ", frames of %zu bytes at most", one_chunk);
	rx->rx.frame_max = flags & XDP_USE_SG || rx->link.frame_max < one_chunk ? rx->link.frame_max : one_chunk;
	snprintf(rx->how, sizeof(rx->how), "AF_XDP, %s, %s%s, %u queue%s", rx->program.native ? "native" : "generic",
		 rx_xdp_queue__is_zero_copy(&rx->queues[0]) ? "zero-copy" : "copy mode", length, rx->n,
		 rx->n == 1 ? "" : "s");
}

/* Opens the sockets and attaches the program; @rx->link is set already. Return: 0 or -errno. Close @rx in either case */
static int open_all(struct rx_xdp *rx, const char *ifname, uint32_t ring)
{
	const unsigned int n = rx_link__queues(ifname);
	struct rx_xdp_queue_options queue = { .ifname = ifname, .size = ring ? ring : ring_for(n) };
	int err;

	if (rx_xdp_program__find_other(rx->link.ifindex).id)
		return -EEXIST;
	/* This socket also sends answers, whose transmit stamps the kernel makes, so the transmit metadata of AF_XDP are not needed. */
	err = rx_out_of_band__open(rx->link.ifindex, &rx->out_of_band_fd);
	if (err)
		return err;
	tx_stamps__enable(&rx->link.stamps, rx->out_of_band_fd, rx->link.ifindex, &rx->rx.card_stamps);
	/* Multi-buffer is requested only if frames need it, because some drivers support multi-buffer or zero-copy, but not both. */
	if (rx->link.frame_max + HEADER_MAX > RX_XDP_CHUNK_ROOM)
		queue.flags = XDP_USE_SG;
	err = open_queues(rx, &queue, n);
	if (!err)
		err = attach(rx, queue.flags & XDP_USE_SG);
	if (!err)
		describe(rx, queue.flags);
	return err;
}

static void next_queue(struct rx_xdp *rx)
{
	rx->current = rx->current + 1 < rx->n ? rx->current + 1 : 0;
	rx->turn = TURN;
}

static bool take_packet(struct rx_xdp *rx, struct rx_xdp_packet *ret)
{
	if (!rx->turn)
		next_queue(rx);
	for (unsigned int i = 0; i < rx->n; i++) {
		struct rx_xdp_queue *queue = &rx->queues[rx->current];
		const uint64_t reported = queue->reported;

		if (rx_xdp_queue__take(queue, rx->whole, sizeof(rx->whole), ret)) {
			rx->reported += queue->reported - reported;
			rx->turn--;
			return true;
		}
		next_queue(rx);
	}
	return false;
}

static uint64_t dropped(const struct rx_xdp *rx)
{
	return rx->reported + rx_xdp_program__missed(&rx->program);
}

/* Makes a frame from a packet. The XDP program redirects only packets in which at most one VLAN tag precedes Tracewire's EtherType. */
static void make_frame(struct rx_xdp *rx, const struct rx_xdp_packet *packet, struct tw_received_frame *ret)
{
	const uint8_t *ethertype = packet->data + 2 * ETH_ALEN;
	const uint8_t *tag = tw_load_be16(ethertype) == TW_ETHERTYPE ? NULL : ethertype;
	const size_t header = ETH_HLEN + (tag ? RX_LINK_TAG : 0);

	rx_link__peer(&rx->link, packet->data, tag, &rx->peer);
	ret->data = packet->data + header;
	ret->len = packet->len - header;
	ret->time = packet->time;
	ret->time_by = TW_STAMP_READING;
	ret->card = (struct tw_card_stamp){ 0 };
	ret->dropped = dropped(rx);
	ret->from = &rx->peer;
}

/* Pauses if frames were received since the last pause. Return: whether it paused, in which case the rings should be checked again */
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

/* Return: as take_frame() */
static int take_out_of_band(struct rx_xdp *rx, struct tw_received_frame *ret)
{
	int err;

	if (!(rx->fds[0].revents & POLLIN))
		return 0;
	rx->fds[0].revents = 0;
	err = rx_out_of_band__take(&rx->link, rx->out_of_band_fd, rx->whole, &rx->peer, ret);
	if (err < 0)
		return rx_link__failed(&rx->link, -err);
	ret->dropped = dropped(rx);
	rx->out_of_band += (uint64_t)err;
	return err;
}

/* Return: 1 with a frame; 0 if there is none; -errno */
static int take_frame(struct rx_xdp *rx, struct tw_received_frame *ret)
{
	struct rx_xdp_packet packet;

	if (!take_packet(rx, &packet))
		return take_out_of_band(rx, ret);
	make_frame(rx, &packet, ret);
	rx->pause_due = true;
	return 1;
}

static int xdp_next(struct tw_receiver *base, int timeout_ms, struct tw_received_frame *ret)
{
	struct rx_xdp *rx = of(base);
	int err;

	while (!(err = take_frame(rx, ret))) {
		const bool paused = make_pause(rx, &timeout_ms);
		int at_once = 0;

		err = rx_link__wait(&rx->link, rx->fds, rx->n + 1, paused ? &at_once : &timeout_ms);
		if (err < 0 || (!err && !paused))
			break;
	}
	return err;
}

static int xdp_answer(struct tw_receiver *base, const struct tw_peer *to, const void *frame, size_t len,
		      uint32_t cookie)
{
	struct rx_xdp *rx = of(base);

	return rx_link__answer(&rx->link, rx->out_of_band_fd, to, frame, len, cookie);
}

static bool xdp_sent(struct tw_receiver *base, struct tw_sent_stamp *ret)
{
	return rx_link__sent(&of(base)->link, ret);
}

static int xdp_stats(struct tw_receiver *base, struct tw_receiver_stats *ret)
{
	struct rx_xdp *rx = of(base);
	struct tw_receiver_stats stats = { .frames = rx->out_of_band, .dropped = rx_xdp_program__missed(&rx->program) };

	for (unsigned int i = 0; i < rx->n; i++) {
		struct rx_xdp_queue *queue = &rx->queues[i];
		const int err = rx_xdp_queue__update_dropped(queue);

		if (err)
			return err;
		stats.frames += queue->frames + rx_xdp_queue__waiting(queue);
		stats.dropped += rx->stopped ? queue->at_stop : queue->dropped;
		stats.dropped_last += rx_xdp_queue__dropped_last(queue, rx->stopped ? queue->at_stop : queue->dropped);
	}
	*ret = stats;
	return 0;
}

/* Leaves the program attached. Without the program, the kernel's network stack would process each frame, usually only to discard it. */
static void xdp_stop(struct tw_receiver *base)
{
	struct rx_xdp *rx = of(base);

	for (unsigned int i = 0; i < rx->n; i++) {
		rx_xdp_queue__update_dropped(&rx->queues[i]);
		rx->queues[i].at_stop = rx->queues[i].dropped;
	}
	rx->stopped = true;
}

static void xdp_close(struct tw_receiver *base)
{
	struct rx_xdp *rx = of(base);

	if (rx->program.link >= 0)
		close(rx->program.link);
	rx_xdp_code__destroy(rx->program.code);
	for (unsigned int i = 0; i < rx->n; i++)
		rx_xdp_queue__close(&rx->queues[i]);
	if (rx->out_of_band_fd >= 0)
		close(rx->out_of_band_fd);
	free(rx->queues);
	free(rx->fds);
	free(rx);
}

static const struct tw_receiver_ops xdp_ops = {
	.next = xdp_next,
	.answer = xdp_answer,
	.sent = xdp_sent,
	.stop = xdp_stop,
	.stats = xdp_stats,
	.close = xdp_close,
};

/* Reports what uses the interface: another XDP program, or another AF_XDP socket. */
static int not_free(const char *ifname, int ifindex, struct tw_error *error)
{
	const struct rx_xdp_other other = rx_xdp_program__find_other(ifindex);

	if (!other.id)
		return tw_error__set(error, -EBUSY,
				     "cannot receive on %s through AF_XDP: another process uses one of its queues",
				     ifname);
	return tw_error__set(
		error, -EEXIST,
		"cannot receive on %s through AF_XDP: the interface already has an XDP program (%s, id %u), but "
		"AF_XDP needs an interface without one; remove that program, or omit --xdp",
		ifname, *other.name ? other.name : "without a name", other.id);
}

static int refused(const char *ifname, int ifindex, int err, struct tw_error *error)
{
	const char *why = strerror(-err);

	switch (err) {
	case -EEXIST:
	case -EBUSY:
		return not_free(ifname, ifindex, error);
	case -ENODEV:
		why = "there is no such interface; `ip -br link` lists all interfaces";
		break;
	case -EPERM:
		why = "this requires root or CAP_NET_ADMIN, CAP_NET_RAW and CAP_BPF";
		break;
	case -EAFNOSUPPORT:
		why = "this kernel is built without it (CONFIG_XDP_SOCKETS)";
		break;
	case -ENOMEM:
	case -ENOBUFS:
		why = "there is not enough memory for the rings";
		break;
	}
	return tw_error__set(error, err, "cannot receive on %s through AF_XDP: %s", ifname, why);
}

static bool is_ring(uint32_t ring)
{
	return !ring || (ring >= RING_MIN && ring <= RING_MAX && !(ring & (ring - 1)));
}

int tw_rx_xdp__open(const struct tw_rx_xdp_options *opts, struct tw_receiver **ret, struct tw_error *error)
{
	struct rx_xdp *rx;
	int err;

	if (!is_ring(opts->ring))
		return tw_error__set(error, -EINVAL,
				     "a ring cannot have %u chunks: choose a power of two from %u to %u", opts->ring,
				     RING_MIN, RING_MAX);
	rx = calloc(1, sizeof(*rx));
	if (!rx)
		return refused(opts->ifname, 0, -ENOMEM, error);
	rx->rx = (struct tw_receiver){ .ops = &xdp_ops, .how = rx->how };
	rx->program.link = rx->out_of_band_fd = -1;
	rx->pause = (opts->pause_us ? opts->pause_us : TW_RX_XDP_PAUSE) * (long)(TW_NS_PER_MS / 1000);
	err = rx_link__find(opts->ifname, &rx->link);
	if (!err)
		err = open_all(rx, opts->ifname, opts->ring);
	if (!err) {
		*ret = &rx->rx;
		return 0;
	}
	err = refused(opts->ifname, rx->link.ifindex, err, error);
	xdp_close(&rx->rx);
	return err;
}
