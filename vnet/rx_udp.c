/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_udp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "vnet/rx_udp_peer.h"
#include "vnet/rx_udp_socket.h"
#include "wire/tracewire.h"

#define MESSAGES     16     /* a system call */
#define MESSAGE_MOST 65536  /* bytes: more than any datagram, or the kernel's bundle of them */
#define CONTROL_ROOM 256    /* bytes, for what is known of a message */
#define DATAGRAM_MAX 65507u /* IPv4's, and as much as our own senders use */

struct rx_udp {
	struct tw_receiver rx;
	struct rx_udp_socket socket;
	struct tw_receiver_stats stats;
	uint64_t dropped;                           /* as known from the last message */
	bool stopped;                               /* what is dropped from now on does not count */
	struct tw_received_batch bundles[MESSAGES]; /* of the frames that next lends */
	unsigned int next, n;                       /* of them: the first that is not lent yet, and all */
	size_t at;                                  /* in that one */
	struct mmsghdr msgs[MESSAGES];
	struct iovec iov[MESSAGES];
	struct sockaddr_in6 from[MESSAGES];
	uint8_t control[MESSAGES][CONTROL_ROOM] __attribute__((aligned(__alignof__(struct cmsghdr))));
	uint8_t *area;
	char how[80];
};

static struct rx_udp *of(struct tw_receiver *rx)
{
	return (struct rx_udp *)rx;
}

/* The kernel's counters have 32 bits. */
static void count_up(uint64_t *counter, uint32_t now)
{
	const int32_t more = (int32_t)(now - (uint32_t)*counter);

	if (more > 0)
		*counter += (uint32_t)more;
}

static void read_control(struct rx_udp *rx, const struct cmsghdr *c, struct tw_received_batch *bundle,
			 struct rx_udp_peer *peer)
{
	const void *data = CMSG_DATA(c);
	struct timespec time;
	uint32_t dropped;
	int segment;

	if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
		memcpy(&time, data, sizeof(time));
		bundle->time = (uint64_t)time.tv_sec * TW_NS_PER_SECOND + (uint64_t)time.tv_nsec;
	} else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
		memcpy(&dropped, data, sizeof(dropped));
		count_up(&rx->dropped, dropped);
	} else if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO) {
		memcpy(&segment, data, sizeof(segment));
		bundle->segment = segment > 0 ? (size_t)segment : bundle->segment;
	} else {
		rx_udp_peer__learn(peer, c);
	}
}

static void read_message(struct rx_udp *rx, struct mmsghdr *message, struct tw_received_batch *ret)
{
	struct msghdr *msg = &message->msg_hdr;
	struct rx_udp_peer peer;

	ret->len = message->msg_len;
	ret->segment = MESSAGE_MOST;
	ret->time = 0;
	ret->cut = false;
	rx_udp_peer__init(&peer, msg);
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c))
		read_control(rx, c, ret, &peer);
	rx_udp_peer__emit(&peer, &ret->from);
	ret->dropped = rx->dropped;
	rx->stats.frames += ret->len ? (ret->len + ret->segment - 1) / ret->segment : 1;
}

/* What there is now. Return: bundles, or -errno; -EAGAIN if there are none */
static int receive(struct rx_udp *rx, struct tw_received_batch *bundles, unsigned int n)
{
	int got;

	for (unsigned int i = 0; i < n; i++) {
		rx->iov[i] = (struct iovec){ .iov_base = bundles[i].to, .iov_len = MESSAGE_MOST };
		rx->msgs[i].msg_hdr = (struct msghdr){
			.msg_name = &rx->from[i],
			.msg_namelen = sizeof(rx->from[i]),
			.msg_iov = &rx->iov[i],
			.msg_iovlen = 1,
			.msg_control = rx->control[i],
			.msg_controllen = sizeof(rx->control[i]),
		};
	}
	got = recvmmsg(rx->socket.fd, rx->msgs, n, MSG_DONTWAIT, NULL);
	for (int i = 0; i < got; i++)
		read_message(rx, &rx->msgs[i], &bundles[i]);
	return got < 0 ? -errno : got;
}

static int64_t now_ms(void)
{
	return (int64_t)(tw_time__now(CLOCK_MONOTONIC) / TW_NS_PER_MS);
}

static int udp_take(struct tw_receiver *base, int timeout_ms, struct tw_received_batch *bundles, unsigned int n)
{
	struct rx_udp *rx = of(base);
	struct pollfd pfd = { .fd = rx->socket.fd, .events = POLLIN };
	const int64_t end = timeout_ms > 0 ? now_ms() + timeout_ms : 0;
	int64_t rest = timeout_ms;
	int got;

	n = n < MESSAGES ? n : MESSAGES;
	while ((got = receive(rx, bundles, n)) == -EAGAIN) {
		const int ready = poll(&pfd, 1, (int)rest);

		if (ready <= 0)
			return ready == 0 || errno == EINTR ? 0 : -errno;
		if (timeout_ms > 0) {
			rest = end - now_ms();
			rest = rest > 0 ? rest : 0;
		}
	}
	return got == -EINTR ? 0 : got;
}

/* Return: false if the next frame is yet to be received */
static bool lend(struct rx_udp *rx, struct tw_received_frame *ret)
{
	for (; rx->next < rx->n; rx->next++, rx->at = 0) {
		if (tw_received_batch__frame(&rx->bundles[rx->next], rx->at, ret)) {
			rx->at += rx->bundles[rx->next].segment;
			return true;
		}
	}
	return false;
}

static int udp_next(struct tw_receiver *base, int timeout_ms, struct tw_received_frame *ret)
{
	struct rx_udp *rx = of(base);

	while (!lend(rx, ret)) {
		const int got = udp_take(base, timeout_ms, rx->bundles, MESSAGES);

		if (got <= 0)
			return got;
		rx->n = (unsigned int)got;
		rx->next = 0;
	}
	return 1;
}

static int udp_answer(struct tw_receiver *base, const struct tw_peer *to, const void *frame, size_t len)
{
	return rx_udp_peer__answer(of(base)->socket.fd, to, frame, len);
}

static int count_dropped(struct rx_udp *rx)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(rx->socket.fd, SOL_SOCKET, SO_MEMINFO, info, &len) < 0)
		return -errno;
	count_up(&rx->stats.dropped, info[SK_MEMINFO_DROPS]);
	return 0;
}

/* What a filter rejects is counted with what found no room: from then on the counter says nothing. */
static void udp_stop(struct tw_receiver *base)
{
	struct sock_filter nothing[] = { BPF_STMT(BPF_RET | BPF_K, 0) };
	const struct sock_fprog program = { .len = 1, .filter = nothing };
	struct rx_udp *rx = of(base);

	rx->stopped = !count_dropped(rx);
	setsockopt(rx->socket.fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

static int udp_stats(struct tw_receiver *base, struct tw_receiver_stats *ret)
{
	struct rx_udp *rx = of(base);
	const int error = rx->stopped ? 0 : count_dropped(rx);

	if (error)
		return error;
	*ret = rx->stats;
	ret->dropped_last = rx->stats.dropped > rx->dropped ? rx->stats.dropped - rx->dropped : 0;
	return 0;
}

static void udp_close(struct tw_receiver *base)
{
	struct rx_udp *rx = of(base);

	close(rx->socket.fd);
	free(rx->area);
	free(rx);
}

static const struct tw_receiver_ops udp_ops = {
	.next = udp_next,
	.take = udp_take,
	.answer = udp_answer,
	.stop = udp_stop,
	.stats = udp_stats,
	.close = udp_close,
};

int tw_rx_udp__open(const struct tw_rx_udp_options *opts, struct tw_receiver **ret, struct tw_error *err)
{
	struct rx_udp *rx = calloc(1, sizeof(*rx));
	int error;

	if (rx)
		rx->area = malloc((size_t)MESSAGES * MESSAGE_MOST);
	error = rx && rx->area ? rx_udp_socket__open(opts, &rx->socket, err)
			       : tw_error__set(err, -ENOMEM, "no memory to receive");
	if (error) {
		if (rx)
			free(rx->area);
		free(rx);
		return error;
	}
	for (unsigned int i = 0; i < MESSAGES; i++)
		rx->bundles[i].to = rx->area + (size_t)i * MESSAGE_MOST;
	rx->rx = (struct tw_receiver){
		.ops = &udp_ops, .frame_max = DATAGRAM_MAX, .batch_max = MESSAGE_MOST, .how = rx->how
	};
	snprintf(rx->how, sizeof(rx->how), "UDP port %u%s, buffer of %zu KiB", opts->at.port,
		 rx->socket.gro ? ", GRO" : "", rx->socket.buffer >> 10);
	*ret = &rx->rx;
	return 0;
}
