/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_udp.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/time.h"
#include "vnet/socket.h"
#include "vnet/tx_stamps.h"
#include "wire/tracewire.h"

#define MESSAGES     16     /* limit of messages per system call */
#define MESSAGE_MAX  65536  /* bytes: more than any datagram or GRO batch */
#define CONTROL_ROOM 256    /* bytes, for ancillary data of a message */
#define DATAGRAM_MAX 65507u /* the maximum of IPv4; over IPv6, Tracewire's senders send no larger datagrams either */

/* The sender of a datagram, and the destination address of the datagram. An answer is sent from this destination address. */
struct peer {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} from;
	union {
		struct in_addr v4;
		struct in6_addr v6;
	} to;
};

_Static_assert(sizeof(struct peer) <= sizeof(((struct tw_peer *)0)->bytes), "a peer holds it");

static void peer__update(struct peer *peer, const struct cmsghdr *c)
{
	struct in6_pktinfo info6;
	struct in_pktinfo info;

	if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
		memcpy(&info, CMSG_DATA(c), sizeof(info));
		peer->to.v4 = info.ipi_spec_dst;
	} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
		memcpy(&info6, CMSG_DATA(c), sizeof(info6));
		peer->to.v6 = info6.ipi6_addr;
	}
}

/* A dual-stack socket reports IPv4 senders with IPv4-mapped IPv6 addresses. */
static void set_source(const struct peer *peer, struct tw_peer_address *ret)
{
	const struct in6_addr *v6 = &peer->from.v6.sin6_addr;

	ret->kind = TW_PEER_IPV4;
	if (peer->from.any.sa_family == AF_INET) {
		memcpy(ret->bytes, &peer->from.v4.sin_addr, sizeof(peer->from.v4.sin_addr));
	} else if (IN6_IS_ADDR_V4MAPPED(v6)) {
		memcpy(ret->bytes, &v6->s6_addr[12], sizeof(struct in_addr));
	} else {
		ret->kind = TW_PEER_IPV6;
		memcpy(ret->bytes, v6, sizeof(*v6));
	}
}

/* Sends from the address to which the datagram was sent. @cookie: see struct tw_receiver_ops. Return: 0 or -errno */
static int send_to(struct tx_stamps *stamps, struct peer *peer, const void *frame, size_t len, uint32_t cookie)
{
	const bool v4 = peer->from.any.sa_family == AF_INET;
	const struct in_pktinfo info = { .ipi_spec_dst = peer->to.v4 };
	const struct in6_pktinfo info6 = { .ipi6_addr = peer->to.v6 };
	const size_t info_len = v4 ? sizeof(info) : sizeof(info6);
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo)) + TX_STAMPS_REQUEST];
	} control = { .bytes = { 0 } };
	struct iovec iov = { .iov_base = (void *)frame, .iov_len = len };
	struct msghdr msg = {
		.msg_name = &peer->from,
		.msg_namelen = v4 ? sizeof(peer->from.v4) : sizeof(peer->from.v6),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(info_len),
	};
	int err;

	control.header.cmsg_level = v4 ? IPPROTO_IP : IPPROTO_IPV6;
	control.header.cmsg_type = v4 ? IP_PKTINFO : IPV6_PKTINFO;
	control.header.cmsg_len = CMSG_LEN(info_len);
	memcpy(CMSG_DATA(&control.header), v4 ? (const void *)&info : (const void *)&info6, info_len);
	if (cookie)
		tx_stamps__request(stamps, &msg);
	err = sendmsg(stamps->fd, &msg, MSG_DONTWAIT) < 0 ? -errno : 0;
	if (cookie)
		tx_stamps__requested(stamps, cookie, err);
	return err;
}

static int peer__answer(struct tx_stamps *stamps, const struct tw_peer *to, const void *frame, size_t len,
			uint32_t cookie)
{
	struct peer peer;
	int err;

	memcpy(&peer, to->bytes, sizeof(peer));
	err = send_to(stamps, &peer, frame, len, cookie);
	if (err == -EINVAL || err == -EADDRNOTAVAIL) { /* peer.to is a group address, which cannot be a source */
		memset(&peer.to, 0, sizeof(peer.to));
		err = send_to(stamps, &peer, frame, len, cookie);
	}
	return err == -ENOBUFS ? -EAGAIN : err;
}

struct rx_udp {
	struct tw_receiver rx;
	int fd;
	struct tx_stamps stamps;
	bool gro;
	size_t buffer; /* bytes, as granted by the kernel */
	struct tw_receiver_stats stats;
	uint64_t dropped;                           /* the kernel's drop counter, as in the last message received */
	bool stopped;                               /* later drops do not count */
	struct tw_received_batch batches[MESSAGES]; /* frames received for udp_next() */
	unsigned int next, n;                       /* index of the first batch not handed out yet; number of batches */
	size_t at;                                  /* offset of the next frame in this first batch */
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

/*
 * Sets the size of the receive buffer. The kernel doubles the requested size, for its overhead, and getsockopt() returns the doubled size.
 * Return: the size without this overhead
 */
static size_t set_buffer(int fd, size_t wanted)
{
	socklen_t len = sizeof(int);
	int got = 0;

	if (tw_socket__set(fd, SOL_SOCKET, SO_RCVBUFFORCE, (int)wanted) < 0)
		tw_socket__set(fd, SOL_SOCKET, SO_RCVBUF, (int)wanted);
	getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &got, &len);
	return (size_t)got / 2;
}

static bool set_gro(int fd)
{
	return tw_socket__set(fd, IPPROTO_UDP, UDP_GRO, 1) == 0;
}

static int set_options(int family, const struct tw_rx_udp_options *o, struct rx_udp *rx)
{
	int err = 0;

	if (family == AF_INET6) {
		err = tw_socket__set(rx->fd, IPPROTO_IPV6, IPV6_V6ONLY, o->at.host[0] != '\0');
		if (!err)
			err = tw_socket__set(rx->fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
	} else {
		err = tw_socket__set(rx->fd, IPPROTO_IP, IP_PKTINFO, 1);
	}
	if (!err)
		err = tw_socket__set(rx->fd, SOL_SOCKET, SO_RXQ_OVFL, 1);
	if (!err)
		err = tw_socket__set(rx->fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
	rx->gro = set_gro(rx->fd);
	rx->buffer = set_buffer(rx->fd, o->buffer ? o->buffer : TW_RX_UDP_BUFFER);
	return err;
}

static int try_address(const struct addrinfo *a, const struct tw_rx_udp_options *o, struct rx_udp *rx)
{
	int err;

	rx->fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP);
	if (rx->fd < 0)
		return -errno;
	err = set_options(a->ai_family, o, rx);
	if (!err && bind(rx->fd, a->ai_addr, a->ai_addrlen) < 0)
		err = -errno;
	if (err)
		close(rx->fd);
	return err;
}

/* Tries IPv6 addresses first: if no host is given, an IPv6 socket also accepts IPv4. Return: 0, or the -errno of the first address tried */
static int try_addresses(const struct addrinfo *addresses, const struct tw_rx_udp_options *o, struct rx_udp *rx)
{
	static const int families[] = { AF_INET6, AF_INET };
	int first = 0, err;

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		for (const struct addrinfo *a = addresses; a; a = a->ai_next) {
			if (a->ai_family != families[i])
				continue;
			err = try_address(a, o, rx);
			if (!err)
				return 0;
			first = first ? first : err;
		}
	}
	return first ? first : -EADDRNOTAVAIL;
}

static int refused(const struct tw_rx_udp_options *o, int err, struct tw_error *error)
{
	char at[TW_UDP_TEXT_MAX];

	if (o->at.host[0])
		tw_udp_address__format(&o->at, at);
	else
		snprintf(at, sizeof(at), "UDP port %u", o->at.port);
	switch (err) {
	case -EADDRINUSE:
		return tw_error__set(error, err,
				     "cannot receive at %s: another program uses this port; `ss -lunp` shows its name",
				     at);
	case -EADDRNOTAVAIL:
		return tw_error__set(
			error, err,
			"cannot receive at %s: no interface of this machine has that address; `ip -br addr` lists all "
			"addresses",
			at);
	case -EACCES:
		return tw_error__set(error, err,
				     "cannot receive at %s: ports below 1024 require root or CAP_NET_BIND_SERVICE", at);
	default:
		return tw_error__set(error, err, "cannot receive at %s: %s", at, strerror(-err));
	}
}

static int open_socket(const struct tw_rx_udp_options *opts, struct rx_udp *rx, struct tw_error *error)
{
	struct addrinfo *addresses;
	int err = tw_udp_address__resolve(&opts->at, AI_PASSIVE, &addresses, error);

	if (err)
		return err;
	err = try_addresses(addresses, opts, rx);
	freeaddrinfo(addresses);
	return err ? refused(opts, err, error) : 0;
}

/* Updates a 64-bit counter from a counter of the kernel, which has 32 bits and may wrap. */
static void count_up(uint64_t *counter, uint32_t now)
{
	const int32_t more = (int32_t)(now - (uint32_t)*counter);

	if (more > 0)
		*counter += (uint32_t)more;
}

static void read_control(struct rx_udp *rx, const struct cmsghdr *c, struct tw_received_batch *batch, struct peer *peer)
{
	const void *data = CMSG_DATA(c);
	struct timespec time;
	uint32_t dropped;
	int segment;

	if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
		memcpy(&time, data, sizeof(time));
		batch->time = tw_time__ns(&time);
		batch->time_by = TW_STAMP_SOFTWARE;
	} else if (tx_stamps__of_card(c, &batch->card)) {
		return;
	} else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
		memcpy(&dropped, data, sizeof(dropped));
		count_up(&rx->dropped, dropped);
	} else if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO) {
		memcpy(&segment, data, sizeof(segment));
		batch->segment = segment > 0 ? (size_t)segment : batch->segment;
	} else {
		peer__update(peer, c);
	}
}

static void read_message(struct rx_udp *rx, struct mmsghdr *message, struct tw_received_batch *ret)
{
	struct msghdr *msg = &message->msg_hdr;
	struct peer peer = { 0 };

	memcpy(&peer.from, msg->msg_name, msg->msg_namelen);
	ret->len = message->msg_len;
	ret->segment = MESSAGE_MAX;
	ret->time = 0;
	ret->time_by = TW_STAMP_READING;
	ret->card = (struct tw_card_stamp){ 0 };
	ret->cut = false;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c))
		read_control(rx, c, ret, &peer);
	ret->from = (struct tw_peer){ .len = sizeof(peer) };
	memcpy(ret->from.bytes, &peer, sizeof(peer));
	set_source(&peer, &ret->from.address);
	ret->dropped = rx->dropped;
	rx->stats.frames += ret->len ? (ret->len + ret->segment - 1) / ret->segment : 1;
}

/* Receives available datagrams. Return: number of batches, or -errno; -EAGAIN if there are none */
static int receive(struct rx_udp *rx, struct tw_received_batch *batches, unsigned int n)
{
	int got;

	for (unsigned int i = 0; i < n; i++) {
		rx->iov[i] = (struct iovec){ .iov_base = batches[i].to, .iov_len = MESSAGE_MAX };
		rx->msgs[i].msg_hdr = (struct msghdr){
			.msg_name = &rx->from[i],
			.msg_namelen = sizeof(rx->from[i]),
			.msg_iov = &rx->iov[i],
			.msg_iovlen = 1,
			.msg_control = rx->control[i],
			.msg_controllen = sizeof(rx->control[i]),
		};
	}
	got = recvmmsg(rx->fd, rx->msgs, n, MSG_DONTWAIT, NULL);
	for (int i = 0; i < got; i++)
		read_message(rx, &rx->msgs[i], &batches[i]);
	return got < 0 ? -errno : got;
}

static int udp_take(struct tw_receiver *base, int timeout_ms, struct tw_received_batch *batches, unsigned int n)
{
	struct rx_udp *rx = of(base);
	struct pollfd pfd = { .fd = rx->fd, .events = POLLIN };
	int got;

	n = n < MESSAGES ? n : MESSAGES;
	while ((got = receive(rx, batches, n)) == -EAGAIN) {
		const int ready = tw_socket__poll(&pfd, 1, &timeout_ms);

		if (ready <= 0)
			return ready;
		if (pfd.revents & POLLERR)
			tx_stamps__read(&rx->stamps);
	}
	return got == -EINTR ? 0 : got;
}

/* Return: false if all received frames were handed out */
static bool hand_out(struct rx_udp *rx, struct tw_received_frame *ret)
{
	for (; rx->next < rx->n; rx->next++, rx->at = 0) {
		if (tw_received_batch__frame(&rx->batches[rx->next], rx->at, ret)) {
			rx->at += rx->batches[rx->next].segment;
			return true;
		}
	}
	return false;
}

static int udp_next(struct tw_receiver *base, int timeout_ms, struct tw_received_frame *ret)
{
	struct rx_udp *rx = of(base);

	while (!hand_out(rx, ret)) {
		const int got = udp_take(base, timeout_ms, rx->batches, MESSAGES);

		if (got <= 0)
			return got;
		rx->n = (unsigned int)got;
		rx->next = 0;
	}
	return 1;
}

static int udp_answer(struct tw_receiver *base, const struct tw_peer *to, const void *frame, size_t len,
		      uint32_t cookie)
{
	return peer__answer(&of(base)->stamps, to, frame, len, cookie);
}

static bool udp_sent(struct tw_receiver *base, struct tw_sent_stamp *ret)
{
	struct rx_udp *rx = of(base);

	tx_stamps__read(&rx->stamps);
	return tx_stamps__take(&rx->stamps, ret);
}

static int count_dropped(struct rx_udp *rx)
{
	uint32_t drops;
	const int err = tw_socket__drops(rx->fd, &drops);

	if (!err)
		count_up(&rx->stats.dropped, drops);
	return err;
}

/*
 * The kernel's drop counter includes datagrams that a socket filter rejects. Therefore the counter is read before the filter is set, and no
 * longer afterwards.
 */
static void udp_stop(struct tw_receiver *base)
{
	struct rx_udp *rx = of(base);

	rx->stopped = !count_dropped(rx);
	tw_socket__reject_all(rx->fd);
}

static int udp_stats(struct tw_receiver *base, struct tw_receiver_stats *ret)
{
	struct rx_udp *rx = of(base);
	const int err = rx->stopped ? 0 : count_dropped(rx);

	if (err)
		return err;
	*ret = rx->stats;
	ret->dropped_last = rx->stats.dropped > rx->dropped ? rx->stats.dropped - rx->dropped : 0;
	return 0;
}

static void udp_close(struct tw_receiver *base)
{
	struct rx_udp *rx = of(base);

	close(rx->fd);
	free(rx->area);
	free(rx);
}

static const struct tw_receiver_ops udp_ops = {
	.next = udp_next,
	.take = udp_take,
	.answer = udp_answer,
	.sent = udp_sent,
	.stop = udp_stop,
	.stats = udp_stats,
	.close = udp_close,
};

int tw_rx_udp__open(const struct tw_rx_udp_options *opts, struct tw_receiver **ret, struct tw_error *error)
{
	struct rx_udp *rx = calloc(1, sizeof(*rx));
	int err;

	if (rx)
		rx->area = malloc((size_t)MESSAGES * MESSAGE_MAX);
	err = rx && rx->area ? open_socket(opts, rx, error)
			     : tw_error__set(error, -ENOMEM, "cannot receive: no memory");
	if (err) {
		if (rx)
			free(rx->area);
		free(rx);
		return err;
	}
	tx_stamps__enable(&rx->stamps, rx->fd, 0, &rx->rx.card_stamps);
	for (unsigned int i = 0; i < MESSAGES; i++)
		rx->batches[i].to = rx->area + (size_t)i * MESSAGE_MAX;
	rx->rx = (struct tw_receiver){
		.ops = &udp_ops, .frame_max = DATAGRAM_MAX, .batch_max = MESSAGE_MAX, .how = rx->how
	};
	snprintf(rx->how, sizeof(rx->how), "UDP port %u%s, buffer of %zu KiB", opts->at.port, rx->gro ? ", GRO" : "",
		 rx->buffer >> 10);
	*ret = &rx->rx;
	return 0;
}
