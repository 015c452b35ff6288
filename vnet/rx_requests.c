/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_requests.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "vnet/rx_link.h"
#include "vnet/socket.h"
#include "wire/time_sync.h"

/* Limit of the bytes read of a frame. A TIME_SYNC frame has at most 104 bytes. */
#define FRAME_MAX    512
#define CONTROL_ROOM 256 /* bytes, for ancillary data of a request */

struct requests {
	struct tw_receiver rx;
	int fd;
	struct rx_link link;     /* unused over UDP */
	struct tw_tx_udp *udp;   /* NULL = on an interface */
	struct tx_stamps stamps; /* of @udp */
	struct tw_receiver_stats stats;
	struct tw_peer peer;
	uint8_t bytes[ETH_HLEN + FRAME_MAX];
};

struct timed {
	uint64_t time;
	uint8_t by; /* enum tw_stamp */
	struct tw_card_stamp card;
};

static struct requests *requests_of(struct tw_receiver *rx)
{
	return (struct requests *)rx;
}

/* The kernel's receive time; the current time if there is none. Also the card's stamp. */
static struct timed stamp_of(struct msghdr *msg)
{
	struct timed ret = { .by = TW_STAMP_READING };
	struct timespec ts;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (tx_stamps__of_card(c, &ret.card) || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&ts, CMSG_DATA(c), sizeof(ts));
		ret.time = tw_time__ns(&ts);
		ret.by = TW_STAMP_SOFTWARE;
	}
	if (ret.by == TW_STAMP_READING)
		ret.time = tw_time__now(CLOCK_REALTIME);
	return ret;
}

/*
 * Return: 0 = try again later; -errno. On an interface, all errors but ENETDOWN, EAGAIN and EINTR become -ENODEV, because the socket is
 * then unusable. Over UDP, errors concern datagrams that were sent earlier, and are cleared.
 */
static int handle_failure(struct requests *q, int err)
{
	if (err == EAGAIN || err == EINTR)
		return 0;
	if (!q->udp)
		return err == ENETDOWN ? -ENETDOWN : -ENODEV;
	tw_tx_udp__read_errors(q->udp, &q->stamps);
	return 0;
}

/* Return: 1 with a frame; 0 if there is none; -errno */
static int receive(struct requests *q, struct tw_received_frame *ret)
{
	union {
		struct cmsghdr align;
		uint8_t bytes[CONTROL_ROOM];
	} control;
	struct iovec iov = { .iov_base = q->bytes, .iov_len = sizeof(q->bytes) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	const size_t header = q->udp ? 0 : ETH_HLEN;
	const ssize_t n = recvmsg(q->fd, &msg, MSG_DONTWAIT);
	struct timed timed;

	if (n < 0)
		return handle_failure(q, errno);
	if ((size_t)n < header)
		return 0;
	q->stats.frames++;
	if (!q->udp)
		rx_link__peer(&q->link, q->bytes, NULL, &q->peer);
	timed = stamp_of(&msg);
	*ret = (struct tw_received_frame){
		.data = q->bytes + header,
		.len = (size_t)n - header,
		.time = timed.time,
		.time_by = timed.by,
		.card = timed.card,
		.from = &q->peer,
	};
	return 1;
}

static void read_errors(struct requests *q)
{
	if (q->udp)
		tw_tx_udp__read_errors(q->udp, &q->stamps);
	else
		tx_stamps__read(&q->link.stamps);
}

static int next(struct tw_receiver *rx, int timeout_ms, struct tw_received_frame *ret)
{
	struct requests *q = requests_of(rx);
	struct pollfd pfd = { .fd = q->fd, .events = POLLIN };
	int err = receive(q, ret);

	if (err || !timeout_ms)
		return err;
	if (poll(&pfd, 1, timeout_ms) <= 0)
		return 0;
	if (pfd.revents & POLLERR)
		read_errors(q);
	return receive(q, ret);
}

/* The socket is connected, so all requests are from the same host. */
static int answer_udp(struct requests *q, const void *frame, size_t len, uint32_t cookie)
{
	_Alignas(struct cmsghdr) uint8_t control[TX_STAMPS_REQUEST];
	struct iovec iov = { .iov_base = (void *)frame, .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control };
	int err;

	if (cookie)
		tx_stamps__request(&q->stamps, &msg);
	err = sendmsg(q->fd, &msg, MSG_DONTWAIT) < 0 ? -errno : 0;
	if (cookie)
		tx_stamps__requested(&q->stamps, cookie, err);
	return err == -ENOBUFS ? -EAGAIN : err;
}

static int answer(struct tw_receiver *rx, const struct tw_peer *to, const void *frame, size_t len, uint32_t cookie)
{
	struct requests *q = requests_of(rx);

	return q->udp ? answer_udp(q, frame, len, cookie) : rx_link__answer(&q->link, q->fd, to, frame, len, cookie);
}

static bool sent(struct tw_receiver *rx, struct tw_sent_stamp *ret)
{
	struct requests *q = requests_of(rx);

	if (!q->udp)
		return rx_link__sent(&q->link, ret);
	tw_tx_udp__read_errors(q->udp, &q->stamps);
	return tx_stamps__take(&q->stamps, ret);
}

/* Adds the drops since the last call to the statistics. The read resets the kernel's counters to 0. */
static int count_drops_of_link(struct requests *q)
{
	struct tpacket_stats since;
	socklen_t len = sizeof(since);

	if (getsockopt(q->fd, SOL_PACKET, PACKET_STATISTICS, &since, &len) < 0)
		return -errno;
	q->stats.dropped += since.tp_drops;
	return 0;
}

/* Each dropped datagram was a request: the socket also sends the stream, but receives only requests. */
static int count_drops_of_udp(struct requests *q)
{
	uint32_t drops;
	const int err = tw_socket__drops(q->fd, &drops);

	if (!err)
		q->stats.dropped = drops;
	return err;
}

static int stats(struct tw_receiver *rx, struct tw_receiver_stats *ret)
{
	struct requests *q = requests_of(rx);
	const int err = q->udp ? count_drops_of_udp(q) : count_drops_of_link(q);

	if (!err)
		*ret = q->stats;
	return err;
}

/* Over UDP, the socket belongs to q->udp, which stays open. */
static void close_requests(struct tw_receiver *rx)
{
	struct requests *q = requests_of(rx);

	if (q->udp)
		tw_tx_udp__report_to(q->udp, false);
	else
		close(q->fd);
	free(q);
}

static const struct tw_receiver_ops requests_ops = {
	.next = next,
	.answer = answer,
	.sent = sent,
	.stats = stats,
	.close = close_requests,
};

/*
 * Accepts only out-of-band frames of Tracewire's EtherType that are addressed to this host and as long as a short TIME_SYNC frame or
 * longer. Called before the socket is bound.
 */
static int set_filter(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_PKTTYPE)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_HOST, 0, 7),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 2 * ETH_ALEN),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TW_ETHERTYPE, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, ETH_HLEN + TW_TIME_SYNC_BYTES_MIN, 0, 3),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, ETH_HLEN + offsetof(struct tw_frame_hdr, source)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TW_SOURCE_OUT_OF_BAND, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};

	return tw_socket__set_filter(fd, code, sizeof(code) / sizeof(code[0]));
}

static int open_socket(struct requests *q)
{
	int err;

	q->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (q->fd < 0)
		return -errno;
	err = set_filter(q->fd);
	if (!err)
		err = tw_socket__set(q->fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
	if (!err)
		err = tw_socket__bind_packet(q->fd, TW_ETHERTYPE, q->link.ifindex);
	if (err)
		close(q->fd);
	return err;
}

int tw_rx_requests__on_link(const char *ifname, struct tw_receiver **ret, struct tw_error *error)
{
	struct requests *q = calloc(1, sizeof(*q));
	int err = q ? rx_link__find(ifname, &q->link) : -ENOMEM;

	if (!err)
		err = open_socket(q);
	if (err) {
		free(q);
		return tw_error__set(error, err, "cannot receive time synchronisation requests on %s: %s", ifname,
				     err == -EPERM ? "this requires root or CAP_NET_RAW" : strerror(-err));
	}
	tx_stamps__enable(&q->link.stamps, q->fd, q->link.ifindex, &q->rx.card_stamps);
	q->rx = (struct tw_receiver){ .ops = &requests_ops, .frame_max = FRAME_MAX, .how = "packet socket" };
	*ret = &q->rx;
	return 0;
}

int tw_rx_requests__on_udp(struct tw_tx_udp *udp, struct tw_receiver **ret, struct tw_error *error)
{
	struct requests *q = calloc(1, sizeof(*q));
	const int err = q ? tw_socket__set(tw_tx_udp__fd(udp), SOL_SOCKET, SO_TIMESTAMPNS, 1) : -ENOMEM;

	if (err) {
		free(q);
		return tw_error__set(error, err, "cannot receive time synchronisation requests over UDP: %s",
				     strerror(-err));
	}
	q->rx = (struct tw_receiver){ .ops = &requests_ops, .frame_max = FRAME_MAX, .how = "UDP" };
	q->udp = udp;
	q->fd = tw_tx_udp__fd(udp);
	tw_tx_udp__report_interfaces(udp);
	tx_stamps__enable(&q->stamps, q->fd, 0, &q->rx.card_stamps);
	tw_tx_udp__report_to(udp, true);
	*ret = &q->rx;
	return 0;
}
